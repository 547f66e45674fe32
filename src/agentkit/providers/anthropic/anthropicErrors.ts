import { z } from 'zod';
import type { WireError } from '../wireErrors.ts';

const errorBody = z.object({
  error: z.object({ type: z.string().nullish(), message: z.string().nullish() }),
});

/** Reads an error of the Messages protocol. It names a conversation that is too long in words only. */
export function readAnthropicError(value: unknown, status: number | undefined): WireError {
  const error = errorBody.safeParse(value).data?.error;
  const message = error?.message ?? undefined;
  const mayBe = status === undefined || status === 400;
  return {
    message,
    names: [(error?.type ?? '').toLowerCase()],
    isContextLength:
      status === 413 || (mayBe && /prompt is too long|exceed(s|ed)? (the )?context/i.test(message ?? '')),
  };
}
