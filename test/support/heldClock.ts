import { systemClock, type ClockPort, type Disposable } from '../../src/agentkit/index.ts';

/** The system's time, but a wait of `heldMs` ends only when `release` says so. */
export class HeldClock implements ClockPort {
  readonly #heldMs: number;
  readonly #held = new Set<() => void>();

  constructor(heldMs: number) {
    this.#heldMs = heldMs;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(delayMs: number, callback: () => void): Disposable {
    if (delayMs !== this.#heldMs) return systemClock.after(delayMs, callback);
    const due = (): void => callback();
    this.#held.add(due);
    return { dispose: () => void this.#held.delete(due) };
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return systemClock.sleep(delayMs, signal);
  }

  /** Ends the waits that are open now, oldest first. */
  release(): void {
    for (const due of [...this.#held]) if (this.#held.delete(due)) due();
  }
}
