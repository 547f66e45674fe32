import crypto, { type KeyObject } from 'node:crypto';
import { sshInteger, sshString } from '../../../domain/keys/wire.ts';

/** The digest of each algorithm that takes one. */
export const signatureHashes: Readonly<Record<string, string>> = {
  'rsa-sha2-512': 'sha512',
  'rsa-sha2-256': 'sha256',
  'ssh-rsa': 'sha1',
  'ecdsa-sha2-nistp256': 'sha256',
  'ecdsa-sha2-nistp384': 'sha384',
  'ecdsa-sha2-nistp521': 'sha512',
};

/** The algorithms that a key of this type can sign with. */
export function algorithmsOf(keyType: string): readonly string[] {
  return keyType === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [keyType];
}

/**
 * A signature blob by a private key of this process, its algorithm name included. Rejects with what the run time's crypto reports.
 * Source: RFC 8332 section 3, RFC 5656 section 3.1.2, RFC 8709 section 6.
 */
export async function signBlob(key: KeyObject, data: Uint8Array, algorithm: string): Promise<Buffer> {
  const hash = signatureHashes[algorithm] ?? null;
  const raw = await new Promise<Buffer>((resolve, reject) => {
    crypto.sign(hash, data, { key, dsaEncoding: 'ieee-p1363' }, (error, signature) =>
      error === null ? resolve(signature) : reject(error),
    );
  });
  const inner = algorithm.startsWith('ecdsa-') ? pairOfIntegers(raw) : raw;
  return Buffer.concat([sshString(algorithm), sshString(inner)]);
}

function pairOfIntegers(raw: Buffer): Buffer {
  const half = raw.length / 2;
  return Buffer.concat([sshInteger(raw.subarray(0, half)), sshInteger(raw.subarray(half))]);
}
