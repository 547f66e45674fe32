import crypto from 'node:crypto';
import { strengthOf } from '../../../domain/keys/keyStrength.ts';
import type { PublicKey } from '../../../domain/keys/publicKey.ts';
import { WireReader } from '../../../domain/keys/wire.ts';
import { publicKeyObject } from './publicKeyObject.ts';
import { algorithmsOf, signatureHashes } from './signature.ts';

/**
 * Whether a signature blob, its algorithm name included, is one over `data` by `key`. An algorithm that does not belong to the key, SHA-1,
 * an RSA key below 1024 bits and anything that is not well formed are false. Never throws. Source: RFC 8332 section 3, RFC 5656
 * section 3.1.2, RFC 8709 section 6, PROTOCOL.u2f.
 */
export function isSignatureBy(key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(key, data, signature);
  } catch {
    return false;
  }
}

function verify(key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  const reader = new WireReader(signature);
  const algorithm = reader.text();
  const inner = reader.string();
  const signed = signedData(key, data, reader);
  const publicKey = publicKeyObject(key.parts);
  if (publicKey === undefined || !reader.isAtEnd) return false;
  if (algorithm === 'ssh-rsa' || !algorithmsOf(key.keyType).includes(algorithm)) return false;
  const hash = signatureHashes[algorithm.replace(/^sk-(.*)@openssh\.com$/, '$1')];
  switch (key.parts.kind) {
    case 'rsa':
      return (
        strengthOf(key) !== 'refused' &&
        crypto.verify(hash, signed, publicKey, leftPadded(inner, Math.ceil(key.bits / 8)))
      );
    case 'ecdsa': {
      const raw = pairOfIntegers(inner, (key.parts.point.length - 1) / 2);
      return crypto.verify(hash, signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw);
    }
    case 'ed25519':
      return crypto.verify(hash, signed, publicKey, inner);
  }
}

/** A security key signs a digest of the data along with what it is for, its flags and a counter. Source: PROTOCOL.u2f. */
function signedData(key: PublicKey, data: Uint8Array, reader: WireReader): Uint8Array {
  if (key.parts.kind === 'rsa' || key.parts.application === undefined) return data;
  const flagsAndCounter = Buffer.alloc(5);
  flagsAndCounter.writeUInt8(reader.byte(), 0);
  flagsAndCounter.writeUInt32BE(reader.uint32(), 1);
  const digest = (bytes: Uint8Array | string): Buffer => crypto.createHash('sha256').update(bytes).digest();
  return Buffer.concat([digest(key.parts.application), flagsAndCounter, digest(data)]);
}

/** Some signers leave out leading zeros. */
function leftPadded(signature: Buffer, bytes: number): Buffer {
  if (signature.length >= bytes) return signature;
  return Buffer.concat([Buffer.alloc(bytes - signature.length), signature]);
}

function pairOfIntegers(inner: Uint8Array, halfBytes: number): Buffer {
  const reader = new WireReader(inner);
  const pair = [reader.positiveInteger(), reader.positiveInteger()];
  if (!reader.isAtEnd) throw new RangeError('bytes follow the signature');
  return Buffer.concat(
    pair.map((number) => {
      if (number.length > halfBytes) throw new RangeError('a number is too large');
      return leftPadded(number, halfBytes);
    }),
  );
}
