import { setImmediate } from 'node:timers/promises';
import type { ConversationId } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type {
  LogEntry,
  LogPart,
  PartRange,
  RequestLogPort,
  StoredLogEntry,
} from '../../application/ports/requestLog.ts';
import { boundedStep } from './boundedStep.ts';
import type { Connection } from './connection.ts';
import { decodeJson } from './decode.ts';
import { storedLogEntry, storedRanges, toRanges } from './logEntries.ts';
import type { StoreDatabase } from './storeDatabase.ts';
import type { Statement } from './storeWorker.ts';

/** Source: decisions 16. */
const maxBytes = 64 * 1024 * 1024;
/** A log that has reached the limit shrinks to this share of it, so that it does not shrink with every entry. */
const keptShare = 0.9;

export interface SqliteRequestLogOptions {
  readonly database: StoreDatabase;
  readonly log: LogPort;
  /** Of one conversation; 64 MiB by default. */
  readonly maxBytes?: number | undefined;
}

/** Request logs in the store of all windows. Faults are those of `StoreDatabase`. */
export class SqliteRequestLog implements RequestLogPort {
  readonly #database: StoreDatabase;
  readonly #log: LogPort;
  readonly #maxBytes: number;
  /** Bytes of the logs that this window writes. */
  readonly #sizes = new Map<ConversationId, number>();

  constructor(options: SqliteRequestLogOptions) {
    this.#database = options.database;
    this.#log = options.log;
    this.#maxBytes = options.maxBytes ?? maxBytes;
  }

