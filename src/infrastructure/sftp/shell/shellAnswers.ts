import type { DirectoryEntry, DirectoryPage } from '../../../application/ports/remoteFiles.ts';
import type { FileFaultCode, TermindError } from '../../../domain/fault.ts';
import { kindOf, type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { isName, showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';
import { statusCode } from '../protocol.ts';
import { codeOfStatus } from '../statusFault.ts';

const attributeLine = /^([0-9a-fA-F]{1,8}) (\d{1,15}) (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10})$/;

/** What `stat` printed; undefined for anything else. */
export function attributesOfLine(line: string): FileAttributes | undefined {
  const [, mode, ...numbers] = attributeLine.exec(line.trim()) ?? [];
  const [size, uid, gid, accessed, modified] = numbers.map(Number);
  if (mode === undefined || size === undefined || uid === undefined || gid === undefined) return undefined;
  if (accessed === undefined || modified === undefined) return undefined;
  return { mode: Number.parseInt(mode, 16), size, owner: { uid, gid }, times: { accessed, modified } };
}

/** The entries of a listing: lines of `stat`, each with the name and NUL behind it. Throws a RangeError for anything else. */
export function pageOfListing(stdout: Buffer): DirectoryPage {
  const entries: DirectoryEntry[] = [];
  const refused: string[] = [];
  for (let at = 0; at < stdout.length;) {
    const lineEnd = stdout.indexOf(0x0a, at);
    const nameEnd = lineEnd < 0 ? -1 : stdout.indexOf(0, lineEnd);
    const attributes = nameEnd < 0 ? undefined : attributesOfLine(stdout.toString('latin1', at, lineEnd));
    if (attributes === undefined) throw new RangeError('a listing that is not one');
    const name = stdout.subarray(lineEnd + 1, nameEnd);
    if (isName(name)) entries.push({ name, kind: kindOf(attributes), attributes });
    else refused.push(showPath(name));
    at = nameEnd + 1;
  }
  return { entries, refused };
}

/** Words of utilities that name no error of the C library with them. */
const words: readonly (readonly [RegExp, FileFaultCode])[] = [
  [/no such file|directory nonexistent|nonexistent directory/i, 'not-found'],
  [/permission denied|operation not permitted/i, 'denied'],
  [/cannot (?:create|overwrite)[^\n]*(?:file exists|existing file)/i, 'exists'],
];

/** Why a command failed, by what it wrote to stderr. */
export function faultOfCommand(operation: string, path: RemotePath, stderr: string): TermindError {
  const code =
    words.find(([pattern]) => pattern.test(stderr))?.[1] ??
    codeOfStatus({ code: statusCode.failure, text: stderr });
  const facts = { path: showPath(path), operation };
  if (code !== undefined) return fileError(code, facts);
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return fileError('file-failed', { ...facts, ...(last === '' ? {} : { text: showUntrusted(last) }) });
}
