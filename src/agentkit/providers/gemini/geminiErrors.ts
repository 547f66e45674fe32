import { z } from 'zod';
import { parseJsonObject } from '../../json.ts';
import type { WireError } from '../wireErrors.ts';

const errorBody = z.object({
  error: z.object({
    code: z.number().nullish(),
    message: z.string().nullish(),
    status: z.string().nullish(),
    details: z
      .array(z.object({ reason: z.string().nullish(), retryDelay: z.string().nullish() }))
      .nullish()
      .catch(undefined),
  }),
});

/**
 * Reads an error of the Gemini protocol, which is one of Google's: a status by name, and among the details the reason and how long to wait.
 * The SDK keeps an error of a stream as text with the body in it. Source: google.rpc.Status, ErrorInfo and RetryInfo.
 */
export function readGeminiError(value: unknown, status: number | undefined): WireError {
  const body = typeof value === 'string' ? parseJsonObject(value.slice(value.indexOf('{'))) : value;
  const error = errorBody.safeParse(body).data?.error;
  const details = error?.details ?? [];
  const message = error?.message ?? (typeof value === 'string' ? value : undefined);
  const mayBe = status === undefined || status === 400;
  return {
    message,
    names: [error?.status, ...details.map(({ reason }) => reason)].map((name) => (name ?? '').toLowerCase()),
    status: error?.code ?? undefined,
    isContextLength: mayBe && /input token count .*exceeds/is.test(message ?? ''),
    retryAfterMs: details.map(({ retryDelay }) => durationMs(retryDelay)).find((wait) => wait !== undefined),
  };
}

/** A duration of protobuf's JSON: `34s`, `1.5s`. */
function durationMs(text: string | null | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
