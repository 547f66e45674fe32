import { isTermindError, localFault, type TermindError } from '../../domain/fault.ts';

/** Primary result codes of SQLite that mean something to us. Source: https://sqlite.org/rescode.html. */
const Code = {
  perm: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

/** The primary code of an error of `node:sqlite`, or undefined for every other error. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Another connection holds the lock; the same work may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === Code.busy || code === Code.locked;
}

/** SQLite could not make the files that it wants beside the database. */
export function lacksFolder(error: unknown): boolean {
  const code = primaryCode(error);
  return code === Code.cannotOpen || code === Code.readOnly;
}

/**
 * The error as a fault of the store. Nothing of a failed write is stored: its transaction was rolled back.
 * A constraint means that a row it relied on has gone or changed in another window.
 */
export function storeFault(error: unknown): TermindError {
  if (isTermindError(error)) return error;
  switch (primaryCode(error)) {
    case Code.busy:
    case Code.locked:
      return localFault('store-busy', {}, error);
    case Code.perm:
    case Code.readOnly:
      return localFault('store-read-only', { reason: 'its file is read-only' }, error);
    case Code.full:
      return localFault('store-read-only', { reason: 'the disk is full' }, error);
    case Code.corrupt:
    case Code.notADatabase:
      return localFault('store-damaged', {}, error);
    case Code.ioError:
      return localFault('store-missing', { reason: 'input/output error' }, error);
    case Code.cannotOpen:
      return localFault('store-missing', { reason: 'its file cannot be opened' }, error);
    case Code.constraint:
      return localFault('stale-write', {}, error);
    default:
      return fileFault(error);
  }
}

/** Errors of the file system around the database. */
function fileFault(error: unknown): TermindError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return localFault('store-read-only', { reason: 'its folder is read-only' }, error);
    case 'ENOSPC':
    case 'EDQUOT':
      return localFault('store-read-only', { reason: 'the disk is full' }, error);
    case 'ENOTDIR':
    case 'EIO':
    case 'ENAMETOOLONG':
      return localFault('store-missing', { reason: `its folder cannot be used (${code})` }, error);
    default:
      return localFault('internal', { reason: 'the store failed' }, error);
  }
}
