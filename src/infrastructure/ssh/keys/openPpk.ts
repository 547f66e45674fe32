import crypto from 'node:crypto';
import { certificateTypes } from '../../../domain/keys/certificate.ts';
import { openHalfOf, type OpenHalf } from '../../../domain/keys/keyContainer.ts';
import { KeyUnusable } from '../../../domain/keys/keyProblem.ts';
import { ppkMacInput, readPpkSection, type Ppk } from '../../../domain/keys/ppk.ts';
import { wipeParts, type PrivateKeyParts } from '../../../domain/keys/privateKeyParts.ts';
import { isPlainKeyType, plainKeyTypes, type PublicKey } from '../../../domain/keys/publicKey.ts';
import { keyTypeOf } from '../../../domain/trust/hostKey.ts';
import { deriveKey } from './deriveKey.ts';
import { importParts, type KeyMaterial } from './privateKey.ts';
import { decipherWhole } from './sectionCipher.ts';

interface PpkKeys {
  readonly cipher: { readonly key: Buffer; readonly iv: Buffer } | undefined;
  readonly mac: Buffer;
}

/**
 * Opens PuTTY's container. The private half becomes a key only when its checksum fits. Rejects with `KeyUnusable`, or with the
 * signal's reason. Source: ssh.md 2.4; PuTTY manual, appendix C.
 */
export async function openPpk(ppk: Ppk, passphrase: Buffer, signal: AbortSignal): Promise<KeyMaterial> {
  const { publicKey: stated, certificate } = publicHalfOf(ppk);
  const keys = await keysOf(ppk, passphrase, signal);
  if (ppk.section.length % 16 !== 0 && keys.cipher !== undefined) throw new KeyUnusable('damaged');
  const section =
    keys.cipher === undefined
      ? Buffer.from(ppk.section)
      : decipherWhole('aes-256-cbc', keys.cipher, ppk.section);
  try {
    const hash = ppk.version === 2 ? 'sha1' : 'sha256';
    const mac = crypto.createHmac(hash, keys.mac).update(ppkMacInput(ppk, section)).digest();
    const secret = secretOf(section, stated);
    if (!crypto.timingSafeEqual(mac, ppk.mac) || secret === undefined) {
      if (secret !== undefined) wipeParts(secret);
      // A wrong passphrase leaves noise, in which no numbers are found.
      const isNoise = keys.cipher !== undefined && secret === undefined;
      throw new KeyUnusable(isNoise ? 'wrong-passphrase-or-damaged' : 'damaged');
    }
    const key = importParts(stated, secret);
    return { key, stated, certificate, comment: ppk.comment.toString('utf8') };
  } finally {
    section.fill(0);
    keys.mac.fill(0);
    keys.cipher?.key.fill(0);
  }
}

function publicHalfOf(ppk: Ppk): OpenHalf {
  if (keyTypeOf(ppk.publicBlob) !== ppk.algorithm) throw new KeyUnusable('damaged');
  const isKnown = [...plainKeyTypes, ...certificateTypes].includes(ppk.algorithm);
  if (!isKnown) throw new KeyUnusable('unsupported', 'keys of this kind are not used for SSH');
  const half = openHalfOf({ k: 'ppk', ppk });
  if (half === undefined) throw new KeyUnusable('damaged');
  return half;
}

/** The caller's to wipe. Undefined when it is not well formed. */
function secretOf(section: Buffer, { keyType }: PublicKey): PrivateKeyParts | undefined {
  try {
    return isPlainKeyType(keyType) ? readPpkSection(section, keyType) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function keysOf(ppk: Ppk, passphrase: Buffer, signal: AbortSignal): Promise<PpkKeys> {
  const isEncrypted = ppk.encryption !== 'none';
  if (ppk.version === 2) {
    const secret = isEncrypted ? passphrase : Buffer.alloc(0);
    const mac = sha1('putty-private-key-file-mac-key', secret);
    if (!isEncrypted) return { cipher: undefined, mac };
    const key = Buffer.concat([0, 1].map((n) => sha1(Buffer.from([0, 0, 0, n]), secret))).subarray(0, 32);
    return { cipher: { key, iv: Buffer.alloc(16) }, mac };
  }
  if (ppk.argon2 === undefined) return { cipher: undefined, mac: Buffer.alloc(0) };
  const derived = await deriveKey({ ...ppk.argon2, passphrase, bytes: 80 }, signal);
  const part = (from: number, to: number): Buffer => Buffer.from(derived.subarray(from, to));
  const keys = { cipher: { key: part(0, 32), iv: part(32, 48) }, mac: part(48, 80) };
  derived.fill(0);
  return keys;
}

function sha1(...parts: readonly (Uint8Array | string)[]): Buffer {
  const hash = crypto.createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
