import type { Anthropic } from '@anthropic-ai/sdk';
import type { ContentBlockParam, MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { ModelEvent, ModelRequest, ModelStreamPort } from '../../model.ts';
import type { NativeSearchOption, ProviderOptions } from '../providerOptions.ts';
import { sortedBody } from '../sortedBody.ts';
import { noTimeoutMs, streamAttempt } from '../streamAttempt.ts';
import { readAnthropicError } from './anthropicErrors.ts';
import { messagesBody, type MessagesDialect } from './messagesRequest.ts';
import { MessagesStreamReader } from './messagesStream.ts';

export interface AnthropicOptions extends ProviderOptions, NativeSearchOption {}

/**
 * A model behind the Messages protocol of Anthropic. The SDK is loaded with the first request and makes exactly one attempt. An answer that
 * the provider pauses in the middle of its searches is continued inside the same attempt. Source: agent runtime contract, section 21.
 */
export function anthropicModel(options: AnthropicOptions): ModelStreamPort {
  const { providerId, model, capabilities } = options;
  const tag = `${providerId}/messages/${model}`;
  const dialect: MessagesDialect = {
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
    stream: (request, signal) => streamMessages({ options, dialect, tag, request }, signal),
  };
}

/** A provider that pauses more often than this is not getting anywhere. */
const maxContinuations = 4;

async function* streamMessages(
  asked: {
    readonly options: AnthropicOptions;
    readonly dialect: MessagesDialect;
    readonly tag: string;
    readonly request: ModelRequest;
  },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { options, dialect, tag, request } = asked;
  const reader = new MessagesStreamReader(tag);
  let body = messagesBody(request, dialect);
  for (let continued = 0; ; continued++) {
    yield* sendMessages({ options, reader, body }, signal);
    if (!reader.isPaused) return;
    if (continued === maxContinuations) break;
    body = continuation(body, reader);
  }
  yield { kind: 'finished', reason: 'completed' };
}

function sendMessages(
  attempt: {
    readonly options: AnthropicOptions;
    readonly reader: MessagesStreamReader;
    readonly body: MessageCreateParamsStreaming;
  },
  signal: AbortSignal,
): AsyncIterable<ModelEvent> {
  const { options, reader, body } = attempt;
  return streamAttempt(
    options,
    {
      readError: readAnthropicError,
      authorization: (apiKey) => ({ 'x-api-key': apiKey }),
      async open(fetch, aborted) {
        const client = await createClient(options, fetch);
        return client.messages.create(body, { signal: aborted });
      },
      read: (event) => reader.read(event),
    },
    signal,
  );
}

/** What came so far goes back as the beginning of the answer, block by block as it came. */
function continuation(
  body: MessageCreateParamsStreaming,
  reader: MessagesStreamReader,
): MessageCreateParamsStreaming {
  const content = reader.takePaused().map((block) => z.custom<ContentBlockParam>().parse(block));
  const last = body.messages.at(-1);
  const isFirst = last?.role !== 'assistant';
  const begun = isFirst || typeof last.content === 'string' ? [] : last.content;
  const messages = isFirst ? body.messages : body.messages.slice(0, -1);
  return sortedBody({
    ...body,
    messages: [...messages, { role: 'assistant', content: [...begun, ...content] }],
  });
}

/** The SDK, loaded with the first request, without retries, clock, log, traces and environment. The key is not given to it. */
async function createClient(options: AnthropicOptions, fetch: typeof globalThis.fetch): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    // The SDK adds the version itself.
    baseURL: options.baseUrl.replace(/\/v1\/?$/, ''),
    apiKey: 'none',
    webhookKey: null,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off',
    openTelemetry: false,
    // The extension host has browser-like globals; the key is the user's own.
    dangerouslyAllowBrowser: true,
    fetch,
  });
}
