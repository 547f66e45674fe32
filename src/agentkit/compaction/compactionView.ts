import type { Message, UserMessage } from '../message.ts';
import type { CompactionRecord } from '../runStore.ts';

/**
 * What a request sees of a compacted history: the newest summary whose boundary is still there, then the messages behind that boundary.
 * A boundary between a call and its results is no valid cut and is passed over. Without a valid record everything is seen.
 * Source: agent runtime contract, sections 7 (step 2) and 22.
 */
export function compactionView(
  messages: readonly Message[],
  records: readonly CompactionRecord[],
): readonly Message[] {
  const newestFirst = [...records].sort((a, b) => b.createdAt - a.createdAt);
  for (const record of newestFirst) {
    const boundary = messages.findIndex((message) => message.id === record.boundary);
    const last = messages[boundary];
    const next = messages[boundary + 1];
    if (last === undefined || next?.role === 'tool') continue;
    return [summaryMessage(record, last), ...messages.slice(boundary + 1)];
  }
  return messages;
}

function summaryMessage(record: CompactionRecord, last: Message): UserMessage {
  return {
    role: 'user',
    id: record.messageId,
    runId: last.runId,
    createdAt: record.createdAt,
    text: record.summary,
    images: [],
    origin: { kind: 'compaction' },
    context: {},
  };
}
