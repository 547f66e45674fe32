import type { ClockPort, Disposable } from '../../agentkit/index.ts';

/** The editor's terminals have no flow control, so we hold the channel back ourselves. Source: ssh.md 7.1. */
export interface ThrottleLimits {
  /** Above this much unwritten text the channel is paused; at half of it, it is resumed. UTF-16 code units. */
  readonly highWater: number;
  readonly batch: number;
  readonly batchEveryMs: number;
  /** After a key, batches are this small for a while, so that the prompt becomes visible. */
  readonly batchAfterInput: number;
  readonly afterInputMs: number;
}

export const defaultThrottleLimits: ThrottleLimits = {
  highWater: 256 * 1024,
  batch: 64 * 1024,
  batchEveryMs: 16,
  batchAfterInput: 16 * 1024,
  afterInputMs: 500,
};

export interface ThrottleSink {
  write(text: string): void;
  pause(): void;
  resume(): void;
}

/**
 * Passes text on in bounded batches and pauses its source when too much waits. Nothing is dropped and order is kept. Text that
 * arrives while nothing waits is written on the next tick of `batchEveryMs` at the latest.
 */
export class OutputThrottle implements Disposable {
  readonly #sink: ThrottleSink;
  readonly #clock: ClockPort;
  readonly #limits: ThrottleLimits;
  #chunks: string[] = [];
  #head = 0;
  #waiting = 0;
  #paused = false;
  #timer: Disposable | undefined;
  #inputUntil = Number.NEGATIVE_INFINITY;
  #dueAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(sink: ThrottleSink, clock: ClockPort, limits: ThrottleLimits = defaultThrottleLimits) {
    this.#sink = sink;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Code units that were pushed and not yet written. */
  get waiting(): number {
    return this.#waiting;
  }

  push(text: string): void {
    if (this.#closed || text.length === 0) return;
    this.#chunks.push(text);
    this.#waiting += text.length;
    if (!this.#paused && this.#waiting > this.#limits.highWater) {
      this.#paused = true;
      this.#sink.pause();
    }
    this.#schedule();
  }

  /** The person typed: the next batches are small. */
  inputHappened(): void {
    this.#inputUntil = this.#clock.monotonic() + this.#limits.afterInputMs;
  }

  /** Writes what waits, whole, now: used before our own last line. */
  drain(): void {
    while (this.#waiting > 0) this.#writeBatch();
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  dispose(): void {
    this.#closed = true;
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#chunks = [];
    this.#head = 0;
    this.#waiting = 0;
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const now = this.#clock.monotonic();
    this.#dueAt = Math.max(now, this.#dueAt);
    this.#timer = this.#clock.after(Math.max(0, this.#dueAt - now), () => {
      this.#timer = undefined;
      this.#writeBatch();
      this.#dueAt = this.#clock.monotonic() + this.#limits.batchEveryMs;
      if (this.#waiting > 0) this.#schedule();
    });
  }

  #writeBatch(): void {
    const text = this.#take(this.#batchSize());
    if (text.length > 0) this.#sink.write(text);
    if (this.#paused && this.#waiting <= this.#limits.highWater / 2) {
      this.#paused = false;
      this.#sink.resume();
    }
  }

  #batchSize(): number {
    return this.#clock.monotonic() < this.#inputUntil ? this.#limits.batchAfterInput : this.#limits.batch;
  }

  #take(size: number): string {
    const parts: string[] = [];
    let left = size;
    while (left > 0) {
      const chunk = this.#chunks[this.#head];
      if (chunk === undefined) break;
      const cut = chunk.length <= left ? chunk.length : cutBetweenCharacters(chunk, left);
      parts.push(chunk.slice(0, cut));
      left -= cut;
      if (cut === chunk.length) this.#head += 1;
      else {
        this.#chunks[this.#head] = chunk.slice(cut);
        left = 0;
      }
    }
    if (this.#head > 64 || this.#head === this.#chunks.length) {
      this.#chunks = this.#chunks.slice(this.#head);
      this.#head = 0;
    }
    const text = parts.join('');
    this.#waiting -= text.length;
    return text;
  }
}

/** The largest cut of at most `size` units that leaves no surrogate pair apart; at least one unit. */
function cutBetweenCharacters(text: string, size: number): number {
  const last = text.charCodeAt(size - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return isHighSurrogate && size > 1 ? size - 1 : size;
}
