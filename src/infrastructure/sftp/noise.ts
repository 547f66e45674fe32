import { longText, showUntrusted } from '../../domain/ssh/untrustedText.ts';

const keptBytes = 64 * 1024;

/**
 * The text with which a stream begins that should begin with a packet, shown safely; undefined when it begins with no text. A program of
 * a start-up file has printed it. Every character of text makes a first length that no packet has. Source: ssh.md 8.4; SFTP-1.
 */
export function noiseIn(bytes: Uint8Array): string | undefined {
  const kept = bytes.subarray(0, keptBytes);
  const end = kept.findIndex((byte) => !isText(byte));
  const text = end < 0 ? kept : kept.subarray(0, end);
  if (text.length === 0) return undefined;
  return showUntrusted(Buffer.from(text).toString('utf8').trim(), longText);
}

/** Printable, white space, BEL, escape, or part of a character beyond ASCII. */
function isText(byte: number): boolean {
  return (byte >= 0x20 && byte !== 0x7f) || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
}
