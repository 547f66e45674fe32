import { abortReason, type ClockPort } from './clock.ts';
import type { Disposable } from './lifetime.ts';
import { ProviderError, type ModelEvent } from './model.ts';

/** How long one attempt may stay silent. Source: agent runtime contract, section 21. */
export interface StreamClocks {
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** Off when absent. */
  readonly totalMs?: number;
}
export const defaultStreamClocks: StreamClocks = { firstByteMs: 120_000, idleMs: 120_000 };

/** An answer is complete at `finished`; the usage behind it is waited for this long. */
const lateUsageMs = 2_000;

/**
 * Reads one attempt under its clocks. A clock that fires aborts the attempt and throws a retryable `ProviderError` `timeout`; an abort
 * of `signal` throws its reason at once, whether the provider reacts or not. Behind `finished` nothing throws any more: silence, an
 * error or the end of the stream just end it.
 */
export async function* underClocks(
  open: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  limits: { readonly clock: ClockPort; readonly clocks: StreamClocks },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { clock, clocks } = limits;
  const attempt = new AbortController();
  const alarms = new Alarms(clock, signal);
  const iterator = open(AbortSignal.any([signal, attempt.signal]))[Symbol.asyncIterator]();
  let isFinished = false;
  try {
    if (clocks.totalMs !== undefined) alarms.setTotal(clocks.totalMs);
    for (let waitMs = clocks.firstByteMs; ; waitMs = isFinished ? lateUsageMs : clocks.idleMs) {
      const next = await alarms.race(iterator.next(), waitMs);
      if (next.done === true) return;
      yield next.value;
      if (next.value.kind === 'finished') isFinished = true;
    }
  } catch (error) {
    if (!isFinished || signal.aborted) throw error;
  } finally {
    alarms.dispose();
    attempt.abort(new Error('the attempt is over'));
    iterator.return?.().then(
      () => {},
      () => {},
    );
  }
}

/** Turns "too late" and "stopped" into one rejection that the read of the stream races against. */
class Alarms implements Disposable {
  readonly #clock: ClockPort;
  readonly #signal: AbortSignal;
  readonly #ring: Promise<never>;
  readonly #total: Disposable[] = [];
  #reject: (error: Error) => void = () => {};
  readonly #stopped = (): void => this.#reject(abortReason(this.#signal));

  constructor(clock: ClockPort, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#ring = new Promise<never>((_resolve, reject) => (this.#reject = reject));
    this.#ring.catch(() => {});
    if (signal.aborted) this.#stopped();
    else signal.addEventListener('abort', this.#stopped, { once: true });
  }

  setTotal(afterMs: number): void {
    this.#total.push(this.#clock.after(afterMs, () => this.#reject(tooSlow(afterMs))));
  }

  async race<T>(work: Promise<T>, withinMs: number): Promise<T> {
    const timer = this.#clock.after(withinMs, () => this.#reject(tooSlow(withinMs)));
    try {
      return await Promise.race([work, this.#ring]);
    } finally {
      timer.dispose();
    }
  }

  dispose(): void {
    this.#signal.removeEventListener('abort', this.#stopped);
    for (const timer of this.#total) timer.dispose();
  }
}

function tooSlow(waitedMs: number): ProviderError {
  return new ProviderError({ code: 'timeout', retryable: true, waitedMs });
}
