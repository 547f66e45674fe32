import type { Message } from '../../../agentkit/index.ts';
import type { Connection } from '../connection.ts';
import { messageText, separated } from './messageText.ts';

/** A conversation id as one word of the index. */
export function conversationWord(id: string): string {
  return id.replaceAll('-', '');
}

/** Stores what search reads of a message, in the transaction that stores the message. A row that is there stays. */
export function insertText(
  connection: Connection,
  row: { readonly key: number; readonly conversation: string; readonly message: Message },
): void {
  const text = separated(messageText(row.message));
  if (text.trim() === '') return;
  connection.run(
    'INSERT OR IGNORE INTO message_texts (key, conversation, text) VALUES (?, ?, ?)',
    row.key,
    conversationWord(row.conversation),
    text,
  );
}
