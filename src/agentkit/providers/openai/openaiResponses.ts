import type { ModelStreamPort } from '../../model.ts';
import type { NativeSearchOption, ProviderOptions } from '../providerOptions.ts';
import { streamAttempt } from '../streamAttempt.ts';
import { openAiClient, openAiParts, sendsCacheKey } from './openaiClient.ts';
import { responsesBody, type ResponsesDialect } from './responsesRequest.ts';
import { ResponsesStreamReader } from './responsesStream.ts';

export interface OpenAiResponsesOptions extends ProviderOptions, NativeSearchOption {
  /** Whether `prompt_cache_key` is sent; by default only to OpenAI itself. */
  readonly sendsCacheKey?: boolean;
}

/**
 * A model behind the Responses protocol of OpenAI. The provider stores nothing. The SDK is loaded with the first request and makes exactly
 * one attempt. Source: agent runtime contract, section 21.
 */
export function openAiResponsesModel(options: OpenAiResponsesOptions): ModelStreamPort {
  const { providerId, model, baseUrl, capabilities } = options;
  const tag = `${providerId}/responses/${model}`;
  const dialect: ResponsesDialect = {
    model,
    images: capabilities.images,
    reasoning: capabilities.reasoning,
    maxOutputTokens: capabilities.maxOutputTokens,
    sendsCacheKey: options.sendsCacheKey ?? sendsCacheKey(baseUrl),
    nativeSearch: options.nativeSearch ?? false,
  };
  return {
    ref: `${providerId}/${model}`,
    tag,
    capabilities,
    stream(request, signal) {
      const reader = new ResponsesStreamReader(tag);
      return streamAttempt(
        options,
        {
          ...openAiParts,
          async open(fetch, aborted) {
            const client = await openAiClient(options, fetch);
            return client.responses.create(responsesBody(request, dialect), { signal: aborted });
          },
          read: (event) => reader.read(event),
        },
        signal,
      );
    },
  };
}
