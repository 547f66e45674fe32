import type { ClockPort, Disposable } from '../../agentkit/index.ts';

/**
 * The one timer of an attempt. It stands still while a question is open and then goes on with what was left.
 * Source: ssh.md 1.3; TRAP-3.
 */
export class StageTimer implements Disposable {
  readonly #clock: ClockPort;
  #running: { readonly timer: Disposable; readonly startedAt: number } | undefined;
  #left: { readonly ms: number; readonly onExpire: () => void } | undefined;
  #pauses = 0;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** Replaces what ran before. */
  start(ms: number, onExpire: () => void): void {
    this.stop();
    this.#left = { ms, onExpire };
    this.#run();
  }

  stop(): void {
    this.#running?.timer.dispose();
    this.#running = undefined;
    this.#left = undefined;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#running === undefined || this.#left === undefined) return;
    const passed = this.#clock.monotonic() - this.#running.startedAt;
    this.#running.timer.dispose();
    this.#running = undefined;
    this.#left = { ...this.#left, ms: Math.max(0, this.#left.ms - passed) };
  }

  resume(): void {
    this.#pauses = Math.max(0, this.#pauses - 1);
    this.#run();
  }

  dispose(): void {
    this.stop();
  }

  #run(): void {
    if (this.#pauses > 0 || this.#left === undefined || this.#running !== undefined) return;
    const { ms, onExpire } = this.#left;
    const timer = this.#clock.after(ms, () => {
      this.stop();
      onExpire();
    });
    this.#running = { timer, startedAt: this.#clock.monotonic() };
  }
}