  async keep(id: ConversationId, parts: readonly LogPart[]): Promise<readonly number[]> {
    const kept = await this.#database.write({}, (connection) =>
      parts.map((part) => keepPart(connection, id, part)),
    );
    this.#grow(
      id,
      kept.reduce((sum, { added }) => sum + added, 0),
    );
    return kept.map(({ number }) => number);
  }

  async add(id: ConversationId, entry: LogEntry, parts: readonly number[]): Promise<boolean> {
    const ranges = toRanges(parts);
    const columns = [JSON.stringify(ranges), JSON.stringify(entry)] as const;
    const bytes = columns.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const isAdded = await this.#database.write({}, (connection) => {
      if (!areThere(connection, id, ranges)) return false;
      connection.run(
        'INSERT INTO request_log (conversation_id, last_part, bytes, at, parts, entry) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        lastPart(connection, id),
        bytes,
        entry.at,
        ...columns,
      );
      return true;
    });
    if (isAdded) this.#grow(id, bytes);
    await this.#shrink(id);
    return isAdded;
  }

  async *entries(id: ConversationId): AsyncGenerator<StoredLogEntry, void, undefined> {
    for (let after = 0; ;) {
      const { rows, isLast } = await this.#database.read((connection) =>
        boundedStep(
          connection.each(
            'SELECT key, parts, entry FROM request_log WHERE conversation_id = ? AND key > ? ORDER BY key',
            id,
            after,
          ),
          ['parts', 'entry'],
        ),
      );
      for (const row of rows) {
        after = Number(row['key']);
        const named = { name: `an entry of the request log (${after})`, log: this.#log };
        const entry = decodeJson(storedLogEntry, row['entry'], named);
        const parts = decodeJson(storedRanges, row['parts'], named);
        if (entry !== undefined && parts !== undefined) yield { entry, parts };
      }
      if (isLast) return;
      await setImmediate();
    }
  }

  async *parts(
    id: ConversationId,
    [from, to]: PartRange,
  ): AsyncGenerator<
    { readonly number: number; readonly hash: string; readonly body: string },
    void,
    undefined
  > {
    for (let after = from - 1; ;) {
      const { rows, isLast } = await this.#database.read((connection) =>
        boundedStep(
          connection.each(
            `SELECT number, hash, body FROM request_parts
             WHERE conversation_id = ? AND number > ? AND number <= ? ORDER BY number`,
            id,
            after,
            to,
          ),
          ['body'],
        ),
      );
      for (const row of rows) {
        after = Number(row['number']);
        yield { number: after, hash: String(row['hash']), body: String(row['body']) };
      }
      if (isLast) return;
      await setImmediate();
    }
  }

  #grow(id: ConversationId, bytes: number): void {
    const before = this.#sizes.get(id);
    if (before !== undefined) this.#sizes.set(id, before + bytes);
  }

  /** Keeps a log within its limit. What this window remembers of its size may be too much after a cut, never too little. */
  async #shrink(id: ConversationId): Promise<void> {
    if ((this.#sizes.get(id) ?? Infinity) <= this.#maxBytes) return;
    const bytes = await this.#database.read((connection) => sizeOf(connection, id));
    this.#sizes.set(id, bytes);
    if (bytes <= this.#maxBytes) return;
    const surplus = Math.ceil(bytes - this.#maxBytes * keptShare);
    await this.#database.bulk(shrinkStatements(id, surplus), { area: 'conversations', reclaim: false });
    this.#sizes.delete(id);
  }
}

function keepPart(
  connection: Connection,
  id: ConversationId,
  { itemId, hash, body }: LogPart,
): { readonly number: number; readonly added: number } {
  const known = connection.get(
    'SELECT number FROM request_parts WHERE conversation_id = ? AND hash = ?',
    id,
    hash,
  );
  if (known !== undefined) return { number: Number(known['number']), added: 0 };
  const added = Buffer.byteLength(body);
  const row = connection.get(
    'INSERT INTO request_parts (conversation_id, bytes, item_id, hash, body) VALUES (?, ?, ?, ?, ?) RETURNING number',
    id,
    added,
    itemId,
    hash,
    body,
  );
  return { number: Number(row?.['number']), added };
}

function areThere(connection: Connection, id: ConversationId, ranges: readonly PartRange[]): boolean {
  return ranges.every(([from, to]) => {
    const row = connection.get(
      'SELECT count(*) AS parts FROM request_parts WHERE conversation_id = ? AND number BETWEEN ? AND ?',
      id,
      from,
      to,
    );
    return row?.['parts'] === to - from + 1;
  });
}

function lastPart(connection: Connection, id: ConversationId): number {
  const row = connection.get('SELECT max(number) AS last FROM request_parts WHERE conversation_id = ?', id);
  return Number(row?.['last'] ?? 0);
}

function sizeOf(connection: Connection, id: ConversationId): number {
  const row = connection.get(
    `SELECT (SELECT total(bytes) FROM request_parts WHERE conversation_id = ?)
       + (SELECT total(bytes) FROM request_log WHERE conversation_id = ?) AS bytes`,
    id,
    id,
  );
  return Number(row?.['bytes'] ?? 0);
}

/** Removes the oldest bodies, and the entries from when there were no newer ones, until so many bytes are free. */
function shrinkStatements(id: ConversationId, bytes: number): readonly Statement[] {
  return [
    {
      sql: `CREATE TEMP TABLE oldest AS
        WITH sizes AS (
          SELECT number, bytes FROM request_parts WHERE conversation_id = ?1
          UNION ALL SELECT last_part, bytes FROM request_log WHERE conversation_id = ?1
        ), freed AS (SELECT number, sum(bytes) OVER (ORDER BY number) AS bytes FROM sizes)
        SELECT min(number) AS number FROM freed WHERE bytes >= ?2`,
      values: [id, bytes],
    },
    {
      sql: 'DELETE FROM request_log WHERE conversation_id = ? AND last_part <= (SELECT number FROM oldest)',
      values: [id],
    },
    {
      sql: 'DELETE FROM request_parts WHERE conversation_id = ? AND number <= (SELECT number FROM oldest)',
      values: [id],
    },
  ];
}

/**
 * Takes out of the log what carries a message at `from` or behind it, before these messages go: entries since the first of them was
 * written, bodies that no earlier entry names, and the messages themselves.
 */
export function cutLogStatements(id: ConversationId, from: number): readonly Statement[] {
  return [
    {
      sql: `DELETE FROM request_log WHERE conversation_id = ?1 AND at >= (SELECT min(json_extract(payload, '$.createdAt'))
              FROM messages WHERE conversation_id = ?1 AND ordinal >= ?2)`,
      values: [id, from],
    },
    {
      sql: `DELETE FROM request_parts WHERE conversation_id = ?1 AND (
              number > coalesce((SELECT max(last_part) FROM request_log WHERE conversation_id = ?1), 0)
              OR item_id IN (SELECT id FROM messages WHERE conversation_id = ?1 AND ordinal >= ?2))`,
      values: [id, from],
    },
  ];
}
