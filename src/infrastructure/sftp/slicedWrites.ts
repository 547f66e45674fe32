import type { Writable } from 'node:stream';

/** Encrypting this much takes about three milliseconds. */
const sliceBytes = 512 * 1024;

/**
 * Hands bytes to a stream in order, and not more of them in one turn of the event loop than are encrypted in a few milliseconds: a stream
 * that takes everything would keep the loop for as long as that takes. What has not been handed over when it is stopped is dropped.
 * Source: ssh.md 0.9.
 */
export class SlicedWrites {
  readonly #stream: Writable;
  #waiting: Buffer[] = [];
  #inThisTurn = 0;
  #nextTurn: NodeJS.Immediate | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  write(bytes: Buffer): void {
    if (this.#waiting.length > 0 || this.#inThisTurn >= sliceBytes) this.#waiting.push(bytes);
    else this.#hand(bytes);
  }

  stop(): void {
    clearImmediate(this.#nextTurn);
    this.#waiting = [];
  }

  #hand(bytes: Buffer): void {
    this.#inThisTurn += bytes.length;
    this.#nextTurn ??= setImmediate(() => this.#turn());
    this.#stream.write(bytes);
  }

  #turn(): void {
    this.#nextTurn = undefined;
    this.#inThisTurn = 0;
    let handed = 0;
    while (handed < this.#waiting.length && this.#inThisTurn < sliceBytes) {
      const next = this.#waiting[handed];
      handed += 1;
      if (next !== undefined) this.#hand(next);
    }
    this.#waiting.splice(0, handed);
  }
}
