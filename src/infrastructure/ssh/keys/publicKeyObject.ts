import crypto, { type JsonWebKey, type KeyObject } from 'node:crypto';
import { curves, type PublicKeyParts } from '../../../domain/keys/publicKey.ts';

/** The key as the run time's crypto takes it; undefined when it refuses the numbers, such as a point that is not on its curve. */
export function publicKeyObject(parts: PublicKeyParts): KeyObject | undefined {
  try {
    return crypto.createPublicKey({ key: publicJwk(parts), format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Source: RFC 7518 section 6, RFC 8037 section 2. */
export function publicJwk(parts: PublicKeyParts): JsonWebKey {
  switch (parts.kind) {
    case 'rsa':
      return { kty: 'RSA', n: base64url(parts.modulus), e: base64url(parts.exponent) };
    case 'ecdsa': {
      const half = (parts.point.length - 1) / 2;
      const x = base64url(parts.point.subarray(1, 1 + half));
      const y = base64url(parts.point.subarray(1 + half));
      return { kty: 'EC', crv: curves[parts.curve].jwk, x, y };
    }
    case 'ed25519':
      return { kty: 'OKP', crv: 'Ed25519', x: base64url(parts.point) };
  }
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}
