import { WireReader } from '../keys/wire.ts';
import type { AlgorithmLists } from './trace.ts';

/** A side that names more than these says nothing useful. Source: RFC 4251 section 6 for the length of a name. */
const maxNames = 200;
const name = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;
const kexInit = 20;
/** Larger packets need not be understood by anybody. Source: RFC 4253 section 6.1. */
const maxPacket = 35_000;
/** What may come before the lists: lines, the identification and packets that are to be ignored. */
const maxBytes = 128 * 1024;

/**
 * Finds the algorithm lists of a peer in the first bytes that it sends. They come before anything is encrypted; what a hostile server sends
 * instead leads to no lists and to nothing else. Source: RFC 4253 sections 4.2, 6 and 7.1.
 */
export class KexInitReader {
  #bytes: Buffer | undefined = Buffer.alloc(0);
  #isIdentified = false;
  #lists: AlgorithmLists | undefined;

  /** Undefined until they have come. */
  get lists(): AlgorithmLists | undefined {
    return this.#lists;
  }

  /** The lists, once, when they are complete. */
  push(chunk: Uint8Array): AlgorithmLists | undefined {
    if (this.#bytes === undefined) return undefined;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const isOver = this.#read(this.#bytes) || this.#bytes.length > maxBytes;
    if (isOver) this.#bytes = undefined;
    return this.#lists;
  }

  /** True when there is nothing more to find. */
  #read(bytes: Buffer): boolean {
    if (!this.#isIdentified) {
      const line = /^SSH-[^\r\n]*\r?\n/m.exec(bytes.toString('latin1'));
      if (line === null) return false;
      this.#isIdentified = true;
      this.#bytes = bytes.subarray(line.index + line[0].length);
    }
    for (;;) {
      const rest: Buffer = this.#bytes ?? bytes;
      if (rest.length < 6) return false;
      const length = rest.readUInt32BE(0);
      if (length < 2 || length > maxPacket) return true;
      if (rest.length < 4 + length) return false;
      const payload = rest.subarray(5, 4 + length - (rest[4] ?? 0));
      if (payload[0] === kexInit) {
        this.#lists = readLists(payload.subarray(17));
        return true;
      }
      this.#bytes = rest.subarray(4 + length);
    }
  }
}

/** Of the lists for the two directions the ones from us to the peer are taken. */
function readLists(payload: Uint8Array): AlgorithmLists | undefined {
  const reader = new WireReader(payload);
  try {
    const [kex, hostKey, cipher, , mac, , compression] = Array.from({ length: 8 }, () =>
      reader
        .string()
        .toString('latin1')
        .split(',')
        .filter((one) => name.test(one))
        .slice(0, maxNames),
    );
    if (!kex || !hostKey || !cipher || !mac || !compression) return undefined;
    return { kex, hostKey, cipher, mac, compression };
  } catch {
    return undefined;
  }
}
