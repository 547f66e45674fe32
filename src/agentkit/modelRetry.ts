import type { ProviderError } from './model.ts';

/** Waits before the second to the sixth attempt. Source: agent runtime contract, section 21. */
const delaysMs = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/** A provider that asks for a longer pause than this ends the run instead. */
export const longestRetryAfterMs = 300_000;

export type RetryPlan =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'tooLong'; readonly retryAfterMs: number }
  | { readonly kind: 'giveUp' };

/**
 * What follows the failure of attempt number `attempt` (from 1). The wait is the table's, times 0.75 to 1.25 (`random` gives 0 to 1),
 * or the provider's `Retry-After` when that is longer.
 */
export function planRetry(error: ProviderError, attempt: number, random: () => number): RetryPlan {
  const base = delaysMs[attempt - 1];
  if (!error.retryable || base === undefined) return { kind: 'giveUp' };
  const retryAfterMs = error.retryAfterMs ?? 0;
  if (retryAfterMs > longestRetryAfterMs) return { kind: 'tooLong', retryAfterMs };
  return { kind: 'retry', delayMs: Math.max(Math.round(base * (0.75 + random() / 2)), retryAfterMs) };
}

/**
 * Reads the `Retry-After` header: seconds, or an HTTP date seen from `nowMs`. Undefined when absent or unreadable.
 * Source: RFC 9110 section 10.2.3.
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
