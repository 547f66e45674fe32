import { setImmediate } from 'node:timers/promises';
import { Emitter, type Disposable, type Event } from '../../../agentkit/index.ts';
import type {
  ActEntry,
  ChainBounds,
  OperationRow,
  OperationsPort,
} from '../../../application/ports/operations.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import type { ChainPoint } from '../../../domain/operations/operationChain.ts';
import { boundedStep } from '../boundedStep.ts';
import type { Connection, SqlValue } from '../connection.ts';
import type { StoreDatabase } from '../storeDatabase.ts';
import { appendOperation, boundsOf, toOperationRow } from './operationRows.ts';

/** Rows that one commit removes: a few milliseconds on the calling thread. */
const prunedAtOnce = 200;
/** Rows that one look for old ones reads; their times are computed from their texts. */
const lookedAtOnce = 1_000;

export interface SqliteOperationsOptions {
  readonly database: StoreDatabase;
  readonly clock: { now(): number };
  readonly window: string;
  readonly log: LogPort;
}

/** The operations log of all windows. Faults are those of `StoreDatabase`. `dispose` ends the event only. */
export class SqliteOperations implements OperationsPort, Disposable {
  readonly #options: SqliteOperationsOptions;
  readonly #appended: Emitter<ChainPoint>;

  constructor(options: SqliteOperationsOptions) {
    this.#options = options;
    this.#appended = new Emitter((error) => options.log.error('store', 'a listener failed', error));
  }

  get onDidAppend(): Event<ChainPoint> {
    return this.#appended.event;
  }

  /** Tells that rows which somebody else wrote in this window are on the disk. */
  noteAppended(head: ChainPoint): void {
    this.#appended.fire(head);
  }

  async append(entry: ActEntry): Promise<ChainPoint> {
    const head = await this.#options.database.write({ isDurable: true }, (connection) =>
      appendOperation(connection, entry),
    );
    this.noteAppended(head);
    return head;
  }

  async *rows(after: number): AsyncGenerator<OperationRow, void, undefined> {
    for (let last = after; ;) {
      const { rows, isLast } = await this.#step(
        'SELECT seq, hash, entry FROM operations WHERE seq > ? ORDER BY seq',
        last,
      );
      for (const row of rows) {
        last = row.seq;
        yield row;
      }
      if (isLast) return;
      await setImmediate();
    }
  }

  async *newest({
    hostId,
    limit,
  }: Parameters<OperationsPort['newest']>[0]): AsyncGenerator<OperationRow, void, undefined> {
    const [where, values]: readonly [string, readonly SqlValue[]] =
      hostId === undefined ? ['', []] : ['host_id = ? AND', [hostId]];
    let left = limit;
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const { rows, isLast } = await this.#step(
        `SELECT seq, hash, entry FROM operations WHERE ${where} seq < ? ORDER BY seq DESC`,
        ...values,
        before,
      );
      for (const row of rows) {
        if (left-- <= 0) return;
        before = row.seq;
        yield row;
      }
      if (isLast) return;
      await setImmediate();
    }
  }

  bounds(): Promise<ChainBounds> {
    return this.#options.database.read(boundsOf);
  }

  hashAt(seq: number): Promise<string | undefined> {
    return this.#options.database.read((connection) => hashAt(connection, seq));
  }

  async prune(before: number): Promise<number> {
    for (let removed = 0; ;) {
      const { through, isCut } = await this.#options.database.read((connection) =>
        lookForOld(connection, before),
      );
      if (through !== undefined) removed += await this.#removeThrough(through);
      if (!isCut) return removed;
    }
  }

  dispose(): void {
    this.#appended.dispose();
  }

  /** In slices, each of them a commit; the first says what is going to be gone. */
  async #removeThrough(through: number): Promise<number> {
    const { database, clock, window } = this.#options;
    for (let removed = 0; ;) {
      const gone = await database.write({ isDurable: true }, (connection) => {
        const { anchor } = boundsOf(connection);
        const hash = hashAt(connection, through);
        if (through <= anchor.seq || hash === undefined) return 0;
        if (removed === 0)
          appendOperation(connection, {
            kind: 'pruned',
            at: clock.now(),
            window,
            actor: 'termind',
            through,
            hash,
          });
        const step = Math.min(through, anchor.seq + prunedAtOnce);
        connection.run(
          'UPDATE operations_anchor SET seq = ?1, hash = (SELECT hash FROM operations WHERE seq = ?1)',
          step,
        );
        return connection.run('DELETE FROM operations WHERE seq <= ?', step);
      });
      if (gone === 0) return removed;
      removed += gone;
      await setImmediate();
    }
  }

  async #step(
    sql: string,
    ...values: readonly SqlValue[]
  ): Promise<{ readonly rows: readonly OperationRow[]; readonly isLast: boolean }> {
    const { rows, isLast } = await this.#options.database.read((connection) =>
      boundedStep(connection.each(sql, ...values), ['entry']),
    );
    return { rows: rows.map(toOperationRow), isLast };
  }
}

function hashAt(connection: Connection, seq: number): string | undefined {
  const hash = connection.get('SELECT hash FROM operations WHERE seq = ?', seq)?.['hash'];
  return typeof hash === 'string' ? hash : undefined;
}

/** The last of the rows at the beginning that are too old, and whether there may be more than one look reads. The newest row never goes. */
function lookForOld(
  connection: Connection,
  before: number,
): { readonly through: number | undefined; readonly isCut: boolean } {
  // Nearly always nothing is old, which the index tells at once.
  if (connection.get('SELECT 1 FROM operations WHERE at < ? LIMIT 1', before) === undefined)
    return { through: undefined, isCut: false };
  const { head } = boundsOf(connection);
  let through: number | undefined;
  for (const row of connection.each('SELECT seq, at FROM operations ORDER BY seq LIMIT ?', lookedAtOnce)) {
    const [seq, at] = [Number(row['seq']), row['at']];
    if (seq === head.seq || (typeof at === 'number' && at >= before)) return { through, isCut: false };
    through = seq;
  }
  return { through, isCut: true };
}
