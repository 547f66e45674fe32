import type { AssistantMessage, ConversationId, Message, ToolMessage } from '../../agentkit/index.ts';
import type { Connection } from './connection.ts';
import { insertText } from './search/messageTextRows.ts';

/**
 * Distance between two messages. The place of a result is fixed by its assistant message and its position among the calls, so that
 * a live run, a recovery and a second recovery put it at the same place; a turn has far fewer calls than this.
 */
const stride = 65_536;

/**
 * Adds messages in transcript order. A message that is there already is left as it is; a result goes directly behind its assistant
 * message in call order; a user message that waited in the inbox leaves it in the same transaction, so it is never delivered twice.
 * Returns how many were new.
 */
export function appendMessages(
  connection: Connection,
  conversation: ConversationId,
  messages: readonly Message[],
): number {
  let added = 0;
  for (const message of messages) {
    const ordinal = message.role === 'tool' ? slotOf(connection, conversation, message) : undefined;
    const place = ordinal ?? next(connection, conversation);
    if (insert(connection, conversation, { message, ordinal: place })) {
      added++;
      if (message.role === 'assistant') reserveSlots(connection, conversation, { message, ordinal: place });
    }
    if (message.role === 'tool') markAnswered(connection, conversation, message);
    else if (message.role === 'user')
      connection.run('DELETE FROM inbox WHERE conversation_id = ? AND id = ?', conversation, message.id);
  }
  if (added > 0)
    connection.run(
      'UPDATE conversations SET message_count = message_count + ? WHERE id = ?',
      added,
      conversation,
    );
  return added;
}

function insert(
  connection: Connection,
  conversation: ConversationId,
  { message, ordinal }: { readonly message: Message; readonly ordinal: number },
): boolean {
  const exists = connection.get(
    'SELECT 1 FROM messages WHERE conversation_id = ? AND id = ?',
    conversation,
    message.id,
  );
  if (exists !== undefined) return false;
  const row = connection.get(
    `INSERT INTO messages (conversation_id, ordinal, id, run_id, role, payload) VALUES (?, ?, ?, ?, ?, ?)
     RETURNING key`,
    conversation,
    ordinal,
    message.id,
    message.runId,
    message.role,
    JSON.stringify(message),
  );
  insertText(connection, { key: Number(row?.['key']), conversation, message });
  return true;
}

function next(connection: Connection, conversation: ConversationId): number {
  const row = connection.get(
    'SELECT max(ordinal) AS ordinal FROM messages WHERE conversation_id = ?',
    conversation,
  );
  return (Math.floor(Number(row?.['ordinal'] ?? 0) / stride) + 1) * stride;
}

function reserveSlots(
  connection: Connection,
  conversation: ConversationId,
  { message, ordinal }: { readonly message: AssistantMessage; readonly ordinal: number },
): void {
  for (const [index, call] of message.calls.entries())
    connection.run(
      `INSERT INTO calls (conversation_id, run_id, call_id, slot) VALUES (?, ?, ?, ?)
       ON CONFLICT (conversation_id, run_id, call_id) DO UPDATE SET slot = coalesce(slot, excluded.slot)`,
      conversation,
      message.runId,
      call.id,
      ordinal + 1 + index,
    );
}

/** Undefined for a result without a call, or when another result has the place; such a row goes to the end. */
function slotOf(
  connection: Connection,
  conversation: ConversationId,
  message: ToolMessage,
): number | undefined {
  const row = connection.get(
    'SELECT slot FROM calls WHERE conversation_id = ? AND run_id = ? AND call_id = ? AND answered = 0',
    conversation,
    message.runId,
    message.callId,
  );
  return typeof row?.['slot'] === 'number' ? row['slot'] : undefined;
}

/** The transcript row is from now on the only copy of the result. */
function markAnswered(connection: Connection, conversation: ConversationId, message: ToolMessage): void {
  connection.run(
    `UPDATE calls SET answered = 1, result = NULL
     WHERE conversation_id = ? AND run_id = ? AND call_id = ?`,
    conversation,
    message.runId,
    message.callId,
  );
}
