import type { z } from 'zod';
import { ProviderError, type ModelEvent } from '../model.ts';

/** An event of a stream as its schema has it; members that nobody reads are not looked at. Throws `ProviderError` `malformed`. */
export function parseEvent<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProviderError({ code: 'malformed', retryable: false, detail: 'an event of another shape' });
}

/** The end that a provider's filter makes of an answer. It may fall inside a call, and calls of such an answer must not run. */
export function filteredEnd(hasCalls: boolean): ModelEvent[] {
  if (hasCalls) return [{ kind: 'finished', reason: 'error' }];
  return [
    { kind: 'textDelta', text: '[The content filter of the provider ended this answer.]' },
    { kind: 'finished', reason: 'completed' },
  ];
}
