import crypto from 'node:crypto';
import { parsePublicKey, type PublicKey } from '../../src/domain/keys/publicKey.ts';
import { sshInteger, sshString } from '../../src/domain/keys/wire.ts';

/** A security key without hardware: what an authenticator would do for `ssh:`, in software. */
export interface SoftSecurityKey {
  readonly publicKey: PublicKey;
  /** A whole signature blob, made with the person present. Source: PROTOCOL.u2f. */
  sign(data: Uint8Array): Buffer;
}

const application = 'ssh:';
const personPresent = 1;

export function softSecurityKey(kind: 'ed25519' | 'ecdsa'): SoftSecurityKey {
  const isEdwards = kind === 'ed25519';
  const keyType = isEdwards ? 'sk-ssh-ed25519@openssh.com' : 'sk-ecdsa-sha2-nistp256@openssh.com';
  const key = isEdwards
    ? crypto.generateKeyPairSync('ed25519').privateKey
    : crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const jwk = crypto.createPublicKey(key).export({ format: 'jwk' });
  const [x, y] = [jwk.x, jwk.y].map((number) => Buffer.from(number ?? '', 'base64url'));
  const point = isEdwards ? x : Buffer.concat([Buffer.from([4]), x ?? Buffer.alloc(0), y ?? Buffer.alloc(0)]);
  const publicKey = parsePublicKey(
    Buffer.concat([
      ...[sshString(keyType), ...(isEdwards ? [] : [sshString('nistp256')])],
      ...[sshString(point ?? ''), sshString(application)],
    ]),
  );
  if (publicKey === undefined) throw new Error('The key that was made is none.');
  let counter = 0;
  return {
    publicKey,
    sign(data) {
      counter += 1;
      const tail = Buffer.from([personPresent, 0, 0, 0, 0]);
      tail.writeUInt32BE(counter, 1);
      const signed = Buffer.concat([sha256(application), tail, sha256(data)]);
      const raw = crypto.sign(isEdwards ? null : 'sha256', signed, { key, dsaEncoding: 'ieee-p1363' });
      const inner = isEdwards
        ? raw
        : Buffer.concat([sshInteger(raw.subarray(0, 32)), sshInteger(raw.subarray(32))]);
      return Buffer.concat([sshString(keyType), sshString(inner), tail]);
    },
  };
}

function sha256(bytes: Uint8Array | string): Buffer {
  return crypto.createHash('sha256').update(bytes).digest();
}
