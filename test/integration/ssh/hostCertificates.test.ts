import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Algorithms, ServerHostKeyAlgorithm } from 'ssh2';
import { kexMessage, wireString } from '../../lab/kexServer.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { generateKey, signKey, type KeyType } from '../../lab/sshKey.ts';
import { failedExchange, outputOf, rawClient, rawExec } from './rawClient.ts';

const suffix = '-cert-v01@openssh.com';
const rows: readonly (readonly [type: KeyType, algorithm: string])[] = [
  ['ed25519', `ssh-ed25519${suffix}`],
  ['ecdsa', `ecdsa-sha2-nistp256${suffix}`],
  ['rsa', `rsa-sha2-512${suffix}`],
  ['rsa', `rsa-sha2-256${suffix}`],
];

// The types of the library do not know what its patch adds.
const only = (algorithm: string): Algorithms => ({ serverHostKey: [algorithm as ServerHostKeyAlgorithm] });

describe('host certificates in the library', function () {
  this.timeout(60_000);
  let folder: string;
  let server: Sshd;
  const certificateOf = (type: KeyType): Buffer => {
    const [, base64 = ''] = readFileSync(path.join(folder, `host_${type}-cert.pub`), 'utf8').split(' ');
    return Buffer.from(base64, 'base64');
  };
  before(async () => {
    folder = await fs.mkdtemp('/tmp/termind-host-certificates-');
    const ca = await generateKey(path.join(folder, 'host_ca'));
    const types: readonly KeyType[] = ['ed25519', 'ecdsa', 'rsa'];
    const certificates: string[] = [];
    for (const type of types) {
      const key = await generateKey(path.join(folder, `host_${type}`), { type });
      certificates.push(await signKey(ca, key, { kind: 'host', principals: ['127.0.0.1'] }));
    }
    const config = certificates.map((file) => `HostCertificate ${file}`);
    server = await startSshd({ folder, hostKeys: types, config, rekeyLimit: '1M' });
  });
  after(async () => {
    await server.stop();
    await fs.rm(folder, { recursive: true, force: true });
  });

  for (const [type, algorithm] of rows)
    it(`${algorithm}: the verifier gets the whole certificate, also at a rekey`, async () => {
      const given: Buffer[] = [];
      const hostVerifier = (blob: Buffer): boolean => given.push(Buffer.from(blob)) > 0;
      const client = await rawClient(server, { algorithms: only(algorithm), hostVerifier });
      const got = await outputOf(await rawExec(client, 'head -c 3000000 /dev/zero'));
      client.end();
      assert.equal(got.length, 3_000_000);
      assert.ok(given.length >= 2, `${given.length} exchanges`);
      for (const blob of given) assert.deepEqual(blob, certificateOf(type));
    });

  it('a plain key is what the verifier gets when that was asked for', async () => {
    const given: Buffer[] = [];
    const hostVerifier = (blob: Buffer): boolean => given.push(Buffer.from(blob)) > 0;
    const client = await rawClient(server, { algorithms: only('ssh-ed25519'), hostVerifier });
    client.end();
    const [, base64 = ''] = server.hostKeys[0]?.publicLine.split(' ') ?? [];
    assert.deepEqual(given, [Buffer.from(base64, 'base64')]);
  });

  const mismatches: readonly (readonly [asked: string, sent: KeyType | 'plain rsa'])[] = [
    [`rsa-sha2-512${suffix}`, 'plain rsa'],
    [`rsa-sha2-512${suffix}`, 'ed25519'],
    ['rsa-sha2-512', 'rsa'],
    ['ssh-ed25519', 'ed25519'],
    [`ssh-ed25519${suffix}`, 'rsa'],
  ];
  for (const [asked, sent] of mismatches)
    it(`${asked} agreed on, ${sent === 'plain rsa' ? sent : `a certificate of ${sent}`} sent: refused`, async () => {
      const blob = sent === 'plain rsa' ? plainRsa() : certificateOf(sent);
      assert.match(await errorFor(asked, blob), /Host key does not match negotiated type/);
    });

  it('a certificate whose key did not sign the exchange is refused', async () => {
    assert.match(
      await errorFor(`ssh-ed25519${suffix}`, certificateOf('ed25519')),
      /signature verification failed/,
    );
  });

  for (const keep of [0, 3, 40, 60, 90])
    it(`a certificate cut off after ${keep} bytes is refused`, async () => {
      const blob = certificateOf('ed25519').subarray(0, keep);
      assert.notEqual(await errorFor(`ssh-ed25519${suffix}`, blob), '');
    });

  function plainRsa(): Buffer {
    return Buffer.from(server.hostKeys[2]?.publicLine.split(' ')[1] ?? '', 'base64');
  }
});

/** The error of a client whose server sends `blob` as its host key and a signature of zeros. */
function errorFor(algorithm: string, blob: Buffer): Promise<string> {
  const signature = Buffer.concat([wireString(algorithm.replace(suffix, '')), wireString(Buffer.alloc(64))]);
  const parts = [blob, Buffer.alloc(32, 9), signature].map((part) => wireString(part));
  const reply = (): Buffer[] => [
    Buffer.concat([Buffer.from([kexMessage.ecdhReply]), ...parts]),
    Buffer.from([kexMessage.newKeys]),
  ];
  return failedExchange({ hostKey: [algorithm], reply }, only(algorithm));
}
