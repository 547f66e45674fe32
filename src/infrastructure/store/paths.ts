import { join } from 'node:path';

/** Every file of the store. All have mode 0600 in a folder of mode 0700. */
export interface StorePaths {
  readonly directory: string;
  readonly database: string;
  /** SQLite's own log beside the database. */
  readonly writeAheadLog: string;
  readonly sharedMemory: string;
  /** Touched after every commit; watched by all windows. */
  readonly mark: string;
  /** The database as it was before the newest migration. */
  readonly copy: string;
  /** Accepted host keys in known_hosts format, for people and for system ssh. */
  readonly knownHosts: string;
}

export function storePaths(directory: string): StorePaths {
  const database = join(directory, 'termind.db');
  return {
    directory,
    database,
    writeAheadLog: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    mark: join(directory, 'changes.mark'),
    copy: `${database}.before-migration`,
    knownHosts: join(directory, 'known_hosts'),
  };
}
