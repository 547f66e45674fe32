import { TermindError, type Fault, type FileFaultCode } from '../../domain/fault.ts';
import { errorCode } from '../net/errorCode.ts';

const byCode: ReadonlyMap<string, FileFaultCode> = new Map([
  ['ENOENT', 'not-found'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['EEXIST', 'exists'],
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'quota'],
  ['EBUSY', 'busy'],
  ['ETXTBSY', 'busy'],
  ['EROFS', 'read-only'],
  ['ENAMETOOLONG', 'bad-name'],
  ['EILSEQ', 'bad-name'],
  ['ENOTDIR', 'not-directory'],
  ['EISDIR', 'is-directory'],
  ['ENOTEMPTY', 'not-empty'],
  ['ELOOP', 'outside-folder'],
  ['EXDEV', 'other-filesystem'],
]);

/** A fault of a file of this machine. `path` is fit to be shown. */
export function localError(
  code: FileFaultCode,
  facts: Readonly<Record<string, string>>,
  cause?: unknown,
): TermindError {
  const fault: Fault = { code, stage: 'local', facts, retry: 'user', outcome: 'failed' };
  return new TermindError(fault, cause);
}

/** The fault for an error of the file system; a link where none may be is `outside-folder`. */
export function localErrorOf(error: unknown, path: string, operation: string): TermindError {
  const code = errorCode(error);
  const known = byCode.get(code);
  if (known !== undefined) return localError(known, { path, operation }, error);
  return localError('file-failed', { path, operation, ...(code === '' ? {} : { text: code }) }, error);
}
