import { maxInboundLength } from './protocol.ts';

const headLength = 4;

/**
 * Cuts a stream of bytes into packets, wherever its chunks end. A packet that is whole in one chunk is a view of it; one that is not is
 * put together once. A length that no packet has is told instead, with the bytes from there on, and nothing is read behind it.
 * Source: draft-ietf-secsh-filexfer-02 section 3.
 */
export class PacketSplitter {
  readonly #onPacket: (packet: Buffer) => void;
  readonly #onBadLength: (length: number, bytes: Buffer) => void;
  readonly #head = Buffer.alloc(headLength);
  #headFilled = 0;
  #body: Buffer | undefined;
  #bodyFilled = 0;
  #isOver = false;

  constructor(onPacket: (packet: Buffer) => void, onBadLength: (length: number, bytes: Buffer) => void) {
    this.#onPacket = onPacket;
    this.#onBadLength = onBadLength;
  }

  /** Whether a packet has begun and is not whole. */
  get isInside(): boolean {
    return this.#headFilled > 0 || this.#body !== undefined;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && !this.#isOver) {
      if (this.#body !== undefined) {
        at += this.#fillBody(this.#body, chunk, at);
        continue;
      }
      const taken = chunk.copy(this.#head, this.#headFilled, at, at + headLength - this.#headFilled);
      this.#headFilled += taken;
      at += taken;
      if (this.#headFilled < headLength) return;
      at += this.#begin(chunk, at);
    }
  }

  /** Nothing is told any more. */
  stop(): void {
    this.#isOver = true;
    this.#body = undefined;
  }

  /** Returns how many bytes were used. */
  #begin(chunk: Buffer, at: number): number {
    const length = this.#head.readUInt32BE(0);
    if (length === 0 || length > maxInboundLength) {
      this.#isOver = true;
      this.#onBadLength(length, Buffer.concat([this.#head, chunk.subarray(at)]));
      return 0;
    }
    this.#headFilled = 0;
    if (length <= chunk.length - at) {
      this.#onPacket(chunk.subarray(at, at + length));
      return length;
    }
    this.#body = Buffer.allocUnsafeSlow(length);
    this.#bodyFilled = 0;
    return 0;
  }

  #fillBody(body: Buffer, chunk: Buffer, at: number): number {
    const taken = chunk.copy(body, this.#bodyFilled, at);
    this.#bodyFilled += taken;
    if (this.#bodyFilled < body.length) return taken;
    this.#body = undefined;
    this.#onPacket(body);
    return taken;
  }
}
