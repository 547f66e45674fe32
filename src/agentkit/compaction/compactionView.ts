import type { ContextSnapshot, Message } from '../message.ts';
import type { CompactionRecord } from '../runStore.ts';

/** A history as a request sees it. */
export interface CompactionView {
  /** Stands in for everything in front of `messages`; undefined when nothing is summarised. */
  readonly record: CompactionRecord | undefined;
  /** The varying facts as they stood at the end of what is summarised. */
  readonly context: ContextSnapshot;
  readonly messages: readonly Message[];
}

/**
 * The newest record whose boundary is still there, and the messages behind that boundary. A boundary between a call and its results
 * is no valid cut and is passed over. Takes a paired history. Source: agent runtime contract, sections 7 (step 2) and 22.
 */
export function compactionView(
  messages: readonly Message[],
  records: readonly CompactionRecord[],
): CompactionView {
  const newestFirst = [...records].reverse().sort((a, b) => b.createdAt - a.createdAt);
  for (const record of newestFirst) {
    const boundary = messages.findIndex((message) => message.id === record.boundary);
    if (boundary < 0 || messages[boundary + 1]?.role === 'tool') continue;
    const summarised = messages.slice(0, boundary + 1);
    return { record, context: contextAtEnd(summarised), messages: messages.slice(boundary + 1) };
  }
  return { record: undefined, context: {}, messages };
}

function contextAtEnd(messages: readonly Message[]): ContextSnapshot {
  const last = messages.findLast((message) => message.role === 'user');
  return last?.context ?? {};
}
