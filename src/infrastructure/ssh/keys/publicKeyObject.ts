import crypto, { type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  curves,
  parsePublicKey,
  publicKeyBlob,
  type Curve,
  type PublicKey,
  type PublicKeyParts,
} from '../../../domain/keys/publicKey.ts';
import { withoutLeadingZeros } from '../../../domain/keys/wire.ts';

/** The key as the run time's crypto takes it; undefined when it refuses the numbers, such as a point that is not on its curve. */
export function publicKeyObject(parts: PublicKeyParts): KeyObject | undefined {
  try {
    return crypto.createPublicKey({ key: publicJwk(parts), format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** The public half of a private or public key of the run time; undefined for a kind that SSH does not have. */
export function publicKeyOf(key: KeyObject): PublicKey | undefined {
  try {
    const open = key.type === 'private' ? crypto.createPublicKey(key) : key;
    const named = partsOf(open.export({ format: 'jwk' }));
    return named === undefined ? undefined : parsePublicKey(publicKeyBlob(named.keyType, named.parts));
  } catch {
    return undefined;
  }
}

function partsOf(jwk: JsonWebKey): { readonly keyType: string; readonly parts: PublicKeyParts } | undefined {
  const number = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  if (jwk.kty === 'RSA') {
    const exponent = withoutLeadingZeros(number(jwk.e));
    return {
      keyType: 'ssh-rsa',
      parts: { kind: 'rsa', exponent, modulus: withoutLeadingZeros(number(jwk.n)) },
    };
  }
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519')
    return {
      keyType: 'ssh-ed25519',
      parts: { kind: 'ed25519', point: number(jwk.x), application: undefined },
    };
  const curve = curveNames.find((name) => jwk.kty === 'EC' && curves[name].jwk === jwk.crv);
  if (curve === undefined) return undefined;
  const point = Buffer.concat([Buffer.from([4]), number(jwk.x), number(jwk.y)]);
  return { keyType: `ecdsa-sha2-${curve}`, parts: { kind: 'ecdsa', curve, point, application: undefined } };
}

const curveNames = Object.keys(curves) as Curve[];

/** Source: RFC 7518 section 6, RFC 8037 section 2. */
function publicJwk(parts: PublicKeyParts): JsonWebKey {
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

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}
