import { createHash } from 'node:crypto';

/** A host key as the server presents it. */
export interface PresentedKey {
  /** The name inside the blob; every RSA key is `ssh-rsa`, whichever signature was agreed on. */
  readonly keyType: string;
  readonly blob: Uint8Array;
}

/** The key type that a wire blob begins with; undefined when it is no key at all. Source: RFC 4253 section 6.6. */
export function keyTypeOf(blob: Uint8Array): string | undefined {
  if (blob.length < 5) return undefined;
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  const length = bytes.readUInt32BE(0);
  if (length === 0 || length > 64 || bytes.length < 4 + length) return undefined;
  const name = bytes.toString('latin1', 4, 4 + length);
  return /^[\x21-\x7e]+$/.test(name) ? name : undefined;
}

/** `SHA256:` and the digest in base64 without padding, as OpenSSH prints it. */
export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

export function isSameBlob(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
