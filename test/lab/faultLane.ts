import type { Socket } from 'node:net';

export type Direction = 'toTarget' | 'toClient';

/** What one direction of one connection asks of its proxy. */
export interface LaneRules {
  /** One-way delay for bytes that arrive now. */
  delayMs(): number;
  /** Reserves the line for `bytes` and returns when their last one has left it, on the clock of `performance.now`. */
  reserve(bytes: number, now: number): number;
  /** How many bytes of this connection may still be delivered before it is cut. */
  untilCut(delivered: number): number;
  isHeld(): boolean;
  cut(): void;
  received(bytes: number): void;
  delivered(bytes: number): void;
}

/** A delayed line holds what is in flight; 64 MiB is 100 ms of 5 Gbit/s. */
const maxQueuedBytes = { delayed: 64 << 20, direct: 256 << 10 };

/** Carries bytes and the end from `source` to `sink` in order, late, slowly or not at all, with back-pressure. */
export class FaultLane {
  readonly #source: Socket;
  readonly #sink: Socket;
  readonly #rules: LaneRules;
  /** `undefined` stands for the end of the stream. */
  readonly #queue: { readonly due: number; readonly data: Buffer | undefined }[] = [];
  #queuedBytes = 0;
  #delivered = 0;
  #lastDue = 0;
  #timer: NodeJS.Timeout | undefined;
  #isSinkFull = false;
  #isClosed = false;

  constructor(source: Socket, sink: Socket, rules: LaneRules) {
    this.#source = source;
    this.#sink = sink;
    this.#rules = rules;
    source.on('data', (data: Buffer) => this.#take(data));
    source.on('end', () => this.#take(undefined));
    sink.on('drain', () => {
      this.#isSinkFull = false;
      this.pump();
    });
  }

  /** Drops what is queued and discards all that still comes. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#queue.length = 0;
    this.#source.resume();
  }

  /** Delivers what is due. Called again whenever a rule has changed. */
  pump(): void {
    clearTimeout(this.#timer);
    while (this.#canDeliver()) {
      const next = this.#queue[0];
      if (next === undefined) break;
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.pump(), wait);
        break;
      }
      this.#queue.shift();
      if (next.data === undefined) this.#sink.end();
      else this.#deliver(next.data);
    }
    this.#applyBackPressure();
  }

  #canDeliver(): boolean {
    return !this.#isClosed && !this.#isSinkFull && !this.#rules.isHeld();
  }

  #take(data: Buffer | undefined): void {
    if (data !== undefined) this.#rules.received(data.length);
    if (this.#isClosed) return;
    const now = performance.now();
    const left = data === undefined ? now : this.#rules.reserve(data.length, now);
    this.#lastDue = Math.max(this.#lastDue, left + this.#rules.delayMs()); // a shorter delay overtakes nothing
    this.#queue.push({ due: this.#lastDue, data });
    this.#queuedBytes += data?.length ?? 0;
    this.pump();
  }

  #deliver(data: Buffer): void {
    this.#queuedBytes -= data.length;
    const left = this.#rules.untilCut(this.#delivered);
    const part = data.length < left ? data : data.subarray(0, left);
    this.#delivered += part.length;
    if (part.length > 0) {
      this.#isSinkFull = !this.#sink.write(part);
      this.#rules.delivered(part.length);
    }
    if (data.length >= left) this.#rules.cut();
  }

  #applyBackPressure(): void {
    const limit = this.#rules.delayMs() > 0 ? maxQueuedBytes.delayed : maxQueuedBytes.direct;
    const isOver = this.#queuedBytes >= limit && !this.#isClosed;
    if (isOver) this.#source.pause();
    else if (this.#source.isPaused()) this.#source.resume();
  }
}
