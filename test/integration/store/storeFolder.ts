import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ClockPort } from '../../../src/agentkit/index.ts';
import type { LogPort } from '../../../src/application/ports/prompts.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { storePaths } from '../../../src/infrastructure/store/paths.ts';
import { type Migration, migrations } from '../../../src/infrastructure/store/schema/migrations.ts';
import { loadSqlite } from '../../../src/infrastructure/store/sqlite.ts';
import { StoreDatabase } from '../../../src/infrastructure/store/storeDatabase.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';

/** A folder for one test and what is opened in it; `dispose` closes all of it and removes the folder. */
export class StoreFolder {
  readonly parent = mkdtempSync(join(tmpdir(), 'termind-store-'));
  readonly directory = join(this.parent, 'global');
  readonly paths = storePaths(this.directory);
  readonly #open: { dispose(): void }[] = [];

  /** Opens as one more window. */
  window(
    options: {
      readonly clock?: ClockPort;
      readonly windowId?: string;
      readonly log?: LogPort;
      readonly fullText?: boolean;
      readonly requestLogBytes?: number;
    } = {},
  ): Store {
    return this.#own(
      openStore({
        directory: this.directory,
        clock: options.clock ?? new FakeClock(),
        windowId: options.windowId ?? `window-${this.#open.length}`,
        log: options.log ?? silentLog,
        fullText: options.fullText ?? true,
        requestLogBytes: options.requestLogBytes,
      }),
    );
  }

  /** The database below the ports, with a schema that may go further than ours. */
  databaseOf(
    options: { readonly migrations?: readonly Migration[]; readonly clock?: ClockPort } = {},
  ): StoreDatabase {
    const sqlite = loadSqlite();
    if (sqlite === undefined) throw new Error('this Node has no SQLite');
    return this.#own(
      new StoreDatabase({
        sqlite,
        paths: this.paths,
        migrations: options.migrations ?? migrations,
        clock: options.clock ?? new FakeClock(),
        log: silentLog,
      }),
    );
  }

  /** A connection that is none of ours, to look and to disturb. */
  outsider(): DatabaseSync {
    const database = new DatabaseSync(this.paths.database);
    this.#open.push({
      dispose: () => {
        if (database.isOpen) database.close();
      },
    });
    return database;
  }

  /**
   * Everything that lies in the folder, or the named files, as one text of bytes. Another process reads it: closing a file here would release the locks
   * that this process holds on it.
   */
  bytes(names: readonly string[] = readdirSync(this.directory)): string {
    const files = names.map((name) => join(this.directory, name));
    return execFileSync('cat', files, { encoding: 'latin1', maxBuffer: 256 * 1024 * 1024 });
  }

  dispose(): void {
    for (const item of this.#open.reverse()) item.dispose();
    if (existsSync(this.directory)) chmodSync(this.directory, 0o700);
    rmSync(this.parent, { recursive: true, force: true });
  }

  #own<T extends { dispose(): void }>(item: T): T {
    this.#open.push(item);
    return item;
  }
}

/** For `assert.rejects`: a fault of ours with this code. */
export const withFault =
  (code: string, reason?: string) =>
  (error: unknown): boolean =>
    isTermindError(error) &&
    error.fault.code === code &&
    (reason === undefined || error.fault.facts['reason'] === reason);
