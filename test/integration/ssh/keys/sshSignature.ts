import crypto from 'node:crypto';
import fs from 'node:fs/promises';
import { sshString } from '../../../../src/domain/keys/wire.ts';
import type { PrivateKey } from '../../../../src/infrastructure/ssh/keys/privateKey.ts';
import { mustRun, run } from '../../../lab/run.ts';

const namespace = 'termind-tests';
const message = 'signed by the key under test\n';

/**
 * Whether OpenSSH takes a signature of this key. The file is a detached signature, which carries the key along. Source: PROTOCOL.sshsig.
 */
export async function isTakenByOpenSsh(key: PrivateKey, algorithm: string, file: string): Promise<boolean> {
  const digest = crypto.createHash('sha512').update(message).digest();
  const head = [sshString(namespace), sshString(''), sshString('sha512')];
  const toSign = Buffer.concat([Buffer.from('SSHSIG'), ...head, sshString(digest)]);
  const version = Buffer.from([0, 0, 0, 1]);
  const blob = Buffer.concat([
    ...[Buffer.from('SSHSIG'), version, sshString(key.publicKey.blob), ...head],
    sshString(await key.sign(algorithm, toSign)),
  ]);
  const armor = ['-----BEGIN SSH SIGNATURE-----', blob.toString('base64'), '-----END SSH SIGNATURE-----', ''];
  await fs.writeFile(`${file}.sig`, armor.join('\n'));
  const checked = await run('ssh-keygen', ['-Y', 'check-novalidate', '-n', namespace, '-s', `${file}.sig`], {
    input: message,
  });
  return checked.status === 0;
}

/** Whether openssl takes an RSA signature with SHA-1, which ssh-keygen does not check any more. */
export async function isSha1TakenByOpenSsl(
  key: PrivateKey,
  publicFile: string,
  file: string,
): Promise<boolean> {
  const blob = Buffer.from(await key.sign('ssh-rsa', Buffer.from(message)));
  const raw = blob.subarray(4 + 'ssh-rsa'.length + 4);
  const pem = await mustRun('ssh-keygen', ['-e', '-m', 'PKCS8', '-f', publicFile]);
  await Promise.all([fs.writeFile(`${file}.pem`, pem), fs.writeFile(`${file}.raw`, raw)]);
  const files = ['-verify', `${file}.pem`, '-signature', `${file}.raw`];
  return (await run('openssl', ['dgst', '-sha1', ...files], { input: message })).status === 0;
}
