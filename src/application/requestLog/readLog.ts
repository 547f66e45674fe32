import type { ConversationId } from '../../agentkit/index.ts';
import type { PartRange, RequestLogPort, StoredLogEntry } from '../ports/requestLog.ts';

/** Whose log is read. */
export interface LoggedConversation {
  readonly id: ConversationId;
  readonly title: string;
}

/** The request logs for a person. Both texts are complete when there is nothing, and reject as `RequestLogPort` does. */
export interface RequestLogReader {
  /** Markdown. */
  show(conversation: LoggedConversation): Promise<string>;
  /** JSON. */
  export(conversation: LoggedConversation): Promise<string>;
}

/** An entry with those of its parts that no entry before it named. */
export interface ReadEntry extends StoredLogEntry {
  readonly fresh: readonly PartRange[];
}

/** All entries of a log, oldest first, without bodies. */
export async function readEntries(log: RequestLogPort, id: ConversationId): Promise<readonly ReadEntry[]> {
  const entries: ReadEntry[] = [];
  const named = new Set<number>();
  for await (const stored of log.entries(id)) {
    const fresh: [number, number][] = [];
    for (const [from, to] of stored.parts)
      for (let number = from; number <= to; number++) {
        if (named.has(number)) continue;
        named.add(number);
        const last = fresh.at(-1);
        if (last !== undefined && last[1] === number - 1) last[1] = number;
        else fresh.push([number, number]);
      }
    entries.push({ ...stored, fresh });
  }
  return entries;
}

/**
 * A log as one JSON document: every stored body once under its number, every entry with the ranges of numbers that it names. Empty
 * where nothing was logged. Never localised. Source: vscode.md section 11.
 */
export async function exportLog(log: RequestLogPort, conversation: LoggedConversation): Promise<string> {
  const lines: string[] = [];
  const parts: string[] = [];
  for await (const { number, hash, body } of log.parts(conversation.id, [1, Number.MAX_SAFE_INTEGER]))
    parts.push(`    ${JSON.stringify(String(number))}: {"hash": ${JSON.stringify(hash)}, "body": ${body}}`);
  for await (const { entry, parts: ranges } of log.entries(conversation.id))
    lines.push(`    ${JSON.stringify({ ...entry, parts: ranges })}`);
  const block = (content: readonly string[]): string =>
    content.length === 0 ? '' : `\n${content.join(',\n')}\n  `;
  return `{
  "format": "termind request log",
  "version": 1,
  "conversation": ${JSON.stringify({ id: conversation.id, title: conversation.title })},
  "parts": {${block(parts)}},
  "entries": [${block(lines)}]
}
`;
}
