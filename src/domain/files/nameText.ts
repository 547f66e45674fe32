import { showUntrusted } from '../ssh/untrustedText.ts';
import { fileError } from './fileFault.ts';

/**
 * Bytes that are not UTF-8 stand as U+10FE00 + byte, and so do the bytes of genuine characters of that range. Source: ssh.md 8.2.
 */
const firstMapped = 0x10fe00;
const lastMapped = firstMapped + 0xff;

/** The bytes of a name or path as text that names exactly these bytes: for URIs, keys of maps and comparisons. */
export function textOfBytes(bytes: Uint8Array): string {
  return piecesOf(bytes)
    .map((piece) => (typeof piece === 'string' ? piece : String.fromCodePoint(firstMapped + piece)))
    .join('');
}

/** The bytes that a text names. Rejects with `bad-name` what `textOfBytes` never writes, so that there is one spelling of everything. */
export function bytesOfText(text: string): Buffer {
  const bytes = Buffer.concat(
    Array.from(text, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= firstMapped && code <= lastMapped
        ? Buffer.from([code - firstMapped])
        : Buffer.from(character, 'utf8');
    }),
  );
  if (textOfBytes(bytes) !== text) throw fileError('bad-name', { path: showUntrusted(text) });
  return bytes;
}

/** Pieces of valid UTF-8 and, as numbers, the bytes between them that are not. Characters of the mapped range count as bytes. */
export function piecesOf(bytes: Uint8Array): readonly (string | number)[] {
  const whole = plainText(bytes);
  if (whole !== undefined) return [whole];
  const pieces: (string | number)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    const character = length === 0 ? undefined : plainText(bytes.subarray(at, at + length));
    if (character === undefined) pieces.push(bytes[at] ?? 0);
    else pieces.push(character);
    at += character === undefined ? 1 : length;
  }
  return pieces;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const mapped = /[\u{10fe00}-\u{10feff}]/u;

/** Undefined when it is no UTF-8 or holds characters of the mapped range. */
function plainText(bytes: Uint8Array): string | undefined {
  try {
    const text = strict.decode(bytes);
    return mapped.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** How long the character that begins here would be by its first byte; 0 when none begins here. Source: RFC 3629 section 3. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
