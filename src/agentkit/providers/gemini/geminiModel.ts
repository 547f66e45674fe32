import type * as genai from '@google/genai/web';
import { parseJsonObject, sortedJson } from '../../json.ts';
import type { ModelStreamPort } from '../../model.ts';
import type { NativeSearchOption, ProviderOptions } from '../providerOptions.ts';
import { streamAttempt } from '../streamAttempt.ts';
import { readGeminiError } from './geminiErrors.ts';
import { geminiRequest, type GeminiDialect } from './geminiRequest.ts';
import { GeminiStreamReader } from './geminiStream.ts';

export interface GeminiOptions extends ProviderOptions, NativeSearchOption {}

/**
 * A model behind the Gemini protocol of Google. The SDK is loaded with the first request and makes exactly one attempt.
 * Source: agent runtime contract, section 21.
 */
export function geminiModel(options: GeminiOptions): ModelStreamPort {
  const { providerId, model, capabilities } = options;
  const tag = `${providerId}/generate-content/${model}`;
  const dialect: GeminiDialect = {
    model,
    images: capabilities.images,
    reasoning: capabilities.reasoning,
    maxOutputTokens: capabilities.maxOutputTokens,
    nativeSearch: options.nativeSearch ?? false,
  };
  return {
    ref: `${providerId}/${model}`,
    tag,
    capabilities,
    stream(request, signal) {
      const reader = new GeminiStreamReader(tag);
      return streamAttempt(
        options,
        {
          readError: readGeminiError,
          authorization: (apiKey) => ({ 'x-goog-api-key': apiKey }),
          async open(fetch, aborted) {
            const sdk = await import('@google/genai/web');
            const client = createClient(sdk, options, fetch);
            const { config, ...rest } = geminiRequest(request, dialect, sdk);
            return client.models.generateContentStream({
              ...rest,
              config: { ...config, abortSignal: aborted },
            });
          },
          read: (piece) => reader.read(piece),
        },
        signal,
      );
    },
  };
}

/** Of the SDK's entry for browsers, which reads no environment. The key is not given to it. */
function createClient(
  sdk: Pick<typeof genai, 'GoogleGenAI'>,
  { baseUrl }: GeminiOptions,
  fetch: typeof globalThis.fetch,
): genai.GoogleGenAI {
  return new sdk.GoogleGenAI({
    apiKey: 'none',
    httpOptions: { baseUrl, apiVersion: '', fetch: sortingBodies(fetch) },
  });
}

/** The SDK builds its own body; sorted keys make the same history the same bytes. Source: agent runtime contract, section 2. */
function sortingBodies(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const body = typeof init?.body === 'string' ? parseJsonObject(init.body) : undefined;
    return fetch(input, { ...init, ...(body && { body: sortedJson(body) }) });
  };
}
