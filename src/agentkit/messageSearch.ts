import type { ConversationId, MessageId } from './ids.ts';
import type { Message } from './message.ts';

/** A message that holds what was searched for. */
export interface FoundMessage {
  readonly conversationId: ConversationId;
  readonly title: string;
  /** Milliseconds UTC; of the conversation. */
  readonly updatedAt: number;
  readonly messageId: MessageId;
  /** How many messages of the conversation stand before it. */
  readonly messageOffset: number;
  readonly role: Message['role'];
  /** The text around the first match on one line, at most 1,024 bytes; the start of the text when the match is far behind it. */
  readonly snippet: string;
  /** How often the terms occur in it; at least 1. */
  readonly matches: number;
}

export interface RecentConversation {
  readonly conversationId: ConversationId;
  readonly title: string;
  readonly updatedAt: number;
  readonly messageCount: number;
  /** The start of the newest text that a person or the model wrote, at most 1,024 bytes. */
  readonly preview: string;
}

export interface PastMessage {
  readonly conversationId: ConversationId;
  readonly messageId: MessageId;
  readonly messageOffset: number;
  readonly title: string;
  readonly role: Message['role'];
  readonly createdAt: number;
  /** At most 131,072 characters; what follows is left out. */
  readonly content: string;
}

/** A place in a list, counted from 0. */
export interface SearchPlace {
  readonly offset: number;
  /** 1 to 20. */
  readonly limit: number;
}

export interface SearchPage<T> {
  readonly results: readonly T[];
  /** Where the list goes on; absent at its end. */
  readonly nextOffset?: number;
  /** Entries of the whole list, where that is known. An empty page behind the end of a longer list may not know it. */
  readonly total?: number;
}

export interface SearchQuery extends SearchPlace {
  /** Words and "quoted phrases", see `searchTerms`. Nothing in it is an operator. */
  readonly query: string;
  /** Only in this conversation. */
  readonly conversationId?: ConversationId;
  /** Not in this conversation: the one that asks holds its own question. */
  readonly except?: ConversationId;
}

/**
 * The texts of stored messages: of the person, of the model, and what results of calls say. Never reasoning, arguments, secrets or
 * handles. Implemented by the editor side. Everything that was committed when a method is called is found, whoever wrote it.
 * Rejects as `RunStorePort` does, or with the signal's reason. Source: tools.md section 11; vscode.md section 9.
 */
export interface MessageSearchPort {
  /**
   * Messages with all terms, newest first. When no message has all of them: those with any, by how many they have, where rare
   * terms count double, then newest first. Undefined when the conversation is unknown.
   */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage<FoundMessage> | undefined>;
  /** Conversations, the one worked on last first. */
  recent(place: SearchPlace, signal: AbortSignal): Promise<SearchPage<RecentConversation>>;
  /** Messages of one conversation in transcript order. Undefined when it is unknown. */
  window(
    place: SearchPlace & { readonly conversationId: ConversationId },
    signal: AbortSignal,
  ): Promise<SearchPage<PastMessage> | undefined>;
}
