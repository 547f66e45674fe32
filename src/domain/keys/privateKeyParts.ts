import { derInteger, derTag, derValue } from './der.ts';
import type { Curve, PublicKeyParts } from './publicKey.ts';
import { withoutLeadingZeros } from './wire.ts';

/** The secret numbers of a key beside its public half, big-endian bytes. Whoever reads them wipes them. */
export type PrivateKeyParts =
  | {
      readonly kind: 'rsa';
      readonly privateExponent: Buffer;
      readonly p: Buffer;
      readonly q: Buffer;
      /** The inverse of q modulo p. */
      readonly coefficient: Buffer;
    }
  | { readonly kind: 'ecdsa'; readonly scalar: Buffer }
  | { readonly kind: 'ed25519'; readonly seed: Buffer };

export interface EncodedPrivateKey {
  readonly type: 'pkcs1' | 'sec1' | 'pkcs8';
  /** Secret. */
  readonly der: Buffer;
}

const curveIdentifiers: Readonly<Record<Curve, string>> = {
  nistp256: '2a8648ce3d030107',
  nistp384: '2b81040022',
  nistp521: '2b81040023',
};
export const ed25519Identifier = '2b6570';

/**
 * A private key as crypto libraries take it. Throws a RangeError when the halves are of different kinds or a number cannot be one of a
 * key. Source: RFC 8017 appendix A.1.2, RFC 5915, RFC 8410 section 7.
 */
export function encodePrivateKey(open: PublicKeyParts, secret: PrivateKeyParts): EncodedPrivateKey {
  if (open.kind === 'rsa' && secret.kind === 'rsa') {
    const { privateExponent, p, q, coefficient } = secret;
    const numbers = [
      ...[Buffer.alloc(1), open.modulus, open.exponent, privateExponent, p, q],
      ...[reducedExponent(privateExponent, p), reducedExponent(privateExponent, q), coefficient],
    ];
    return { type: 'pkcs1', der: derValue(derTag.sequence, ...numbers.map(derInteger)) };
  }
  if (open.kind === 'ecdsa' && secret.kind === 'ecdsa') {
    const size = (open.point.length - 1) / 2;
    const scalar = withoutLeadingZeros(secret.scalar);
    if (scalar.length > size) throw new RangeError('a number is too large');
    const identifier = Buffer.from(curveIdentifiers[open.curve], 'hex');
    const der = derValue(
      derTag.sequence,
      derInteger(Buffer.from([1])),
      derValue(derTag.octetString, Buffer.alloc(size - scalar.length), scalar),
      derValue(derTag.context0, derValue(derTag.objectIdentifier, identifier)),
      derValue(derTag.context0 + 1, derValue(derTag.bitString, Buffer.alloc(1), open.point)),
    );
    return { type: 'sec1', der };
  }
  if (open.kind === 'ed25519' && secret.kind === 'ed25519') {
    const identifier = derValue(derTag.objectIdentifier, Buffer.from(ed25519Identifier, 'hex'));
    const der = derValue(
      derTag.sequence,
      derInteger(Buffer.alloc(1)),
      derValue(derTag.sequence, identifier),
      derValue(derTag.octetString, derValue(derTag.octetString, secret.seed)),
    );
    return { type: 'pkcs8', der };
  }
  throw new RangeError('the halves of the key are of different kinds');
}

export function wipeParts(secret: PrivateKeyParts): void {
  for (const value of Object.values(secret)) if (Buffer.isBuffer(value)) value.fill(0);
}

/** d modulo (prime − 1). */
function reducedExponent(privateExponent: Buffer, prime: Buffer): Buffer {
  const modulus = numberOf(prime) - 1n;
  if (modulus <= 0n) throw new RangeError('a number is too small');
  const hex = (numberOf(privateExponent) % modulus).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function numberOf(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}
