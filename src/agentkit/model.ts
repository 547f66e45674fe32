import type { CallId, MessageId } from './ids.ts';
import type { Json, JsonSchema } from './json.ts';
import type { ImagePart, ProviderItem, ToolCall, Usage } from './message.ts';

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/**
 * One message at the model boundary. Every assistant item with calls is followed by exactly its results, in call order. `id` is that
 * of the stored message, or derived from it (context blocks, answers nobody recorded); the same history gives the same ids.
 */
export type ModelItem =
  | {
      readonly role: 'user';
      readonly id: MessageId;
      readonly text: string;
      readonly images: readonly ImagePart[];
    }
  | {
      readonly role: 'assistant';
      readonly id: MessageId;
      readonly text: string;
      readonly reasoning: string;
      readonly calls: readonly ToolCall[];
      readonly providerItems: readonly ProviderItem[];
    }
  | {
      readonly role: 'tool';
      readonly id: MessageId;
      readonly callId: CallId;
      readonly toolName: string;
      readonly text: string;
      readonly isError: boolean;
    };

export type ReasoningLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high';

export interface ModelRequest {
  readonly system: string;
  readonly items: readonly ModelItem[];
  readonly tools: readonly ModelTool[];
  readonly reasoning?: ReasoningLevel;
  /** Stable per conversation; adapters that know prompt caching pass it on. */
  readonly cacheKey: string;
  /** Asks for one JSON object of this shape where the model can promise it. */
  readonly responseSchema?: { readonly name: string; readonly schema: JsonSchema };
}

/**
 * Normalised stream events. Deltas append, snapshots replace. `index` is the provider's position of a call; calls are joined by
 * id first and by index second. Exactly one `finished` ends a complete attempt; behind it only `usage` counts. `alive` says that bytes
 * arrived without content (the head of the answer, a keep-alive), for the clocks and the run state.
 * Source: agent runtime contract, section 21.
 */
export type ModelEvent =
  | { readonly kind: 'alive' }
  | { readonly kind: 'textDelta'; readonly text: string }
  | { readonly kind: 'textSnapshot'; readonly text: string }
  | { readonly kind: 'reasoningDelta'; readonly text: string }
  | { readonly kind: 'reasoningSnapshot'; readonly text: string }
  | {
      readonly kind: 'toolCallDelta';
      readonly id?: CallId;
      readonly index: number;
      readonly name?: string;
      readonly argumentsText: string;
    }
  | {
      readonly kind: 'toolCallSnapshot';
      readonly id?: CallId;
      readonly index: number;
      readonly name: string;
      readonly argumentsText: string;
    }
  | { readonly kind: 'providerItem'; readonly item: ProviderItem }
  | { readonly kind: 'webSearch'; readonly query: string; readonly detail: Json }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | {
      readonly kind: 'finished';
      readonly reason: 'completed' | 'toolCalls' | 'length' | 'cancelled' | 'error';
    };

export interface ModelCapabilities {
  readonly tools: boolean;
  readonly images: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  /** Tokens; absent = unknown, and then nothing is compacted. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** The provider searches the web by itself, and needs no tool for it. */
  readonly nativeSearch?: boolean;
}

/**
 * One model behind one provider. `stream` makes exactly one attempt: retries and clocks belong to the runtime.
 * Rejects (from the iterator) with `ProviderError`; an aborted signal ends the iterator with the signal's reason.
 */
export interface ModelStreamPort {
  /** `<provider id>/<model name>`, shown to people and stored with the run. */
  readonly ref: string;
  /** Tag for provider items: `<provider>/<api>/<model family>`. */
  readonly tag: string;
  readonly capabilities: ModelCapabilities;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export type ProviderErrorCode =
  | 'network'
  | 'timeout'
  | 'unauthorized'
  | 'rateLimited'
  | 'overloaded'
  | 'contextLength'
  | 'badRequest'
  | 'notFound'
  | 'malformed'
  /** Something answers at the address, and it is no model: a page, a document, nothing. */
  | 'otherService'
  | 'endedEarly'
  /** The person has not allowed the use of this model. */
  | 'notPermitted'
  /** The use of this model is blocked for now, for example by a quota. */
  | 'blocked'
  /** Whoever offered this model does so no more. */
  | 'withdrawn';

/** What a provider said or failed to say. `retryable` decides; `message` is ours, `detail` is foreign and already bounded. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly detail: string;
  /** For `timeout`: how long nothing came. */
  readonly waitedMs: number | undefined;

  constructor(facts: {
    code: ProviderErrorCode;
    retryable: boolean;
    status?: number | undefined;
    retryAfterMs?: number | undefined;
    detail?: string | undefined;
    waitedMs?: number | undefined;
    cause?: unknown;
  }) {
    super(`model provider: ${facts.code}${facts.status === undefined ? '' : ` (HTTP ${facts.status})`}`, {
      cause: facts.cause,
    });
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.waitedMs = facts.waitedMs;
    this.detail = (facts.detail ?? '').slice(0, 500);
  }
}
