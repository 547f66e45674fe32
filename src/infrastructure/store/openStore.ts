import type { ClockPort, Disposable, MessageSearchPort, RunStorePort } from '../../agentkit/index.ts';
import type { ForwardLeasePort } from '../../application/ports/forwards.ts';
import type { GrantStorePort } from '../../application/ports/grants.ts';
import type { HostStorePort } from '../../application/ports/hosts.ts';
import type { KnownHostsStorePort } from '../../application/ports/knownHosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { RequestLogPort } from '../../application/ports/requestLog.ts';
import type { OperationsPort } from '../../application/ports/operations.ts';
import type { StoreStatePort } from '../../application/ports/store.ts';
import type { TransferStorePort } from '../../application/ports/transfers.ts';
import { ChangeNotice } from './changeNotice.ts';
import { thisProcess } from './leases.ts';
import { openMemoryStore } from './memory/openMemoryStore.ts';
import { SqliteOperations } from './operations/sqliteOperations.ts';
import { storePaths } from './paths.ts';
import { migrations } from './schema/migrations.ts';
import { loadSqlite, type SqliteModule } from './sqlite.ts';
import { MessageIndex } from './search/messageIndex.ts';
import { SqliteMessageSearch } from './search/sqliteMessageSearch.ts';
import { SqliteForwardLeases } from './sqliteForwardLeases.ts';
import { SqliteGrants } from './sqliteGrants.ts';
import { SqliteHostStore } from './sqliteHostStore.ts';
import { SqliteRequestLog } from './sqliteRequestLog.ts';
import { SqliteKnownHostsStore } from './sqliteKnownHostsStore.ts';
import { SqliteRunStore } from './sqliteRunStore.ts';
import { SqliteTransfers } from './sqliteTransfers.ts';
import { StoreDatabase } from './storeDatabase.ts';

export interface OpenStoreOptions {
  /** Created at the first write. All windows of this user share it. */
  readonly directory: string;
  readonly clock: ClockPort;
  /** Names this window in leases; differs between windows that are open at the same time. */
  readonly windowId: string;
  readonly log: LogPort;
  /** The runtime's SQLite by default; undefined is a runtime without it. */
  readonly sqlite?: SqliteModule | undefined;
  /** False is a runtime whose SQLite has no full-text search: messages are then searched by looking at them. */
  readonly fullText?: boolean;
  /** Most bytes of one conversation's request log; 64 MiB by default. */
  readonly requestLogBytes?: number | undefined;
}

export interface Store extends Disposable {
  readonly runs: RunStorePort;
  readonly search: MessageSearchPort;
  readonly requestLog: RequestLogPort;
  readonly operations: OperationsPort;
  readonly grants: GrantStorePort;
  readonly hosts: HostStorePort;
  readonly knownHosts: KnownHostsStorePort;
  readonly forwardLeases: ForwardLeasePort;
  readonly transfers: TransferStorePort;
  readonly state: StoreStatePort;
}

/**
 * The store of this window. Touches no file before the first read or write. Without `node:sqlite` it lives in memory and its state
 * says so. Disposing closes the file, the watcher and every timer; what was asked for and not yet written is refused.
 */
export function openStore(options: OpenStoreOptions): Store {
  const sqlite = 'sqlite' in options ? options.sqlite : loadSqlite();
  return sqlite === undefined ? openMemoryStore(options) : openFileStore(options, sqlite);
}

function openFileStore(options: OpenStoreOptions, sqlite: SqliteModule): Store {
  const { directory, clock, windowId, log, fullText = true } = options;
  const paths = storePaths(directory);
  const database = new StoreDatabase({ sqlite, paths, migrations, fullText, clock, log });
  const index = new MessageIndex({ database, path: paths.database, clock, log });
  const notice = new ChangeNotice({ database, paths, clock, log });
  const knownHosts = new SqliteKnownHostsStore(database, paths.knownHosts);
  const operations = new SqliteOperations({ database, clock, window: windowId, log });
  const opened = database.onDidOpen(() => {
    knownHosts
      .repairFile()
      .catch((error: unknown) => log.warn('store', `known_hosts was not written: ${String(error)}`));
  });
  return {
    runs: new SqliteRunStore({ database, index, operations, clock, self: thisProcess(windowId), log }),
    search: new SqliteMessageSearch(index),
    requestLog: new SqliteRequestLog({ database, log, maxBytes: options.requestLogBytes }),
    operations,
    grants: new SqliteGrants({ database, clock, log }),
    hosts: new SqliteHostStore(database, log),
    knownHosts,
    forwardLeases: new SqliteForwardLeases({ database, clock, self: thisProcess(windowId) }),
    transfers: new SqliteTransfers({ database, clock, self: thisProcess(windowId), log }),
    state: {
      state: () => database.state,
      onDidChangeState: database.onDidChangeState,
      onDidChangeRows: notice.onDidChangeRows,
      keepChecking: () => notice.keepChecking(),
      setAsideDamaged: async () =>
        database.setAside(new Date(clock.now()).toISOString().replaceAll(':', '-')),
    },
    dispose() {
      opened.dispose();
      operations.dispose();
      notice.dispose();
      index.dispose();
      database.dispose();
    },
  };
}
