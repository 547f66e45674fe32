import { existsSync, rmSync } from 'node:fs';
import { type ClockPort, Emitter } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { StoreArea, StoreState } from '../../application/ports/store.ts';
import { localFault, type TermindError } from '../../domain/fault.ts';
import { raiseRevision, revisionStatement } from './changes.ts';
import type { Connection } from './connection.ts';
import { openEmpty, openFile, type OpenStoreFile, setAside } from './openFile.ts';
import type { StorePaths } from './paths.ts';
import type { Migration } from './schema/migrations.ts';
import { isBusy, storeFault } from './sqlError.ts';
import type { SqliteModule } from './sqlite.ts';
import { runOnWorker, type Statement } from './storeWorker.ts';

/** How long a write is tried while another window holds the lock. Source: vscode.md 9. */
const busyLimitMs = 5_000;
const firstPauseMs = 2;
const longestPauseMs = 100;
/** Workers may wait inside SQLite: nothing else runs on their thread. */
const workerSetup = [
  'PRAGMA busy_timeout=5000',
  'PRAGMA foreign_keys=ON',
  'PRAGMA secure_delete=ON',
  'PRAGMA synchronous=FULL',
];

export interface StoreDatabaseOptions {
  readonly sqlite: SqliteModule;
  readonly paths: StorePaths;
  readonly migrations: readonly Migration[];
  /** See `openFile`. */
  readonly fullText?: boolean;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

export interface WriteOptions {
  /** Whose rows change; other windows are told. Absent for what nobody shows. */
  readonly area?: StoreArea;
  /** The commit has reached the disk before the promise resolves. */
  readonly isDurable?: boolean;
}

/**
 * The one connection of this window to `termind.db`. It opens at the first use and is created at the first write; reads before
 * that see an empty store. Every rejection is a `TermindError`: `store-busy` when another window kept the lock for 5 s,
 * `store-read-only`, `store-newer`, `store-damaged`, `store-missing`, `stale-write`. `dispose` closes it. Source: vscode.md 9.
 */
export class StoreDatabase {
  readonly #options: StoreDatabaseOptions;
  readonly #closing = new AbortController();
  readonly #stateChanges: Emitter<StoreState>;
  readonly #commits: Emitter<void>;
  readonly #openings: Emitter<{ readonly wasReadEmpty: boolean }>;
  #state: StoreState = { k: 'ready' };
  #open: OpenStoreFile | undefined;
  #opening: Promise<OpenStoreFile> | undefined;
  #empty: Connection | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(options: StoreDatabaseOptions) {
    this.#options = options;
    const onError = (error: unknown): void => options.log.error('store', 'a listener failed', error);
    this.#stateChanges = new Emitter(onError);
    this.#commits = new Emitter(onError);
    this.#openings = new Emitter(onError);
  }

  get state(): StoreState {
    return this.#state;
  }

  get onDidChangeState(): Emitter<StoreState>['event'] {
    return this.#stateChanges.event;
  }

  /** After each commit of this window that changed an area. */
  get onDidCommit(): Emitter<void>['event'] {
    return this.#commits.event;
  }

  /** The file is open, before anything was read from it. `wasReadEmpty`: earlier reads saw a store without a file. */
  get onDidOpen(): Emitter<{ readonly wasReadEmpty: boolean }>['event'] {
    return this.#openings.event;
  }

