import { isAborted, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import { faultOf, type Fault } from '../../domain/fault.ts';

/** For what, and until when; undefined: until the person asks. */
export interface Waiting {
  readonly attempt: number;
  readonly at: number | undefined;
  readonly fault: Fault;
}

export interface ReconnectLoopOptions {
  readonly clock: ClockPort;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** How long the server must be left alone; 0 = not at all. */
  readonly waitMs: () => number;
  /** One attempt without questions; rejects with its fault. */
  readonly attempt: (signal: AbortSignal) => Promise<void>;
  readonly onWaiting: (waiting: Waiting) => void;
  /** It gives up. */
  readonly onStopped: (fault: Fault) => void;
}

/** Source: ssh.md 1.7. */
const delaysMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] as const;
const longestMs = 60_000;
const jitter = 0.2;
const patienceMs = 30 * 60_000;

/**
 * Tries to reach a host again after a network fault, ever more rarely and for half an hour. Whatever time alone cannot heal ends it;
 * what needs an answer waits for the person. Success is seen by whoever disposes it. Source: ssh.md 1.7.
 */
export class ReconnectLoop implements Disposable {
  readonly #options: ReconnectLoopOptions;
  readonly #over = new AbortController();
  #timer: Disposable | undefined;
  #attempts = 0;
  #patientSince: number;
  #isTrying = false;
  #fault: Fault;
  #waiting: Waiting | undefined;

  /** Begins with the fault by which the connection was lost. */
  constructor(fault: Fault, options: ReconnectLoopOptions) {
    this.#options = options;
    this.#fault = fault;
    this.#patientSince = options.clock.monotonic();
    this.failed(fault);
  }

  get fault(): Fault {
    return this.#fault;
  }

  /** True while an attempt of its own is under way; its outcome is its own business then. */
  get isTrying(): boolean {
    return this.#isTrying;
  }

  /** An attempt has failed, its own or that of somebody else. */
  failed(fault: Fault): void {
    if (isAborted(this.#over.signal)) return;
    const { clock, onStopped, random, waitMs } = this.#options;
    this.#fault = fault;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (fault.code === 'answer-needed') return this.#wait(undefined);
    if (fault.retry !== 'backoff' || clock.monotonic() - this.#patientSince >= patienceMs)
      return onStopped(fault);
    const delay = (delaysMs[this.#attempts] ?? longestMs) * (1 + jitter * (2 * random() - 1));
    this.#schedule(Math.max(delay, waitMs()));
  }

  /** The next attempt at once, or as soon as the server may be asked again: something has changed. */
  now(): void {
    if (this.#isTrying || isAborted(this.#over.signal) || this.#fault.code === 'answer-needed') return;
    this.#patientSince = this.#options.clock.monotonic();
    this.#timer?.dispose();
    this.#try();
  }

  /** Says again what it waits for; nothing while it tries. */
  announce(): void {
    if (this.#waiting !== undefined && !this.#isTrying) this.#options.onWaiting(this.#waiting);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#over.abort(new Error('the host is no longer wanted, or is connected'));
  }

  #schedule(delayMs: number): void {
    const { clock } = this.#options;
    this.#timer = clock.after(delayMs, () => this.#try());
    this.#wait(clock.now() + delayMs);
  }

  #wait(at: number | undefined): void {
    this.#waiting = { attempt: this.#attempts + 1, at, fault: this.#fault };
    this.announce();
  }

  #try(): void {
    const { attempt, waitMs } = this.#options;
    const { signal } = this.#over;
    // Others may have tried the same server meanwhile.
    const wait = waitMs();
    if (wait > 0) return this.#schedule(wait);
    this.#attempts += 1;
    this.#isTrying = true;
    attempt(signal)
      .catch((error: unknown) => {
        this.#isTrying = false;
        if (signal.aborted) return;
        this.failed(faultOf(error));
      })
      .finally(() => (this.#isTrying = false));
  }
}
