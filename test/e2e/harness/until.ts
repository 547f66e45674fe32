import { setTimeout as delay } from 'node:timers/promises';

/** Against hangs alone: a busy machine draws late, and nothing is measured here. */
export const deadlineMs = 60_000;

export interface Until<T> {
  /** What is waited for, for the message of a failure. */
  readonly what: string;
  readonly probe: () => Promise<T | undefined> | T | undefined;
  readonly deadlineMs?: number;
}

/**
 * Resolves to the first value of `probe` that is neither `undefined` nor `false`, asking ten times a second: what a
 * browser or another process shows tells nobody when it changes. Rejects at the deadline with what was seen last.
 */
export async function until<T>({ what, probe, deadlineMs: boundMs = deadlineMs }: Until<T>): Promise<T> {
  const giveUpAt = performance.now() + boundMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > giveUpAt) throw new Error(`not seen within ${boundMs / 1000} s: ${what}`);
    await delay(100);
  }
}
