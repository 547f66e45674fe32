import { createHash } from 'node:crypto';
import { Blowfish } from './blowfish.ts';

const hashBytes = 32;
const magic = wordsOf(Buffer.from('OxychromaticBlowfishSwatDynamite', 'latin1'));

export interface BcryptPbkdfRequest {
  readonly passphrase: Uint8Array;
  readonly salt: Uint8Array;
  readonly rounds: number;
  /** How much key is wanted, at most 1,024. */
  readonly bytes: number;
}

/**
 * The key derivation of OpenSSH's own container. Takes some milliseconds for each round and each 32 bytes, so it is no work for a thread
 * that has others to serve. Source: OpenBSD bcrypt_pbkdf(3).
 */
export function bcryptPbkdf({ passphrase, salt, rounds, bytes }: BcryptPbkdfRequest): Buffer {
  const key = Buffer.alloc(bytes);
  const blocks = Math.ceil(bytes / hashBytes);
  const passphraseDigest = sha512(passphrase);
  const passphraseWords = wordsOf(passphraseDigest);
  for (let block = 0; block < blocks; block++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(block + 1);
    let hash = bcryptHash(passphraseWords, sha512(salt, number));
    const sum = Buffer.from(hash);
    for (let round = 1; round < rounds; round++) {
      hash = bcryptHash(passphraseWords, sha512(hash));
      for (let i = 0; i < hashBytes; i++) sum[i] = (sum[i] ?? 0) ^ (hash[i] ?? 0);
    }
    // The blocks are woven into each other, so that each influences the whole key.
    for (let i = 0; i * blocks + block < bytes; i++) key[i * blocks + block] = sum[i] ?? 0;
    sum.fill(0);
  }
  passphraseDigest.fill(0);
  passphraseWords.fill(0);
  return key;
}

function bcryptHash(passphrase: Int32Array, salt: Buffer): Buffer {
  const cipher = new Blowfish();
  const saltWords = wordsOf(salt);
  cipher.expand(passphrase, saltWords);
  for (let i = 0; i < 64; i++) {
    cipher.expand(saltWords);
    cipher.expand(passphrase);
  }
  const words = magic.slice();
  for (let i = 0; i < 64; i++) cipher.encrypt(words);
  cipher.wipe();
  const hash = Buffer.alloc(hashBytes);
  words.forEach((word, i) => hash.writeInt32LE(word, i * 4));
  return hash;
}

function wordsOf(bytes: Buffer): Int32Array {
  return Int32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32BE(i * 4));
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