  /** Runs `read` on one state of the store. It is synchronous, bounded (200 rows or 1 MiB) and may run again. */
  async read<T>(read: (connection: Connection) => T): Promise<T> {
    return this.#retry(this.#deadline(), async () => {
      const connection = await this.#connectionToRead();
      return connection.transaction('read', () => read(connection));
    });
  }

  /**
   * Runs `write` in one transaction that holds the write lock, and resolves after the commit. Writes of this window are committed
   * in the order they were asked for. `write` is synchronous and bounded and runs again after a lost lock, so whatever it does
   * outside the database must bear repetition.
   */
  write<T>(options: WriteOptions, write: (connection: Connection) => T): Promise<T> {
    const deadline = this.#deadline();
    const turn = this.#lastWrite.then(() =>
      this.#retry(deadline, async () => {
        const { connection } = await this.#openToWrite();
        connection.synchronise(options.isDurable === true ? 'FULL' : 'NORMAL');
        return connection.transaction('write', () => {
          const result = write(connection);
          if (options.area !== undefined) raiseRevision(connection, options.area);
          return result;
        });
      }),
    );
    this.#lastWrite = turn.then(
      () => this.#committed(options.area),
      () => {},
    );
    return turn;
  }

  /**
   * Runs statements of any size in one durable transaction on a worker thread. With `reclaim` the freed pages then leave the file
   * and its log, and the copy from before a migration is removed, so that deleted text is gone from the disk; if other windows hold old pages for longer than 5 s the rest goes
   * with the next checkpoint, and the log says so.
   */
  async bulk(
    statements: readonly Statement[],
    options: { readonly area: StoreArea; readonly reclaim: boolean },
  ): Promise<void> {
    const { paths, log } = this.#options;
    await this.#retry(this.#deadline(), async () => {
      await this.#openToWrite();
      const rows = await runOnWorker(
        {
          path: paths.database,
          setup: workerSetup,
          transaction: [...statements, revisionStatement(options.area)],
          after: options.reclaim ? ['PRAGMA incremental_vacuum', 'PRAGMA wal_checkpoint(TRUNCATE)'] : [],
        },
        this.#closing.signal,
      );
      if (options.reclaim) rmSync(paths.copy, { force: true });
      if (rows.at(-1)?.['busy'] === 1)
        log.warn('store', 'deleted rows stay in the log until the next checkpoint');
    });
    this.#committed(options.area);
  }

  /** A read that never waits, never opens anything and never fails; undefined when it cannot be done now. */
  peek<T>(read: (connection: Connection) => T): T | undefined {
    if (this.#open === undefined) return undefined;
    try {
      return read(this.#open.connection);
    } catch (error) {
      if (!isBusy(error)) this.#fail(error);
      return undefined;
    }
  }

  /** Opens the file if there is one now; used by whoever waits for another window to create it. */
  async openIfPresent(): Promise<void> {
    if (this.#open === undefined && existsSync(this.#options.paths.database))
      await this.read(() => undefined);
  }

  /** Renames a damaged file, on the user's word; the next write starts an empty store. Returns the new name. */
  setAside(stamp: string): string {
    this.#close();
    const name = setAside(this.#options.paths, stamp);
    this.#enter({ k: 'ready' });
    return name;
  }

  dispose(): void {
    this.#closing.abort(localFault('store-missing', { reason: 'it is closed' }));
    this.#close();
    this.#empty?.close();
    this.#empty = undefined;
    for (const emitter of [this.#stateChanges, this.#commits, this.#openings]) emitter.dispose();
  }

  #deadline(): number {
    return this.#options.clock.monotonic() + busyLimitMs;
  }

  async #retry<T>(deadline: number, attempt: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      signal.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        const leftMs = deadline - clock.monotonic();
        if (!isBusy(error) || leftMs <= 0) throw this.#fail(error);
        await clock.sleep(Math.min(pauseMs, leftMs), signal);
      }
    }
  }

  async #connectionToRead(): Promise<Connection> {
    const { paths, sqlite, migrations } = this.#options;
    if (this.#open !== undefined || existsSync(paths.database)) return (await this.#ensureOpen()).connection;
    this.#empty ??= openEmpty(sqlite, migrations);
    return this.#empty;
  }

  async #openToWrite(): Promise<OpenStoreFile> {
    // A folder that was read-only may be writable by now; a newer schema stays newer.
    if (this.#open?.readOnly?.fault.code === 'store-read-only') this.#close();
    const open = await this.#ensureOpen();
    if (open.readOnly !== undefined) throw open.readOnly;
    return open;
  }

  #committed(area: StoreArea | undefined): void {
    if (this.#state.k === 'unavailable' && this.#state.fault.code === 'store-missing')
      this.#enter({ k: 'ready' });
    if (area !== undefined) this.#commits.fire();
  }

  #ensureOpen(): Promise<OpenStoreFile> {
    if (this.#open !== undefined) return Promise.resolve(this.#open);
    this.#opening ??= this.#openNow().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openNow(): Promise<OpenStoreFile> {
    const { signal } = this.#closing;
    const open = await openFile(this.#options, signal);
    if (signal.aborted) {
      open.connection.close();
      signal.throwIfAborted();
    }
    this.#open = open;
    const wasReadEmpty = this.#empty !== undefined;
    this.#empty?.close();
    this.#empty = undefined;
    this.#enter(open.readOnly === undefined ? { k: 'ready' } : { k: 'readOnly', fault: open.readOnly.fault });
    this.#openings.fire({ wasReadEmpty });
    return open;
  }

  /** The fault of a failure; one that lasts is also the store's state. */
  #fail(error: unknown): TermindError {
    const failure = storeFault(error);
    // Tables of a newer schema need not be the ones that this build reads.
    if (failure.fault.code === 'internal' && this.#open?.readOnly !== undefined) return this.#open.readOnly;
    switch (failure.fault.code) {
      case 'store-damaged':
      case 'store-missing':
        if (!this.#closing.signal.aborted) this.#enter({ k: 'unavailable', fault: failure.fault });
        break;
      case 'store-read-only':
      case 'store-newer':
        if (this.#open === undefined) this.#enter({ k: 'readOnly', fault: failure.fault });
        break;
      default:
    }
    return failure;
  }

  #enter(state: StoreState): void {
    const before = this.#state;
    this.#state = state;
    if (JSON.stringify(before) !== JSON.stringify(state)) this.#stateChanges.fire(state);
  }

  #close(): void {
    this.#open?.connection.close();
    this.#open = undefined;
  }
}
