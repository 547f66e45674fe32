import type { ClockPort, Disposable } from '../../agentkit/index.ts';

/** How often the time is looked at, and how late a look may be before the machine is taken to have slept. */
const lookMs = 10_000;
const lateMs = 10_000;

/** Notices that the machine slept: the wall clock has gone on while nothing ran. Looks only while it is needed. Source: ssh.md 1.6. */
export class WakeWatch implements Disposable {
  readonly #clock: ClockPort;
  readonly #onWake: () => void;
  #timer: Disposable | undefined;

  constructor(clock: ClockPort, onWake: () => void) {
    this.#clock = clock;
    this.#onWake = onWake;
  }

  /** Somebody has, or no longer has, something that a sleep could have broken. */
  need(isNeeded: boolean): void {
    if (!isNeeded) this.dispose();
    else if (this.#timer === undefined) this.#look();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #look(): void {
    const dueAt = this.#clock.now() + lookMs;
    this.#timer = this.#clock.after(lookMs, () => {
      this.#look();
      if (this.#clock.now() - dueAt > lateMs) this.#onWake();
    });
  }
}
