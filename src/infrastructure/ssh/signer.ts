import crypto, { type KeyObject } from 'node:crypto';
import { sshInteger, sshString, WireReader } from './wire.ts';

/** Something that can prove possession of a key. */
export interface Signer {
  /** The public half in wire form, passed on byte for byte. */
  readonly blob: Uint8Array;
  /**
   * A whole signature blob, its algorithm name included, exactly as it goes onto the wire. Rejects with `SignerRefusal`, or with the
   * signal's reason. Source: ssh.md 5.5.
   */
  sign(data: Uint8Array, algorithm: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** No signature came about: a wrong passphrase, a declined touch, an agent that is gone. */
export class SignerRefusal extends Error {
  override readonly name = 'SignerRefusal';
  /** True when a person closed the question. */
  readonly isCancelled: boolean;

  constructor(message: string, options: { readonly isCancelled?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.isCancelled = options.isCancelled ?? false;
  }
}

const hashOf: Readonly<Record<string, string>> = {
  'rsa-sha2-512': 'sha512',
  'rsa-sha2-256': 'sha256',
  'ecdsa-sha2-nistp256': 'sha256',
  'ecdsa-sha2-nistp384': 'sha384',
  'ecdsa-sha2-nistp521': 'sha512',
};

/** A signature blob by a private key of this process. Source: RFC 8332 section 3, RFC 5656 section 3.1.2, RFC 8709 section 6. */
export async function signWith(key: KeyObject, data: Uint8Array, algorithm: string): Promise<Uint8Array> {
  const hash = hashOf[algorithm];
  if (hash === undefined && algorithm !== 'ssh-ed25519')
    throw new SignerRefusal(`there is no way to sign with ${algorithm}`);
  const raw = await new Promise<Buffer>((resolve, reject) => {
    crypto.sign(hash, data, { key, dsaEncoding: 'ieee-p1363' }, (error, signature) =>
      error === null ? resolve(signature) : reject(error),
    );
  });
  return Buffer.concat([
    sshString(algorithm),
    sshString(algorithm.startsWith('ecdsa-') ? twoIntegers(raw) : raw),
  ]);
}

function twoIntegers(raw: Buffer): Buffer {
  const half = raw.length / 2;
  return Buffer.concat([sshInteger(raw.subarray(0, half)), sshInteger(raw.subarray(half))]);
}

const curveNames: Readonly<Record<string, string>> = {
  'P-256': 'nistp256',
  'P-384': 'nistp384',
  'P-521': 'nistp521',
};

/** The public half of a private key in wire form; undefined for a kind that SSH does not have. */
export function publicBlobOf(key: KeyObject): Buffer | undefined {
  const jwk = crypto.createPublicKey(key).export({ format: 'jwk' });
  const part = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  if (jwk.kty === 'RSA')
    return Buffer.concat([sshString('ssh-rsa'), sshInteger(part(jwk.e)), sshInteger(part(jwk.n))]);
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519')
    return Buffer.concat([sshString('ssh-ed25519'), sshString(part(jwk.x))]);
  const curve = jwk.kty === 'EC' ? curveNames[jwk.crv ?? ''] : undefined;
  if (curve === undefined) return undefined;
  const point = Buffer.concat([Buffer.from([4]), part(jwk.x), part(jwk.y)]);
  return Buffer.concat([sshString(`ecdsa-sha2-${curve}`), sshString(curve), sshString(point)]);
}

/** Bits of the modulus of an RSA blob. */
export function rsaBits(blob: Uint8Array): number {
  const reader = new WireReader(blob);
  reader.string();
  reader.string();
  const modulus = reader.string();
  const start = modulus[0] === 0 ? 1 : 0;
  const first = modulus[start];
  return first === undefined ? 0 : (modulus.length - start - 1) * 8 + (32 - Math.clz32(first));
}
