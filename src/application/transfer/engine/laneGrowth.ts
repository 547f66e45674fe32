/** Source: ssh.md 8.7, 2. */
const steps = [1, 2, 4, 8] as const;
const leastBytes = 8 * 1024 * 1024;
const leastInFlight = 0.7 * 1024 * 1024;
const leastGain = 1.15;
/** A step is judged after so many round trips, because requests start slowly, and not before this many milliseconds. */
const judgedAfter = { roundTrips: 8, ms: 250 } as const;

export interface LaneGrowthOptions {
  readonly totalBytes: number;
  readonly roundTripMs: number;
}

/**
 * How many channels a file is striped over: one at first, then 2, 4 and 8 for as long as each step moves 15 % more, back to the step before
 * when one did not. A short line or a small file keeps one. Times are monotonic milliseconds. Source: ssh.md 8.7, 2.
 */
export class LaneGrowth {
  readonly #options: LaneGrowthOptions;
  #step = 0;
  #ratesBefore: number[] = [];
  #since: { readonly at: number; readonly bytes: number } | undefined;
  #isSettled: boolean;

  constructor(options: LaneGrowthOptions) {
    this.#options = options;
    this.#isSettled = options.totalBytes <= leastBytes;
  }

  /** How many are wanted now. `doneBytes`: what has gone through since the beginning. */
  wanted(now: number, doneBytes: number): number {
    if (!this.#isSettled) this.#judge(now, doneBytes);
    return this.#lanes;
  }

  /** No more than these were to be had. */
  refused(lanes: number): void {
    this.#isSettled = true;
    this.#step = Math.max(
      0,
      steps.findLastIndex((step) => step <= Math.max(1, lanes)),
    );
  }

  get #lanes(): number {
    return steps[this.#step] ?? 1;
  }

  #judge(now: number, doneBytes: number): void {
    this.#since ??= { at: now, bytes: doneBytes };
    const elapsed = now - this.#since.at;
    const { roundTripMs } = this.#options;
    if (elapsed < Math.max(judgedAfter.ms, judgedAfter.roundTrips * roundTripMs)) return;
    const perMs = (doneBytes - this.#since.bytes) / elapsed;
    this.#since = undefined;
    const before = this.#ratesBefore.at(-1);
    if (before !== undefined && perMs < before * leastGain) {
      this.#step -= 1;
      this.#isSettled = true;
    } else if (perMs * roundTripMs <= leastInFlight || this.#step === steps.length - 1) {
      this.#isSettled = true;
    } else {
      this.#ratesBefore.push(perMs);
      this.#step += 1;
    }
  }
}
