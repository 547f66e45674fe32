import { messageId, uuidFromDigest, type MessageId } from './ids.ts';
import type { ContextSnapshot, UserMessage } from './message.ts';

/** One varying fact, put in front of the user message it describes. The same message gives the same id for ever. */
export interface ContextBlock {
  readonly id: MessageId;
  readonly field: string;
  readonly text: string;
}

/**
 * The blocks of one user message: one for each field whose text differs from the snapshot before it, in sorted order of the fields.
 * A field that is missing counts as empty, so an empty field at the start of a conversation gives no block.
 * Source: agent runtime contract, section 2.
 */
export function contextBlocks(
  message: Pick<UserMessage, 'id' | 'context'>,
  before: ContextSnapshot,
  say: (field: string, text: string) => string,
): readonly ContextBlock[] {
  return [...new Set([...Object.keys(before), ...Object.keys(message.context)])]
    .sort()
    .filter((field) => (message.context[field] ?? '') !== (before[field] ?? ''))
    .map((field, index) => ({
      id: messageId(uuidFromDigest(`context-block:${message.id}:${String(index)}`)),
      field,
      text: say(field, message.context[field] ?? ''),
    }));
}
