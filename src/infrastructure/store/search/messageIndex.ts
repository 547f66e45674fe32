import { setImmediate } from 'node:timers/promises';
import type { ClockPort, ConversationId, Disposable } from '../../../agentkit/index.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import { boundedStep } from '../boundedStep.ts';
import type { Connection, Row } from '../connection.ts';
import { decodeJson } from '../decode.ts';
import { storedMessage } from '../runRows.ts';
import { storeFault } from '../sqlError.ts';
import type { StoreDatabase } from '../storeDatabase.ts';
import { type ThreadAnswer, StoreThread } from '../storeThread.ts';
import type { Statement } from '../storeWorker.ts';
import { hasMessageIndex } from './messageIndexSchema.ts';
import { insertText } from './messageTextRows.ts';

/**
 * Texts that enter or leave the index in one transaction, in which other windows wait: about a tenth of a second in a large index.
 * A text larger than the bound goes alone.
 */
const enteringRows = 100;
const enteringLength = 256 * 1024;
const leavingRows = 25;
/** Indexing by itself waits until nothing was stored for as long: it holds the write lock now and then. */
const quietMs = 2_000;

const indexSlice = `UPDATE message_texts SET is_indexed = 1 WHERE key IN (
  SELECT key FROM (
    SELECT key, sum(length(text)) OVER (ORDER BY key) - length(text) AS length_before
    FROM (SELECT key, text FROM message_texts WHERE is_indexed = 0 ORDER BY key LIMIT ${enteringRows}))
  WHERE length_before < ${enteringLength})`;
const releaseSlice = `UPDATE message_texts SET is_indexed = 0 WHERE key IN (
  SELECT message_texts.key FROM messages JOIN message_texts ON message_texts.key = messages.key
  WHERE messages.conversation_id = ? AND ordinal >= ? AND is_indexed = 1 LIMIT ${leavingRows})`;
const isWaiting = 'SELECT 1 FROM message_texts WHERE is_indexed = 0 LIMIT 1';

/** How a question about messages can be answered now. */
export type SearchWay =
  /** There is no store yet. */
  | 'empty'
  | 'index'
  /** By looking at the texts themselves, because there is no index or it cannot be brought up to date. */
  | 'texts';

/**
 * The full-text index of this window's store. Writing a message only notes that its text waits; the words enter the index on the
 * thread, because merging an index of a million messages takes a quarter of a second now and then. They are there before the next
 * question is answered. Nothing here runs before a run has ended or somebody searches.
 */
export class MessageIndex implements Disposable {
  readonly #database: StoreDatabase;
  readonly #clock: ClockPort;
  readonly #log: LogPort;
  readonly #thread: StoreThread;
  readonly #closing = new AbortController();
  #releases = 0;
  #soon: Disposable | undefined;

