import { keyTypeOf } from '../trust/hostKey.ts';

/** A public key or certificate as it stands in a `.pub` file: `ssh-ed25519 AAAA… comment`. */
export interface PublicLine {
  readonly keyType: string;
  readonly blob: Uint8Array;
  readonly comment: string;
}

/** The first line that is not empty and no comment; undefined unless it is type, base64 of a blob of that type, and perhaps a comment. */
export function parsePublicLine(text: string): PublicLine | undefined {
  const line = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((one) => one.trim())
    .find((one) => one !== '' && !one.startsWith('#'));
  const [, keyType = '', base64 = '', comment = ''] =
    /^([a-z0-9@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?$/.exec(line ?? '') ?? [];
  const blob = Buffer.from(base64, 'base64');
  return keyType !== '' && keyTypeOf(blob) === keyType ? { keyType, blob, comment } : undefined;
}
