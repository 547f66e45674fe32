import type { ClockPort } from '../../../agentkit/index.ts';
import { isTermindError } from '../../../domain/fault.ts';
import type { ByteRange } from '../../../domain/transfer/missingRanges.ts';
import { LaneGrowth } from './laneGrowth.ts';

/** One way for bytes from the source to the target, over channels that no other way has. */
export interface Lane {
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** As `Reader.recycle`. */
  recycle(bytes: Uint8Array): void;
  /** One of its channels is over. */
  readonly isEnded: boolean;
  /** Others wait for its channels: it gets nothing more to do, and no further lane is opened. Not asked of the first one. */
  readonly isSurplus: boolean;
  /** At once. */
  close(): void;
}

export interface PumpOptions {
  /** Stays open; the pump closes only the further ones. */
  readonly lane: Lane;
  /** Opens one more lane; undefined when there is none to be had. A rejection means the same. */
  readonly more: (signal: AbortSignal) => Promise<Lane | undefined>;
  /** Bytes of one request. */
  readonly chunk: number;
  /** Requests of one lane that are on their way: the most, and how many at the beginning. */
  readonly maxInFlight: number;
  readonly firstInFlight: number;
  /** What is to be moved, in order; the rest is there. */
  readonly ranges: readonly ByteRange[];
  /** Where the source should end. Undefined: everything from the last range on is moved up to the end. */
  readonly expectedEnd: number | undefined;
  /** Where the source ends by now; asked once, when there is more behind `expectedEnd`. */
  readonly endNow: (signal: AbortSignal) => Promise<number | undefined>;
  readonly roundTripMs: number;
  /** These bytes are in the target. In any order. */
  readonly onMoved: (offset: number, length: number) => void;
  readonly clock: ClockPort;
}

/** Source: ssh.md 8.7, 3. */
const leastChunk = 512;
/** How often one chunk may be refused by a server that is busy. */
const mostTries = 4;

interface Chunk {
  readonly offset: number;
  readonly length: number;
  readonly tries: number;
  /** Looks whether there is anything behind the expected end. */
  readonly isProbe?: true;
}

interface RunningLane {
  readonly lane: Lane;
  window: number;
  inFlight: number;
  /** Gets nothing more to do and is closed when it is done. */
  isLeaving: boolean;
}

/**
 * Moves the bytes of a file with many requests on their way over one or several lanes. A lane begins with one request and sends one more
 * for each answer; a short answer is completed and makes later requests shorter; a refusal halves the window and is tried again; a lane
 * that ends leaves its work to the others. Behind the expected end it looks once more until the end is confirmed, and what the source is
 * longer or shorter by then is followed. Resolves with where the source ended, when nothing is on its way any more. Rejects with the first
 * fault, likewise. Source: ssh.md 8.7, 1–3; SFTP-4, SFTP-5.
 */
export function pump(options: PumpOptions, signal: AbortSignal): Promise<number> {
  return new Pump(options, signal).run();
}

