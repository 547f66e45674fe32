import type { ConversationId, MessageId, NewConversation } from '../../agentkit/index.ts';
import type { Connection } from './connection.ts';
import { conversationWord } from './search/messageTextRows.ts';
import { cutLogStatements } from './sqliteRequestLog.ts';
import type { Statement } from './storeWorker.ts';

interface Place {
  readonly ordinal: number;
  readonly createdAt: number;
}

/** Where a message stands; undefined when it is not in the conversation. */
function placeOf(
  connection: Connection,
  id: ConversationId,
  message: MessageId,
): (Place & { readonly role: string }) | undefined {
  const row = connection.get(
    `SELECT ordinal, role, json_extract(payload, '$.createdAt') AS created_at FROM messages
     WHERE conversation_id = ? AND id = ?`,
    id,
    message,
  );
  if (row === undefined) return undefined;
  return {
    ordinal: Number(row['ordinal']),
    role: String(row['role']),
    createdAt: Number(row['created_at']),
  };
}

/**
 * The place from which rows go when `message` is removed. A call and its result are one unit for every cut: inside a group of
 * results it is the place of their assistant message. Source: vscode.md 17.
 */
export function groupStart(
  connection: Connection,
  id: ConversationId,
  message: MessageId,
): number | undefined {
  const place = placeOf(connection, id, message);
  if (place === undefined || place.role !== 'tool') return place?.ordinal;
  const row = connection.get(
    `SELECT max(ordinal) AS ordinal FROM messages
     WHERE conversation_id = ? AND ordinal < ? AND role = 'assistant'`,
    id,
    place.ordinal,
  );
  return row?.['ordinal'] === null ? place.ordinal : Number(row?.['ordinal']);
}

/** The last place that belongs to `message`: behind an assistant message or a result, the last result of the group. */
export function groupEnd(connection: Connection, id: ConversationId, message: MessageId): Place | undefined {
  const place = placeOf(connection, id, message);
  if (place === undefined || place.role === 'user') return place;
  const row = connection.get(
    `SELECT min(ordinal) AS ordinal FROM messages
     WHERE conversation_id = ? AND ordinal > ? AND role <> 'tool'`,
    id,
    place.ordinal,
  );
  const next = row?.['ordinal'];
  return { ...place, ordinal: typeof next === 'number' ? next - 1 : Number.MAX_SAFE_INTEGER };
}

/** Removes every row at `from` and behind, the runs that have none left, and summaries of what is gone. */
export function cutStatements(id: ConversationId, from: number): readonly Statement[] {
  return [
    ...cutLogStatements(id, from),
    { sql: 'DELETE FROM messages WHERE conversation_id = ? AND ordinal >= ?', values: [id, from] },
    { sql: 'DELETE FROM calls WHERE conversation_id = ? AND slot >= ?', values: [id, from] },
    {
      sql: `DELETE FROM calls WHERE conversation_id = ? AND slot IS NULL AND NOT EXISTS
              (SELECT 1 FROM messages WHERE messages.conversation_id = calls.conversation_id
                AND messages.run_id = calls.run_id)`,
      values: [id],
    },
    {
      sql: `DELETE FROM runs WHERE conversation_id = ? AND ended_at IS NOT NULL AND NOT EXISTS
              (SELECT 1 FROM messages WHERE messages.conversation_id = runs.conversation_id
                AND messages.run_id = runs.id)`,
      values: [id],
    },
    {
      sql: `DELETE FROM compactions WHERE conversation_id = ? AND NOT EXISTS
              (SELECT 1 FROM messages WHERE messages.conversation_id = compactions.conversation_id
                AND messages.id = compactions.boundary)`,
      values: [id],
    },
    {
      sql: `UPDATE conversations SET cuts = cuts + 1, message_count =
              (SELECT count(*) FROM messages WHERE conversation_id = ?) WHERE id = ?`,
      values: [id, id],
    },
  ];
}

/**
 * Copies a conversation as it stood when the row at `ordinal` was its last: messages, calls, and the summaries made until then.
 * Runs stay with the original.
 */
export function forkStatements(fork: {
  readonly from: ConversationId;
  readonly ordinal: number;
  readonly createdAt: number;
  readonly as: NewConversation;
  readonly now: number;
}): readonly Statement[] {
  const { from, as, ordinal } = fork;
  return [
    {
      sql: `INSERT INTO conversations (id, title, system_prompt, permission_mode, model_ref, created_at, updated_at, parent)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      values: [
        as.id,
        as.title,
        as.systemPrompt,
        as.permissionMode,
        as.modelRef,
        as.createdAt,
        fork.now,
        as.parent ?? from,
      ],
    },
    {
      sql: `INSERT INTO messages (conversation_id, ordinal, id, run_id, role, payload)
            SELECT ?, ordinal, id, run_id, role, payload FROM messages
            WHERE conversation_id = ? AND ordinal <= ? ORDER BY ordinal`,
      values: [as.id, from, ordinal],
    },
    {
      sql: `INSERT INTO message_texts (key, conversation, text)
            SELECT copies.key, ?, text FROM messages AS copies
            JOIN messages AS originals ON originals.conversation_id = ? AND originals.ordinal = copies.ordinal
            JOIN message_texts ON message_texts.key = originals.key
            WHERE copies.conversation_id = ?`,
      values: [conversationWord(as.id), from, as.id],
    },
    {
      sql: `INSERT INTO calls (conversation_id, run_id, call_id, slot, proposed, review, dispatched, result, answered, plan_outcome)
            SELECT ?, run_id, call_id, slot, proposed, review, dispatched, result, answered, plan_outcome FROM calls
            WHERE conversation_id = ? AND slot <= ? ORDER BY key`,
      values: [as.id, from, ordinal],
    },
    {
      sql: `INSERT INTO compactions (conversation_id, message_id, boundary, summary, facts, created_at)
            SELECT ?, message_id, boundary, summary, facts, created_at FROM compactions
            WHERE conversation_id = ? AND created_at <= ? AND EXISTS
              (SELECT 1 FROM messages WHERE messages.conversation_id = ? AND messages.id = compactions.boundary)`,
      values: [as.id, from, fork.createdAt, as.id],
    },
    {
      sql: `UPDATE conversations SET message_count =
              (SELECT count(*) FROM messages WHERE conversation_id = ?) WHERE id = ?`,
      values: [as.id, as.id],
    },
  ];
}
