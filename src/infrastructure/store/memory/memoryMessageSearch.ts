import {
  type ConversationId,
  type FoundMessage,
  type MessageSearchPort,
  type PastMessage,
  type RecentConversation,
  type RunStorePort,
  type SearchPage,
  type SearchPlace,
  type SearchQuery,
  searchTerms,
  type StoredConversation,
} from '../../../agentkit/index.ts';
import { excerpt, preview, termPattern, withoutAccents } from '../search/excerpt.ts';
import { messageText, separated } from '../search/messageText.ts';
import { contentLimit, pageOf } from '../search/pages.ts';

/** Search by looking at every message of a store in memory. Order and words are those of the index. */
export class MemoryMessageSearch implements MessageSearchPort {
  readonly #runs: RunStorePort;

  constructor(runs: RunStorePort) {
    this.#runs = runs;
  }

  async search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage<FoundMessage> | undefined> {
    const conversations = await this.#conversations(query.conversationId, signal);
    if (query.conversationId !== undefined && conversations.length === 0) return undefined;
    const terms = searchTerms(query.query);
    const patterns = terms.map((term) => termPattern([{ ...term, text: withoutAccents(term.text) }]));
    const looked = conversations
      .filter(({ summary }) => summary.id !== query.except)
      .flatMap((conversation) =>
        conversation.messages.map((message, messageOffset) => {
          const text = separated(messageText(message));
          const compared = withoutAccents(text);
          const hits = patterns.filter((pattern) => compared.search(pattern) >= 0).length;
          return { conversation, message, messageOffset, text, hits };
        }),
      )
      .sort((a, b) => b.message.createdAt - a.message.createdAt || b.messageOffset - a.messageOffset);
    const withAll = looked.filter(({ hits }) => hits > 0 && hits === terms.length);
    const found =
      withAll.length > 0 ? withAll : looked.filter(({ hits }) => hits > 0).sort((a, b) => b.hits - a.hits);
    const { results, ...rest } = pageOf(found.slice(query.offset), query);
    const pattern = termPattern(terms);
    return {
      ...rest,
      results: results.map(({ conversation: { summary }, message, messageOffset, text }) => ({
        conversationId: summary.id,
        title: summary.title,
        updatedAt: summary.updatedAt,
        messageId: message.id,
        messageOffset,
        role: message.role,
        ...excerpt(text, pattern),
      })),
    };
  }

  async recent(place: SearchPlace, signal: AbortSignal): Promise<SearchPage<RecentConversation>> {
    const conversations = await this.#conversations(undefined, signal);
    const page = pageOf(conversations.slice(place.offset), place);
    return {
      ...page,
      total: conversations.length,
      results: page.results.map(({ summary, messages }) => ({
        conversationId: summary.id,
        title: summary.title,
        updatedAt: summary.updatedAt,
        messageCount: summary.messageCount,
        preview: preview(
          messages
            .filter(({ role }) => role !== 'tool')
            .map(messageText)
            .findLast((text) => text.trim() !== '') ?? '',
        ),
      })),
    };
  }

  async window(
    place: SearchPlace & { readonly conversationId: ConversationId },
    signal: AbortSignal,
  ): Promise<SearchPage<PastMessage> | undefined> {
    const [conversation] = await this.#conversations(place.conversationId, signal);
    if (conversation === undefined) return undefined;
    const { summary, messages } = conversation;
    const page = pageOf(messages.slice(place.offset), place);
    return {
      ...page,
      total: messages.length,
      results: page.results.map((message, index) => ({
        conversationId: summary.id,
        messageId: message.id,
        messageOffset: place.offset + index,
        title: summary.title,
        role: message.role,
        createdAt: message.createdAt,
        content: messageText(message).slice(0, contentLimit),
      })),
    };
  }

  /** The one with this id, or all, newest first. */
  async #conversations(
    id: ConversationId | undefined,
    signal: AbortSignal,
  ): Promise<readonly StoredConversation[]> {
    signal.throwIfAborted();
    const ids = id === undefined ? (await this.#runs.listConversations()).map((one) => one.id) : [id];
    const loaded = await Promise.all(ids.map((one) => this.#runs.load(one)));
    return loaded.filter((conversation) => conversation !== undefined);
  }
}