class Pump {
  readonly #options: PumpOptions;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #lanes: RunningLane[];
  readonly #growth: LaneGrowth;
  readonly #again: Chunk[] = [];
  readonly #ranges: ByteRange[];
  readonly #settled: Promise<number>;
  #succeed: (end: number) => void = () => {};
  #giveUp: (error: unknown) => void = () => {};
  #chunk: number;
  /** Where the source was seen to end. */
  #end = Infinity;
  #hasProbed = false;
  #hasGrown = false;
  #opening: Promise<void> | undefined;
  #moved = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: PumpOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#over.signal]);
    this.#settled = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#giveUp = reject;
    });
    this.#lanes = [running(options.lane, options.firstInFlight)];
    this.#chunk = options.chunk;
    const { expectedEnd } = options;
    this.#ranges = [...options.ranges];
    if (expectedEnd === undefined) {
      this.#hasProbed = true;
      this.#ranges.push({ from: this.#ranges.pop()?.from ?? 0, to: Infinity });
    }
    const totalBytes = this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    const { roundTripMs } = options;
    this.#growth = new LaneGrowth({ totalBytes: Number.isFinite(totalBytes) ? totalBytes : 0, roundTripMs });
  }

  async run(): Promise<number> {
    const onAbort = (): void => this.#fail(this.#signal.reason);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (this.#signal.aborted) onAbort();
      this.#go();
      return await this.#settled;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
      this.#over.abort(new Error('the file is over'));
      await this.#opening;
      for (const { lane } of this.#lanes) if (lane !== this.#options.lane) lane.close();
    }
  }

  #go(): void {
    if (this.#failure === undefined) {
      for (const running of this.#lanes)
        while (!running.isLeaving && running.inFlight < running.window) {
          const chunk = this.#next();
          if (chunk === undefined) break;
          void this.#move(running, chunk);
        }
    }
    if (this.#lanes.some(({ inFlight }) => inFlight > 0)) return;
    if (this.#failure !== undefined) this.#giveUp(this.#failure.error);
    else
      this.#succeed(this.#hasGrown ? this.#end : Math.min(this.#end, this.#options.expectedEnd ?? Infinity));
  }

  #next(): Chunk | undefined {
    const again = this.#again.shift();
    if (again !== undefined) return again;
    for (;;) {
      const range = this.#ranges[0];
      if (range === undefined) break;
      const length = Math.min(this.#chunk, range.to - range.from);
      if (length <= 0 || range.from >= this.#end) {
        this.#ranges.shift();
        continue;
      }
      this.#ranges[0] = { from: range.from + length, to: range.to };
      return { offset: range.from, length, tries: 1 };
    }
    return this.#probe();
  }

  #probe(): Chunk | undefined {
    const { expectedEnd } = this.#options;
    if (this.#hasProbed || expectedEnd === undefined || this.#end <= expectedEnd) return undefined;
    this.#hasProbed = true;
    return { offset: expectedEnd, length: this.#chunk, tries: 1, isProbe: true };
  }

  async #move(running: RunningLane, chunk: Chunk): Promise<void> {
    running.inFlight += 1;
    let done = 0;
    try {
      while (done < chunk.length) {
        const bytes = await running.lane.read(chunk.offset + done, chunk.length - done, this.#signal);
        if (bytes.length === 0) {
          this.#end = Math.min(this.#end, chunk.offset + done);
          break;
        }
        if (chunk.isProbe === true) {
          await this.#grown(chunk.offset);
          break;
        }
        if (done > 0) this.#chunk = Math.max(leastChunk, Math.min(this.#chunk, done));
        const { length } = bytes;
        await running.lane.write(chunk.offset + done, bytes, this.#signal);
        running.lane.recycle(bytes);
        this.#options.onMoved(chunk.offset + done, length);
        done += length;
        this.#moved += length;
      }
      running.window = Math.min(this.#options.maxInFlight, running.window + 1);
    } catch (error) {
      this.#refused(running, { ...chunk, offset: chunk.offset + done, length: chunk.length - done }, error);
    }
    running.inFlight -= 1;
    this.#fitLanes();
    if (running.isLeaving && running.inFlight === 0) this.#leave(running);
    this.#go();
  }

  /** What has been written behind the end meanwhile comes along once. */
  async #grown(from: number): Promise<void> {
    if (this.#hasGrown) return;
    this.#hasGrown = true;
    const now = await this.#options.endNow(this.#signal);
    this.#ranges.push({ from, to: Math.max(from, now ?? from) });
    this.#end = Math.max(from, now ?? from);
  }

  #refused(running: RunningLane, chunk: Chunk, error: unknown): void {
    if (this.#failure !== undefined) return;
    if (running.lane.isEnded && this.#lanes.some(({ lane, isLeaving }) => !lane.isEnded && !isLeaving)) {
      running.isLeaving = true;
      this.#again.push(chunk);
    } else if (isFromLoad(error) && running.window > 1 && chunk.tries < mostTries) {
      running.window = Math.ceil(running.window / 2);
      this.#again.push({ ...chunk, tries: chunk.tries + 1 });
    } else this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#over.abort(new Error('the file has failed'));
  }

  #fitLanes(): void {
    const { clock } = this.#options;
    const surplus = this.#lanes.find(({ lane, isLeaving }) => !isLeaving && lane.isSurplus);
    if (surplus !== undefined && surplus.lane !== this.#options.lane) {
      surplus.isLeaving = true;
      this.#growth.refused(this.#lanes.filter(({ isLeaving }) => !isLeaving).length);
    }
    const used = this.#lanes.filter(({ isLeaving }) => !isLeaving);
    const wanted = this.#growth.wanted(clock.monotonic(), this.#moved);
    for (const slow of used.slice(wanted)) slow.isLeaving = true;
    if (used.length >= wanted || this.#opening !== undefined || this.#failure !== undefined) return;
    this.#opening = this.#openLane().finally(() => (this.#opening = undefined));
  }

  async #openLane(): Promise<void> {
    const lane = await this.#options.more(this.#signal).catch(() => undefined); // there is one that works
    if (lane === undefined)
      return this.#growth.refused(this.#lanes.filter(({ isLeaving }) => !isLeaving).length);
    this.#lanes.push(running(lane, 1));
    if (this.#lanes.some(({ inFlight }) => inFlight > 0)) this.#go();
  }

  #leave(running: RunningLane): void {
    if (running.lane === this.#options.lane) return;
    this.#lanes.splice(this.#lanes.indexOf(running), 1);
    running.lane.close();
  }
}

function running(lane: Lane, window: number): RunningLane {
  return { lane, window, inFlight: 0, isLeaving: false };
}

/**
 * A server under load says no to what it would otherwise take, without a reason; of a write that looks like a used-up quota, which stays
 * one when it is tried again. Source: ssh.md 8.4.
 */
function isFromLoad(error: unknown): boolean {
  return isTermindError(error) && ['file-failed', 'busy', 'quota'].includes(error.fault.code);
}
