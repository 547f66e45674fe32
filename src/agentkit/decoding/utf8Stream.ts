import { isAscii } from 'node:buffer';

/**
 * Decodes UTF-8 that arrives in pieces. A sequence that may still become a character waits for its rest; what cannot becomes U+FFFD,
 * one for each maximal part, so that the text is the same however the bytes are cut. A byte order mark stays.
 * Source: agent runtime contract, section 8.3; Encoding Standard, "UTF-8 decode without BOM".
 */
export class Utf8Stream {
  #pending: Buffer = Buffer.alloc(0);

  decode(bytes: Uint8Array): string {
    const buffer = this.#pending.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#pending, bytes]);
    if (isAscii(buffer)) {
      this.#pending = empty;
      return buffer.toString('latin1');
    }
    const complete = buffer.length - unfinishedBytes(buffer);
    this.#pending = complete === buffer.length ? empty : Buffer.from(buffer.subarray(complete));
    return buffer.toString('utf8', 0, complete);
  }

  /** U+FFFD for a sequence that did not get its rest. */
  end(): string {
    const rest = this.#pending.toString('utf8');
    this.#pending = empty;
    return rest;
  }
}

const empty = Buffer.alloc(0);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes at the end that begin a character and may continue it. Source: Unicode 15, table 3-7. */
function unfinishedBytes(buffer: Buffer): number {
  for (let back = 1; back <= Math.min(3, buffer.length); back++) {
    const lead = buffer[buffer.length - back] ?? 0;
    if (lead < 0x80) return 0;
    if (lead < 0xc0) continue;
    const second = buffer[buffer.length - back + 1];
    return back < sequenceLength(lead) && (back === 1 || isSecond(lead, second ?? 0)) ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

function isSecond(lead: number, byte: number): boolean {
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return byte >= lowest && byte <= highest;
}
