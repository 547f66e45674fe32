import { z } from 'zod';
import type { WireError } from '../wireErrors.ts';

/** The error object of the OpenAI protocols, as far as any compatible server keeps to it. */
const errorObject = z.object({
  message: z.string().nullish(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});
type ErrorObject = z.infer<typeof errorObject>;

const errorBody = z.object({ error: errorObject });

/** Reads an error of Chat Completions or Responses. */
export function readOpenAiError(value: unknown, status: number | undefined): WireError {
  const error = errorBody.safeParse(value).data?.error ?? errorObject.safeParse(value).data ?? {};
  return {
    message: error.message ?? undefined,
    names: [error.type, error.code].map((name) => String(name ?? '').toLowerCase()),
    status: numericCode(error),
    isContextLength: isContextLength(error, status),
  };
}

/**
 * OpenAI names it by code. Servers that borrow the protocol only say it in words: vLLM and OpenRouter ("maximum context length"),
 * llama.cpp ("exceeds the available context size").
 */
function isContextLength(error: ErrorObject, status: number | undefined): boolean {
  if (error.code === 'context_length_exceeded' || error.type === 'exceed_context_size_error') return true;
  const mayBe = status === undefined || status === 400 || status === 413;
  return mayBe && /maximum context length|available context size/i.test(error.message ?? '');
}

function numericCode(error: ErrorObject): number | undefined {
  const code = Number(error.code ?? Number.NaN);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined;
}
