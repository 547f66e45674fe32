import { parsePublicLine } from '../keys/publicLine.ts';
import { fingerprintOf } from './hostKey.ts';

/**
 * Compares what a person got from elsewhere with a fingerprint `SHA256:…`. The text may be a fingerprint with or without its prefix,
 * lines of `ssh-keygen -l`, or public keys; with several, one that is equal suffices. `unreadable` when it names no SHA-256 fingerprint
 * at all. Source: ssh.md 3.1.
 */
export function compareWithExpected(text: string, fingerprint: string): 'same' | 'other' | 'unreadable' {
  const named = text.split(/[\r\n]+/).flatMap(fingerprintsIn);
  if (named.length === 0) return 'unreadable';
  return named.includes(fingerprint) ? 'same' : 'other';
}

function fingerprintsIn(line: string): readonly string[] {
  const words = line.trim().split(/\s+/);
  const written = words.flatMap((word) => {
    const [, digest] = /^(?:SHA256:)?([A-Za-z0-9+/]{43})=?$/i.exec(word) ?? [];
    return digest === undefined ? [] : [`SHA256:${digest}`];
  });
  if (written.length > 0) return written;
  // Names and markers of a known_hosts line may stand before the key.
  for (const at of words.keys()) {
    const key = parsePublicLine(words.slice(at, at + 2).join(' '));
    if (key !== undefined) return [fingerprintOf(key.blob)];
  }
  return [];
}
