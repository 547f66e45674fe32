import { blockBytes } from './transferJournal.ts';

/** Keeps count of the bytes of a file that are at their target. Each byte is told once, in any order. */
export class MovedBytes {
  readonly #perBlock = new Map<number, number>();
  readonly #ahead = new Map<number, number>();
  #contiguous: number;

  /** `from`: what was there before. */
  constructor(from = 0) {
    this.#contiguous = from;
  }

  /** Everything before it is there, behind what was there at the beginning. */
  get contiguousEnd(): number {
    return this.#contiguous;
  }

  /** Returns the numbers of the blocks that are whole now and were not before. */
  add(offset: number, length: number): readonly number[] {
    this.#ahead.set(offset, length);
    for (;;) {
      const next = this.#ahead.get(this.#contiguous);
      if (next === undefined) break;
      this.#ahead.delete(this.#contiguous);
      this.#contiguous += next;
    }
    const whole: number[] = [];
    for (let at = offset; at < offset + length;) {
      const block = Math.floor(at / blockBytes);
      const until = Math.min(offset + length, (block + 1) * blockBytes);
      const count = (this.#perBlock.get(block) ?? 0) + until - at;
      if (count === blockBytes) {
        whole.push(block);
        this.#perBlock.delete(block);
      } else this.#perBlock.set(block, count);
      at = until;
    }
    return whole;
  }
}
