import { createHash } from 'node:crypto';
import { parsePublicKey } from '../keys/publicKey.ts';
import type { PresentedKey } from './hostKey.ts';

const width = 17;
const height = 9;
/** A field by how often it was visited; then the start and the end. */
const marks = ' .o+=*BOX@%&#/^SE';

/**
 * The picture of a key that OpenSSH draws with `VisualHostKey`: eleven lines of 19 characters, for a font with a fixed width.
 * Source: OpenSSH `fingerprint_randomart`, the drunken bishop.
 */
export function randomArt(key: PresentedKey): string {
  const fields = new Uint8Array(width * height);
  const most = marks.length - 3;
  let x = Math.floor(width / 2);
  let y = Math.floor(height / 2);
  for (const byte of createHash('sha256').update(key.blob).digest())
    for (let shift = 0; shift < 8; shift += 2) {
      x = clamp(x + ((byte >> shift) & 1 ? 1 : -1), width - 1);
      y = clamp(y + ((byte >> shift) & 2 ? 1 : -1), height - 1);
      const at = y * width + x;
      fields[at] = Math.min((fields[at] ?? 0) + 1, most);
    }
  fields[Math.floor(height / 2) * width + Math.floor(width / 2)] = most + 1;
  fields[y * width + x] = most + 2;
  const rows = Array.from({ length: height }, (_, row) =>
    Array.from(fields.subarray(row * width, (row + 1) * width), (field) => marks[field] ?? '').join(''),
  );
  return [frame(titleOf(key)), ...rows.map((row) => `|${row}|`), frame('[SHA256]')].join('\n');
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

function frame(title: string): string {
  const shown = title.slice(0, width);
  const before = Math.floor((width - shown.length) / 2);
  return `+${'-'.repeat(before)}${shown}${'-'.repeat(width - before - shown.length)}+`;
}

function titleOf({ keyType, blob }: PresentedKey): string {
  const key = parsePublicKey(blob);
  const kind = kinds.find(([prefix]) => keyType.startsWith(prefix))?.[1];
  return kind === undefined || key === undefined ? `[${keyType}]` : `[${kind} ${String(key.bits)}]`;
}

const kinds = [
  ['ssh-ed25519', 'ED25519'],
  ['ecdsa-sha2-', 'ECDSA'],
  ['ssh-rsa', 'RSA'],
] as const;
