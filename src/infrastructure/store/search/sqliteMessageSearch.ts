import { setImmediate } from 'node:timers/promises';
import {
  conversationId,
  type ConversationId,
  type FoundMessage,
  type Message,
  messageId,
  type MessageSearchPort,
  type PastMessage,
  type RecentConversation,
  type SearchPage,
  type SearchPlace,
  type SearchQuery,
  searchTerms,
} from '../../../agentkit/index.ts';
import type { Row } from '../connection.ts';
import { excerpt, preview, termPattern } from './excerpt.ts';
import type { MessageIndex, SearchWay } from './messageIndex.ts';
import { joined } from './messageText.ts';
import { contentLimit, emptyPage, pageOf } from './pages.ts';
import { rankAny } from './rankAny.ts';
import {
  conversationCount,
  details,
  indexedWithAll,
  indexedWithEach,
  messageWindow,
  oneConversation,
  recentConversations,
  scanned,
  type Wanted,
} from './searchSql.ts';

/** Newest messages of each term that are compared when no message has all terms. */
const comparedMessages = 200;

/** Search over the texts of the store, on the thread of the index. */
export class SqliteMessageSearch implements MessageSearchPort {
  readonly #index: MessageIndex;

  constructor(index: MessageIndex) {
    this.#index = index;
  }

  async search(query: SearchQuery, signal: AbortSignal): Promise<SearchPage<FoundMessage> | undefined> {
    const way = await this.#index.prepare(signal);
    if (query.conversationId !== undefined && !(await this.#knows(way, query.conversationId, signal)))
      return undefined;
    const wanted = { ...query, terms: searchTerms(query.query) };
    if (way === 'empty' || wanted.terms.length === 0) return emptyPage(query);
    const keys =
      way === 'index'
        ? await this.#byIndex(wanted, query, signal)
        : await this.#byText(wanted, query, signal);
    const page = pageOf(keys, query);
    const [found] = await this.#index.ask([details(page.results)], signal);
    return { ...page, results: await toFound(found?.rows ?? [], termPattern(wanted.terms)) };
  }

  async recent(place: SearchPlace, signal: AbortSignal): Promise<SearchPage<RecentConversation>> {
    if ((await this.#index.prepare(signal)) === 'empty') return emptyPage(place);
    const [page, count] = await this.#index.ask(
      [
        { sql: recentConversations, values: [place.limit + 1, place.offset] },
        { sql: conversationCount, values: [] },
      ],
      signal,
    );
    const { results, ...rest } = pageOf(page?.rows ?? [], place);
    return { ...rest, total: Number(count?.rows[0]?.['total']), results: results.map(toRecent) };
  }

  async window(
    place: SearchPlace & { readonly conversationId: ConversationId },
    signal: AbortSignal,
  ): Promise<SearchPage<PastMessage> | undefined> {
    if ((await this.#index.prepare(signal)) === 'empty') return undefined;
    const { conversationId: id, limit, offset } = place;
    const [conversation, page] = await this.#index.ask(
      [
        { sql: oneConversation, values: [id] },
        { sql: messageWindow, values: [id, limit + 1, offset] },
      ],
      signal,
    );
    const [known] = conversation?.rows ?? [];
    if (known === undefined) return undefined;
    const { results, ...rest } = pageOf(page?.rows ?? [], place);
    return {
      ...rest,
      total: Number(known['message_count']),
      results: results.map((row, index) => ({
        conversationId: id,
        messageId: messageId(String(row['id'])),
        messageOffset: offset + index,
        title: String(known['title']),
        role: toRole(row['role']),
        createdAt: Number(row['created_at']),
        content: joined(textOf(row['text'])).slice(0, contentLimit),
      })),
    };
  }

  async #knows(way: SearchWay, id: ConversationId, signal: AbortSignal): Promise<boolean> {
    if (way === 'empty') return false;
    const [known] = await this.#index.ask([{ sql: oneConversation, values: [id] }], signal);
    return known !== undefined && known.rows.length > 0;
  }

  /** One key more than the page has, where there is one. */
  async #byIndex(wanted: Wanted, place: SearchPlace, signal: AbortSignal): Promise<readonly number[]> {
    const [page, first] = await this.#index.ask(
      [
        indexedWithAll(wanted, { limit: place.limit + 1, offset: place.offset }),
        indexedWithAll(wanted, { limit: 1, offset: 0 }),
      ],
      signal,
    );
    if (wanted.terms.length === 1 || (first?.rows.length ?? 0) > 0) return keysOf(page?.rows);
    const lists = await this.#index.ask(indexedWithEach(wanted, comparedMessages), signal);
    const ranked = rankAny(
      lists.map(({ rows }) => keysOf(rows)),
      comparedMessages,
    );
    return ranked.slice(place.offset, place.offset + place.limit + 1);
  }

  async #byText(wanted: Wanted, place: SearchPlace, signal: AbortSignal): Promise<readonly number[]> {
    const slice = { limit: place.limit + 1, offset: place.offset };
    const count = wanted.terms.length;
    const [page, first] = await this.#index.ask(
      [scanned(wanted, count, slice), scanned(wanted, count, { limit: 1, offset: 0 })],
      signal,
    );
    if (count === 1 || (first?.rows.length ?? 0) > 0) return keysOf(page?.rows);
    const [any] = await this.#index.ask([scanned(wanted, 1, slice)], signal);
    return keysOf(any?.rows);
  }
}

function keysOf(rows: readonly Row[] | undefined): readonly number[] {
  return (rows ?? []).map((row) => Number(row['key']));
}

/** Looks at one text at a time and lets others run between them. */
async function toFound(rows: readonly Row[], pattern: RegExp): Promise<readonly FoundMessage[]> {
  const found: FoundMessage[] = [];
  for (const row of rows) {
    if (found.length > 0) await setImmediate();
    found.push({
      conversationId: conversationId(String(row['conversation_id'])),
      title: String(row['title']),
      updatedAt: Number(row['updated_at']),
      messageId: messageId(String(row['id'])),
      messageOffset: Number(row['message_offset']),
      role: toRole(row['role']),
      ...excerpt(String(row['text']), pattern),
    });
  }
  return found;
}

function toRecent(row: Row): RecentConversation {
  return {
    conversationId: conversationId(String(row['id'])),
    title: String(row['title']),
    updatedAt: Number(row['updated_at']),
    messageCount: Number(row['message_count']),
    preview: preview(textOf(row['preview'])),
  };
}

/** A message without anything to read has no text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toRole(value: unknown): Message['role'] {
  return value === 'user' || value === 'assistant' ? value : 'tool';
}
