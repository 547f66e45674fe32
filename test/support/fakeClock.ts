import { abortReason, type ClockPort } from '../../src/agentkit/index.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Time that moves only when a test says so. Timers fire in the order of their due time. */
export class FakeClock implements ClockPort {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startAt = 1_700_000_000_000) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** How many timers wait: a test may assert that none is left. */
  get pending(): number {
    return this.#timers.size;
  }

  after(delayMs: number, callback: () => void): { dispose(): void } {
    const timer: Timer = { at: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.add(timer);
    return { dispose: () => void this.#timers.delete(timer) };
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const stopped = (): void => {
        timer.dispose();
        reject(abortReason(signal));
      };
      const timer = this.after(delayMs, () => {
        signal.removeEventListener('abort', stopped);
        resolve();
      });
      signal.addEventListener('abort', stopped, { once: true });
    });
  }

  /** Moves time on, firing what becomes due in order and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#next(end);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
    await settle();
  }

  /** The machine sleeps: time goes on and nothing runs. What became due meanwhile runs when time moves on. */
  sleepThrough(ms: number): void {
    this.#now += ms;
  }

  #next(end: number): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > end) continue;
      if (found === undefined || timer.at < found.at || (timer.at === found.at && timer.order < found.order))
        found = timer;
    }
    return found;
  }
}

/** Lets everything that is ready run: microtasks and one round of the event loop. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
