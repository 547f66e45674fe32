import type { CallId, ConversationId, MessageId, RunId } from './ids.ts';
import type { Json, JsonObject } from './json.ts';

/** An opaque item of one provider, replayed only to the same tag. Source: agent runtime contract, section 7, step 4. */
export interface ProviderItem {
  /** `<provider>/<api>/<model family>`. */
  readonly tag: string;
  readonly item: Json;
}

export interface ImagePart {
  readonly mediaType: string;
  readonly base64: string;
}

/**
 * What varies between prompts, as it stood when the message was written: field name to text. An empty text means "none now".
 * A context block is inserted only for a field that differs from the snapshot before. Source: section 2.
 */
export type ContextSnapshot = Readonly<Record<string, string>>;

/** `implementPlan`: has the plan carried out that was presented last. */
export type PersonGesture = 'implementPlan';

/**
 * Where a user-role message came from. Only `person` is ever evidence for a review. `gesture`: what the person pressed instead of writing;
 * the text is not theirs then.
 */
export type UserOrigin =
  | { readonly kind: 'person'; readonly gesture?: PersonGesture }
  | { readonly kind: 'chat'; readonly conversationId: ConversationId; readonly title: string }
  | { readonly kind: 'runtime' };

export interface UserMessage {
  readonly role: 'user';
  readonly id: MessageId;
  readonly runId: RunId;
  readonly createdAt: number;
  readonly text: string;
  readonly images: readonly ImagePart[];
  readonly origin: UserOrigin;
  readonly context: ContextSnapshot;
}

/** One call as the model made it. `argumentsText` is what arrived, redacted once its batch is over. */
export interface ToolCall {
  readonly id: CallId;
  readonly name: string;
  readonly argumentsText: string;
}

export type StopReason = 'completed' | 'toolCalls' | 'length' | 'cancelled' | 'error';

/** Tokens of one request. Absent figures were not reported; `estimated` marks figures of ours. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly estimated?: boolean;
}

/** A search that the provider made by itself while it answered. `detail` is what it told of the pages: foreign, and bounded. */
export interface NativeSearch {
  readonly query: string;
  readonly detail: Json;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly id: MessageId;
  readonly runId: RunId;
  readonly createdAt: number;
  readonly text: string;
  readonly reasoning: string;
  readonly reasoningMs?: number;
  readonly calls: readonly ToolCall[];
  readonly providerItems: readonly ProviderItem[];
  /** For cards; never sent to a model. */
  readonly searches?: readonly NativeSearch[];
  readonly stop: StopReason;
  readonly usage?: Usage;
}

/** How a call ended. `unknown`: it was dispatched and nobody saw its end. */
export type CallOutcome = 'succeeded' | 'failed' | 'denied' | 'cancelled' | 'unknown';

/** The answer to one call. `text` is frozen: stored once and replayed byte for byte for ever. Source: sections 8.5 and 23. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly id: MessageId;
  readonly runId: RunId;
  readonly createdAt: number;
  readonly callId: CallId;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  /** For cards; never sent to a model. */
  readonly outcome?: CallOutcome;
  /** From dispatch to result; absent when the call was not dispatched. */
  readonly durationMs?: number;
  /** What the card shows beside the frozen text; never sent to a model. */
  readonly presentation?: JsonObject;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;
