import type { ModelStreamPort } from '../../model.ts';
import type { ProviderOptions } from '../providerOptions.ts';
import { streamAttempt } from '../streamAttempt.ts';
import { chatRequestBody, type ChatDialect } from './chatRequest.ts';
import { ChatStreamReader } from './chatStream.ts';
import { openAiClient, openAiParts, sendsCacheKey } from './openaiClient.ts';

export interface OpenAiChatOptions extends ProviderOptions {
  /** Whether `prompt_cache_key` is sent; by default only to OpenAI itself. */
  readonly sendsCacheKey?: boolean;
}

/**
 * A model behind the Chat Completions protocol: OpenAI and every compatible endpoint. The SDK is loaded with the first request and makes
 * exactly one attempt. Source: agent runtime contract, section 21.
 */
export function openAiChatModel(options: OpenAiChatOptions): ModelStreamPort {
  const { providerId, model, baseUrl, capabilities } = options;
  const dialect: ChatDialect = {
    model,
    images: capabilities.images,
    reasoning: capabilities.reasoning,
    sendsCacheKey: options.sendsCacheKey ?? sendsCacheKey(baseUrl),
  };
  return {
    ref: `${providerId}/${model}`,
    tag: `${providerId}/chat-completions/${model}`,
    capabilities,
    stream(request, signal) {
      const reader = new ChatStreamReader();
      return streamAttempt(
        options,
        {
          ...openAiParts,
          async open(fetch, aborted) {
            const client = await openAiClient(options, fetch);
            return client.chat.completions.create(chatRequestBody(request, dialect), { signal: aborted });
          },
          read: (chunk) => reader.read(chunk),
        },
        signal,
      );
    },
  };
}
