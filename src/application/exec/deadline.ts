import type { ClockPort, Disposable } from '../../agentkit/index.ts';

/** A signal that also aborts after a time. Whoever makes one disposes it. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True when the time, and not the caller, aborted. */
  readonly isOver: boolean;
}

/** Aborts with the caller's reason, or after `delayMs` with an error that says `what` took too long. */
export function deadline(
  clock: ClockPort,
  limit: { readonly delayMs: number; readonly what: string },
  caller: AbortSignal,
): Deadline {
  const timer = new AbortController();
  const wait = clock.after(limit.delayMs, () =>
    timer.abort(new Error(`${limit.what} took longer than ${limit.delayMs} ms`)),
  );
  return {
    signal: AbortSignal.any([caller, timer.signal]),
    get isOver() {
      return timer.signal.aborted && !caller.aborted;
    },
    dispose: () => wait.dispose(),
  };
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. What `promise` waits for goes on. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Resolves when `promise` settles or `delayMs` is over, whichever comes first; true for the former. Leaves no timer behind. */
export function settledWithin(
  promise: Promise<unknown>,
  delayMs: number,
  clock: ClockPort,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(delayMs, () => resolve(false));
    const settled = (): void => {
      timer.dispose();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
