import type { SearchTerm } from '../../../agentkit/index.ts';
import type { Statement } from '../storeWorker.ts';
import { termPattern, withoutAccents } from './excerpt.ts';
import { separated } from './messageText.ts';
import { conversationWord } from './messageTextRows.ts';

/** What is searched for, and where. */
export interface Wanted {
  readonly terms: readonly SearchTerm[];
  readonly conversationId?: string | undefined;
  readonly except?: string | undefined;
}

export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/** Without the index, only so many of the newest texts are looked at. */
const scannedTexts = 20_000;

const byIndex = `SELECT rowid AS key FROM message_index WHERE message_index MATCH ?
  ORDER BY rowid DESC LIMIT ? OFFSET ?`;

/** Keys of messages with all terms, newest first, from the index. */
export function indexedWithAll(wanted: Wanted, { limit, offset }: Slice): Statement {
  return { sql: byIndex, values: [expression(wanted, wanted.terms.map(word).join(' AND ')), limit, offset] };
}

/** For each term, keys of the newest messages with it, from the index. */
export function indexedWithEach(wanted: Wanted, limit: number): readonly Statement[] {
  return wanted.terms.map((term) => ({ sql: byIndex, values: [expression(wanted, word(term)), limit, 0] }));
}

/** An expression of the index in which everything is a quoted string, so that nothing in a term is an operator. */
function expression({ conversationId, except }: Wanted, words: string): string {
  const only = conversationId === undefined ? '' : `{conversation} : ${quoted(conversationId)} AND `;
  const not = except === undefined ? '' : ` NOT {conversation} : ${quoted(except)}`;
  return `(${only}{text} : (${words}))${not}`;

  function quoted(id: string): string {
    return `"${conversationWord(id).replaceAll('"', '""')}"`;
  }
}

function word({ text }: SearchTerm): string {
  return `"${separated(text).replaceAll('"', '""')}"`;
}

/** Keys of messages with all (`atLeast` = their number) or any (1) of the terms by their text: by how many, then newest first. */
export function scanned(wanted: Wanted, atLeast: number, { limit, offset }: Slice): Statement {
  const { terms, conversationId, except } = wanted;
  const hits = terms.map(() => '(text REGEXP ?)').join(' + ');
  return {
    sql: `SELECT key, (${hits}) AS hits FROM message_texts
      WHERE key > coalesce((SELECT key FROM message_texts ORDER BY key DESC LIMIT 1 OFFSET ${scannedTexts}), -1)
        AND conversation = coalesce(?, conversation) AND conversation <> coalesce(?, '') AND hits >= ?
      ORDER BY hits DESC, key DESC LIMIT ? OFFSET ?`,
    values: [
      ...terms.map((term) => termPattern([{ ...term, text: withoutAccents(term.text) }]).source),
      conversationId === undefined ? null : conversationWord(conversationId),
      except === undefined ? null : conversationWord(except),
      atLeast,
      limit,
      offset,
    ],
  };
}

/** What is told of the messages with these keys, in this order. */
export function details(keys: readonly number[]): Statement {
  return {
    sql: `SELECT messages.id, messages.role, messages.conversation_id, title, updated_at, substr(text, 1, 65536) AS text,
        (SELECT count(*) FROM messages AS before WHERE before.conversation_id = messages.conversation_id
          AND before.ordinal < messages.ordinal) AS message_offset
      FROM json_each(?) AS wanted
      JOIN messages ON messages.key = wanted.value
      JOIN message_texts ON message_texts.key = messages.key
      JOIN conversations ON conversations.id = messages.conversation_id
      ORDER BY wanted.key`,
    values: [JSON.stringify(keys)],
  };
}

export const oneConversation = 'SELECT title, message_count FROM conversations WHERE id = ?';

export const conversationCount = 'SELECT count(*) AS total FROM conversations';

export const recentConversations = `SELECT id, title, updated_at, message_count,
    (SELECT substr(text, 1, 4096) FROM messages JOIN message_texts ON message_texts.key = messages.key
      WHERE messages.conversation_id = conversations.id AND role IN ('user', 'assistant')
      ORDER BY ordinal DESC LIMIT 1) AS preview
  FROM conversations ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`;

export const messageWindow = `SELECT messages.id, role, json_extract(payload, '$.createdAt') AS created_at,
    substr(text, 1, 393216) AS text
  FROM messages LEFT JOIN message_texts ON message_texts.key = messages.key
  WHERE conversation_id = ? ORDER BY ordinal LIMIT ? OFFSET ?`;
