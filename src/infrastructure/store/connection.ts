import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type SqlValue = string | number | null;

/** A row as it comes from outside: every reader decodes it. */
export type Row = Readonly<Record<string, unknown>>;

export type Synchronous = 'NORMAL' | 'FULL';

/** One connection with its prepared statements. Every call is synchronous and throws what SQLite reports. Whoever opened it closes it. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #synchronous: Synchronous | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Rows that the statement changed. */
  run(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  get(sql: string, ...values: readonly SqlValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  /** Rows one by one; a caller that stops early reads no more of them. */
  each(sql: string, ...values: readonly SqlValue[]): Iterable<Row> {
    return this.#statement(sql).iterate(...values);
  }

  /** One or more statements without parameters or results. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The value of a pragma, after setting it when `value` is given. Pragmas are not prepared: they change how statements run. */
  pragma(name: string, value?: string | number): unknown {
    const row: Row | undefined = this.#database
      .prepare(value === undefined ? `PRAGMA ${name}` : `PRAGMA ${name}=${value}`)
      .get();
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /**
   * Runs `work` inside one transaction and commits, or rolls back and throws. `write` takes the write lock at once (BEGIN
   * IMMEDIATE), so that nothing `work` has read can change under it.
   */
  transaction<T>(kind: 'read' | 'write', work: () => T): T {
    this.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** Ends the open transaction without keeping it. SQLite has ended it already after some errors; that is not an error here. */
  rollBack(): void {
    try {
      this.exec('ROLLBACK');
    } catch {
      // There is no transaction any more.
    }
  }

  /** How hard the next commit is pushed to the disk. Cannot change inside a transaction. */
  synchronise(level: Synchronous): void {
    if (this.#synchronous === level) return;
    this.pragma('synchronous', level);
    this.#synchronous = level;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
