import type { OpenAI } from 'openai';
import type { ProviderOptions } from '../providerOptions.ts';
import { noTimeoutMs, type AttemptParts } from '../streamAttempt.ts';
import { readOpenAiError } from './openaiErrors.ts';

/** What Chat Completions and Responses share of an attempt. */
export const openAiParts = {
  readError: readOpenAiError,
  authorization: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
} satisfies Partial<AttemptParts<unknown>>;

/** The SDK, loaded with the first request, without retries, clock, log and environment. The key is not given to it. */
export async function openAiClient(
  { baseUrl }: ProviderOptions,
  fetch: typeof globalThis.fetch,
): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    baseURL: baseUrl,
    apiKey: 'none',
    // Named, because the SDK would look for these in the environment.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off',
    // The extension host has browser-like globals; the key is the user's own.
    dangerouslyAllowBrowser: true,
    fetch,
  });
}

/** Whether `prompt_cache_key` is sent: to OpenAI itself, because servers that borrow its protocols may refuse what they do not know. */
export function sendsCacheKey(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.hostname === 'api.openai.com';
}