  constructor(options: {
    readonly database: StoreDatabase;
    readonly path: string;
    readonly clock: ClockPort;
    readonly log: LogPort;
  }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#thread = new StoreThread({
      path: options.path,
      isReadOnly: () => !this.#canWrite,
      setup: ['PRAGMA busy_timeout=5000', 'PRAGMA secure_delete=ON', 'PRAGMA cache_size=-16384'],
      clock: options.clock,
    });
  }

  get #canWrite(): boolean {
    return this.#database.state.k === 'ready';
  }

  /** Brings texts and index up to date, as far as the store can be written, and says how to ask. */
  async prepare(signal: AbortSignal): Promise<SearchWay> {
    await this.#database.read(() => undefined);
    const hasIndex = this.#database.peek(hasMessageIndex);
    if (hasIndex === undefined) return 'empty';
    if (!this.#canWrite) return 'texts';
    await this.#fillBacklog(signal);
    if (!hasIndex) return 'texts';
    try {
      await this.#indexWaiting(signal);
      return 'index';
    } catch (error) {
      signal.throwIfAborted();
      this.#log.warn('store', `the index is behind, texts are searched instead: ${messageOf(error)}`);
      return 'texts';
    }
  }

  /** The same in the background, a moment after the last request for it. Failures are logged. */
  prepareSoon(): void {
    this.#soon?.dispose();
    this.#soon = this.#clock.after(quietMs, () => {
      this.prepare(this.#closing.signal).catch((error: unknown) => {
        if (!this.#closing.signal.aborted)
          this.#log.warn('store', `texts wait to be indexed: ${messageOf(error)}`);
      });
    });
  }

  /** Asks on the thread; one answer a statement, all from one state of the store. */
  async ask(statements: readonly Statement[], signal: AbortSignal): Promise<readonly ThreadAnswer[]> {
    return this.#run({ kind: 'read', statements }, signal);
  }

  /**
   * Runs `remove`, which removes messages of a conversation from a place on. Before it, in slices, their words leave the index: it
   * takes milliseconds a message, and the removal itself holds the write lock in one transaction. When this stops half-way the
   * conversation is still whole, and its words return.
   */
  async beforeRemoving<T>(id: ConversationId, fromOrdinal: number, remove: () => Promise<T>): Promise<T> {
    this.#releases++;
    try {
      if (this.#database.peek(hasMessageIndex) === true && this.#canWrite)
        for (let changes = leavingRows; changes === leavingRows;)
          changes = await this.#change(
            { sql: releaseSlice, values: [id, fromOrdinal] },
            this.#closing.signal,
          );
      return await remove();
    } finally {
      this.#releases--;
    }
  }

  dispose(): void {
    this.#closing.abort(new Error('the store is closed'));
    this.#soon?.dispose();
    this.#thread.dispose();
  }

  async #indexWaiting(signal: AbortSignal): Promise<void> {
    const [waiting] = await this.ask([{ sql: isWaiting, values: [] }], signal);
    if (waiting?.rows.length === 0) return;
    for (let changes = 1; changes > 0 && this.#releases === 0;)
      changes = await this.#change({ sql: indexSlice, values: [] }, signal);
  }

  /** Rows that it changed. */
  async #change(statement: Statement, signal: AbortSignal): Promise<number> {
    const [answer] = await this.#run({ kind: 'write', statements: [statement] }, signal);
    return answer?.changes ?? 0;
  }

  async #run(job: Parameters<StoreThread['run']>[0], signal: AbortSignal): Promise<readonly ThreadAnswer[]> {
    try {
      return await this.#thread.run(job, signal);
    } catch (error) {
      throw signal.aborted ? error : storeFault(error);
    }
  }

  /** Makes the texts of messages that were written before there were texts, the newest first. */
  async #fillBacklog(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const rows = await this.#database.read(nextOfBacklog);
      if (rows === undefined) return;
      const below = rows.length === 0 ? 0 : Math.min(...rows.map((row) => Number(row['key'])));
      const messages = rows.flatMap((row) => {
        const name = `the message ${String(row['id'])}`;
        const message = decodeJson(storedMessage, row['payload'], { name, log: this.#log });
        return message === undefined
          ? []
          : [{ key: Number(row['key']), conversation: String(row['conversation_id']), message }];
      });
      await this.#database.write({}, (connection) => {
        for (const { key, conversation, message } of messages) {
          const isThere = connection.get('SELECT 1 FROM messages WHERE key = ? AND id = ?', key, message.id);
          if (isThere !== undefined) insertText(connection, { key, conversation, message });
        }
        connection.run('UPDATE text_backlog SET below = min(below, ?)', below);
      });
      await setImmediate();
    }
  }
}

/** Undefined when there is no backlog; empty when nothing of it is left. */
function nextOfBacklog(connection: Connection): readonly Row[] | undefined {
  const below = Number(connection.get('SELECT below FROM text_backlog')?.['below'] ?? 0);
  if (below <= 0) return undefined;
  const rows = connection.each(
    'SELECT key, id, conversation_id, payload FROM messages WHERE key < ? ORDER BY key DESC',
    below,
  );
  return boundedStep(rows, ['payload']).rows;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
