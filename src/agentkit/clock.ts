import type { Disposable } from './lifetime.ts';

/** Time as a port, so that tests never sleep. Times are milliseconds since 1970 UTC. */
export interface ClockPort {
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonic(): number;
  /** Calls once after `delayMs`; disposing cancels. */
  after(delayMs: number, callback: () => void): Disposable;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: ClockPort = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { dispose: () => clearTimeout(timer) };
  },
  sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal));
      const timer = setTimeout(done, delayMs);
      signal.addEventListener('abort', stopped, { once: true });
      function done(): void {
        signal.removeEventListener('abort', stopped);
        resolve();
      }
      function stopped(): void {
        clearTimeout(timer);
        reject(abortReason(signal));
      }
    });
  },
};

/** The signal's reason as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason });
}

/** Whether it was aborted by now. Asked through a function because the compiler takes an earlier answer to last. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Resolves or rejects as `work` does, or rejects with the signal's reason when that is aborted first. `work` goes on unobserved then. */
export async function untilAborted<T>(work: Promise<T> | T, signal: AbortSignal): Promise<T> {
  let stopped: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stopped = () => reject(abortReason(signal));
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stopped);
  }
}
