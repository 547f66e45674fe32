import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localFault, type TermindError } from '../../domain/fault.ts';
import { Connection } from './connection.ts';
import type { StorePaths } from './paths.ts';
import type { Migration } from './schema/migrations.ts';
import { fitMessageIndex, hasFullText, hasMessageIndex } from './search/messageIndexSchema.ts';
import { lacksFolder } from './sqlError.ts';
import type { SqliteModule } from './sqlite.ts';
import { runOnWorker } from './storeWorker.ts';

/** Keeps the calling thread from sitting in SQLite while another window commits; longer waits are ours, and asynchronous. */
const busyTimeoutMs = 10;

export interface OpenStoreFile {
  readonly connection: Connection;
  /** Why nothing can be written; absent = everything can. */
  readonly readOnly: TermindError | undefined;
}

export interface OpenFileOptions {
  readonly sqlite: SqliteModule;
  readonly paths: StorePaths;
  readonly migrations: readonly Migration[];
  /** False is a runtime whose SQLite has no full-text search, whatever it has. */
  readonly fullText?: boolean;
}

/**
 * Opens the database, creating and migrating it where needed. A file with a newer schema, or one that this process may not write,
 * opens read-only. Throws what SQLite or the file system reported; a busy file can be tried again. A file that is not readable as
 * a database is never touched. Source: vscode.md 9.
 */
export async function openFile(options: OpenFileOptions, signal: AbortSignal): Promise<OpenStoreFile> {
  const { paths, migrations } = options;
  createFile(paths);
  if (!isWritable(paths.directory) || !isWritable(paths.database))
    return openReadOnly(
      options,
      localFault('store-read-only', { reason: 'its folder or file is read-only' }),
    );
  const connection = new Connection(new options.sqlite.DatabaseSync(paths.database));
  try {
    connection.pragma('busy_timeout', busyTimeoutMs);
    if (schemaVersion(connection) > migrations.length) {
      connection.close();
      return openReadOnly(options, localFault('store-newer'));
    }
    prepare(connection);
    if (schemaVersion(connection) === migrations.length) rmSync(paths.copy, { force: true });
    else await migrate(connection, options, signal);
    fitIndex(connection, options);
    return { connection, readOnly: undefined };
  } catch (error) {
    connection.rollBack();
    connection.close();
    throw error;
  }
}

/** The settings of vscode.md 9. `auto_vacuum` and the journal mode are kept in the file, the rest belongs to the connection. */
export function prepare(connection: Connection): void {
  connection.pragma('auto_vacuum', 'INCREMENTAL');
  if (connection.pragma('journal_mode', 'WAL') !== 'wal') connection.pragma('journal_mode', 'TRUNCATE');
  connection.synchronise('NORMAL');
  connection.pragma('foreign_keys', 'ON');
  connection.pragma('secure_delete', 'ON');
}

/** A store without a file, for reads before the first write. */
export function openEmpty(sqlite: SqliteModule, migrations: readonly Migration[]): Connection {
  const connection = new Connection(new sqlite.DatabaseSync(':memory:'));
  for (const step of migrations) step(connection);
  return connection;
}

function createFile(paths: StorePaths): void {
  if (existsSync(paths.database)) return;
  if (!existsSync(paths.directory)) mkdirSync(paths.directory, { recursive: true, mode: 0o700 });
  try {
    // SQLite gives its log files the mode of the database.
    closeSync(openSync(paths.database, 'wx', 0o600));
  } catch (error) {
    if (!existsSync(paths.database)) throw error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function openReadOnly({ sqlite, paths }: OpenFileOptions, readOnly: TermindError): OpenStoreFile {
  try {
    return { connection: openForReading(sqlite, paths.database), readOnly };
  } catch (error) {
    // Reading a write-ahead log needs a file beside it, which a read-only folder refuses. Without a log there is nothing to miss.
    if (!lacksFolder(error) || hasContent(paths.writeAheadLog)) throw error;
    return {
      connection: openForReading(sqlite, `${pathToFileURL(paths.database).href}?immutable=1`),
      readOnly,
    };
  }
}

function openForReading(sqlite: SqliteModule, location: string): Connection {
  const connection = new Connection(new sqlite.DatabaseSync(location, { readOnly: true }));
  try {
    connection.pragma('busy_timeout', busyTimeoutMs);
    schemaVersion(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function schemaVersion(connection: Connection): number {
  return Number(connection.pragma('user_version'));
}

/** All missing steps in one transaction, behind one copy of a file that has rows to lose. */
async function migrate(
  connection: Connection,
  { paths, migrations }: OpenFileOptions,
  signal: AbortSignal,
): Promise<void> {
  connection.exec('BEGIN IMMEDIATE');
  // Another window may have migrated it before the lock was ours.
  const version = schemaVersion(connection);
  if (version > 0 && version < migrations.length) await copyFile(paths, signal);
  for (const step of migrations.slice(version)) step(connection);
  if (version < migrations.length) connection.pragma('user_version', migrations.length);
  connection.exec('COMMIT');
}

/** Makes or removes the full-text index, whichever this runtime asks for; nearly always nothing is to be done. */
function fitIndex(connection: Connection, { fullText = true }: OpenFileOptions): void {
  const canKeep = fullText && hasFullText(connection);
  if (hasMessageIndex(connection) === canKeep) return;
  connection.transaction('write', () => fitMessageIndex(connection, canKeep));
}

/**
 * Copies what is committed. SQLite does it on a connection of its own: opening the file by other means would release this process's
 * locks on it when it is closed. The caller holds the write lock, so nothing can be committed behind the copy.
 * Source: https://sqlite.org/howtocorrupt.html section 2.2.
 */
async function copyFile(paths: StorePaths, signal: AbortSignal): Promise<void> {
  const unfinished = `${paths.copy}.part`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  const quoted = unfinished.replaceAll("'", "''");
  const job = { path: paths.database, setup: [], transaction: [], after: [`VACUUM INTO '${quoted}'`] };
  await runOnWorker(job, signal);
  renameSync(unfinished, paths.copy);
}

/** Puts a damaged database out of the way, on the user's word. Returns the name it has now. */
export function setAside(paths: StorePaths, stamp: string): string {
  const suffix = `.damaged-${stamp}`;
  renameSync(paths.database, `${paths.database}${suffix}`);
  for (const path of [paths.writeAheadLog, paths.sharedMemory])
    if (existsSync(path)) renameSync(path, path.replace(paths.database, `${paths.database}${suffix}`));
  return `${paths.database}${suffix}`.slice(dirname(paths.database).length + 1);
}
