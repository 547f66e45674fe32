import { createHmac, randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepMs = 30_000;

/** A new secret of 80 bits in base 32, as authenticators take it. Source: RFC 4648 section 6. */
export function newCodeSecret(): string {
  return [...randomBytes(16)].map((byte) => alphabet.charAt(byte % 32)).join('');
}

/** The six digits for `secret` at `nowMs` (since the epoch). Source: RFC 6238 with its default values; RFC 4226 section 5.3. */
export function oneTimeCode(secret: string, nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / stepMs)));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000;
  return String(number).padStart(6, '0');
}

function decodeBase32(text: string): Buffer {
  const fiveBits = (letter: string): string => alphabet.indexOf(letter).toString(2).padStart(5, '0');
  const bits = text.replaceAll(/./g, fiveBits);
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
