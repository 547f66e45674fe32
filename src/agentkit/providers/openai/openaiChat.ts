import type { OpenAI } from 'openai';
import { abortReason } from '../../clock.ts';
import { parseJsonObject } from '../../json.ts';
import {
  ProviderError,
  type ModelCapabilities,
  type ModelEvent,
  type ModelRequest,
  type ModelStreamPort,
} from '../../model.ts';
import { beat, ByteWatch } from '../byteWatch.ts';
import { chatRequestBody, type ChatDialect } from './chatRequest.ts';
import { ChatStreamReader } from './chatStream.ts';
import { fromWireError, toProviderError } from './openaiErrors.ts';

export interface OpenAiChatOptions {
  /** Names the provider in `ref` and `tag`, for example `openai` or `ollama`. */
  readonly providerId: string;
  /** As the endpoint calls it. */
  readonly model: string;
  /** Up to and without `/chat/completions`, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Asked for each request; undefined = an endpoint without a key. The key is kept nowhere. */
  readonly apiKey: () => Promise<string | undefined>;
  readonly capabilities: ModelCapabilities;
  /** Whether `prompt_cache_key` is sent; by default only to OpenAI itself, because other servers may refuse it. */
  readonly sendsCacheKey?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds since 1970, for a `Retry-After` that names a date. */
  readonly now?: () => number;
}

/** The clocks of the runtime decide; the SDK's own is out of the way. */
const noTimeoutMs = 86_400_000;

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
    sendsCacheKey: options.sendsCacheKey ?? URL.parse(baseUrl)?.hostname === 'api.openai.com',
  };
  return {
    ref: `${providerId}/${model}`,
    tag: `${providerId}/chat-completions/${model}`,
    capabilities,
    stream: (request, signal) => streamChat({ options, dialect, request }, signal),
  };
}

async function* streamChat(
  attempt: {
    readonly options: OpenAiChatOptions;
    readonly dialect: ChatDialect;
    readonly request: ModelRequest;
  },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { options, dialect, request } = attempt;
  const watch = new ByteWatch();
  try {
    const client = await createClient(options, watch);
    const reader = new ChatStreamReader();
    const chunks = await client.chat.completions.create(chatRequestBody(request, dialect), { signal });
    for await (const chunk of watch.interleave(chunks)) {
      if (chunk === beat) yield { kind: 'alive' };
      else yield* reader.read(chunk);
    }
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    const now = (options.now ?? Date.now)();
    throw toProviderError(error, { now, endedInsideEvent: watch.endedInsideEvent });
  }
  if (signal.aborted) throw abortReason(signal);
}

async function createClient(options: OpenAiChatOptions, watch: ByteWatch): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  const apiKey = (await options.apiKey()) ?? '';
  return new Client({
    baseURL: options.baseUrl,
    apiKey: apiKey === '' ? 'none' : apiKey,
    // Named, because the SDK would take these from the environment and send them to whatever endpoint this is.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: { ...options.headers, ...(apiKey === '' && { Authorization: null }) },
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off',
    // The extension host has browser-like globals; the key is the user's own.
    dangerouslyAllowBrowser: true,
    fetch: watch.watch(refusingOtherAnswers(options.fetch ?? globalThis.fetch)),
  });
}

/** A success that is no event stream: an error object some servers send with 200, or a page of something else on that address. */
function refusingOtherAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !/^(application\/json|text\/html)\b/i.test(type)) return response;
    const error = parseJsonObject(await response.text())?.['error'];
    if (error !== undefined && error !== null) throw fromWireError(error, undefined);
    throw new ProviderError({ code: 'malformed', retryable: false, detail: `an answer of type ${type}` });
  };
}
