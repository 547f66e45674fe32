import { bitLength, sshInteger, sshString, WireReader } from './wire.ts';

export const curves = {
  nistp256: { bits: 256, jwk: 'P-256' },
  nistp384: { bits: 384, jwk: 'P-384' },
  nistp521: { bits: 521, jwk: 'P-521' },
} as const;
export type Curve = keyof typeof curves;

/** Numbers are big-endian bytes without leading zeros. `application` is what the authenticator of a security key signs for. */
export type PublicKeyParts =
  | { readonly kind: 'rsa'; readonly exponent: Uint8Array; readonly modulus: Uint8Array }
  | {
      readonly kind: 'ecdsa';
      readonly curve: Curve;
      /** Uncompressed: 4, x, y. */
      readonly point: Uint8Array;
      readonly application: string | undefined;
    }
  | { readonly kind: 'ed25519'; readonly point: Uint8Array; readonly application: string | undefined };

/** A plain public key as it goes over the wire. */
export interface PublicKey {
  /** `ssh-ed25519`, `ssh-rsa`, `sk-ecdsa-sha2-nistp256@openssh.com` and so on. */
  readonly keyType: string;
  readonly blob: Uint8Array;
  /** 256 for ed25519. */
  readonly bits: number;
  readonly parts: PublicKeyParts;
}

/** Every plain key type that we read. Source: RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709, PROTOCOL.u2f. */
export const plainKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const;
export type PlainKeyType = (typeof plainKeyTypes)[number];

export function isPlainKeyType(name: string): name is PlainKeyType {
  return plainKeyTypes.some((known) => known === name);
}

/** More than any key: OpenSSH takes no larger RSA modulus. */
const maxRsaBits = 16_384;

/** Undefined for what is no plain public key of a kind in {@link plainKeyTypes}, or not well formed to the last byte. */
export function parsePublicKey(blob: Uint8Array): PublicKey | undefined {
  try {
    const reader = new WireReader(blob);
    const keyType = reader.text();
    if (!isPlainKeyType(keyType)) return undefined;
    const parts = readKeyParts(reader, keyType);
    return reader.isAtEnd ? { keyType, blob, bits: bitsOf(parts), parts } : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The fields behind the type name, which certificates have too. Throws a RangeError when they are not well formed. */
export function readKeyParts(reader: WireReader, keyType: PlainKeyType): PublicKeyParts {
  switch (keyType) {
    case 'ssh-rsa': {
      const exponent = reader.positiveInteger();
      const modulus = reader.positiveInteger();
      if (bitLength(modulus) > maxRsaBits || exponent.length > modulus.length)
        throw new RangeError('a number is too large');
      return { kind: 'rsa', exponent, modulus };
    }
    case 'ssh-ed25519':
      return { kind: 'ed25519', point: edwardsPoint(reader), application: undefined };
    case 'sk-ssh-ed25519@openssh.com':
      return { kind: 'ed25519', point: edwardsPoint(reader), application: reader.text() };
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return { kind: 'ecdsa', ...curvePoint(reader, 'nistp256'), application: reader.text() };
    case 'ecdsa-sha2-nistp256':
      return { kind: 'ecdsa', ...curvePoint(reader, 'nistp256'), application: undefined };
    case 'ecdsa-sha2-nistp384':
      return { kind: 'ecdsa', ...curvePoint(reader, 'nistp384'), application: undefined };
    case 'ecdsa-sha2-nistp521':
      return { kind: 'ecdsa', ...curvePoint(reader, 'nistp521'), application: undefined };
  }
}

/** The wire form of a key, which {@link parsePublicKey} reads back. */
export function publicKeyBlob(keyType: string, parts: PublicKeyParts): Buffer {
  return Buffer.concat([sshString(keyType), ...fieldsOf(parts)]);
}

function fieldsOf(parts: PublicKeyParts): readonly Buffer[] {
  if (parts.kind === 'rsa') return [sshInteger(parts.exponent), sshInteger(parts.modulus)];
  const application = parts.application === undefined ? [] : [sshString(parts.application)];
  return parts.kind === 'ecdsa'
    ? [sshString(parts.curve), sshString(parts.point), ...application]
    : [sshString(parts.point), ...application];
}

function edwardsPoint(reader: WireReader): Buffer {
  const point = reader.string();
  if (point.length !== 32) throw new RangeError('a point has the wrong length');
  return point;
}

function curvePoint(reader: WireReader, curve: Curve): { readonly curve: Curve; readonly point: Buffer } {
  if (reader.text() !== curve) throw new RangeError('a curve has another name than its key');
  const point = reader.string();
  const coordinateBytes = Math.ceil(curves[curve].bits / 8);
  if (point[0] !== 4 || point.length !== 1 + 2 * coordinateBytes)
    throw new RangeError('a point is not uncompressed or has the wrong length');
  return { curve, point };
}

function bitsOf(parts: PublicKeyParts): number {
  switch (parts.kind) {
    case 'rsa':
      return bitLength(parts.modulus);
    case 'ecdsa':
      return curves[parts.curve].bits;
    case 'ed25519':
      return 256;
  }
}
