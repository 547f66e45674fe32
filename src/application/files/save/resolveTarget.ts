import { hasCode } from '../../../domain/fault.ts';
import { kindOf, type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import {
  isAbsolute,
  joinPath,
  nameOf,
  parentOf,
  remotePath,
  showPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';

export interface ResolvedTarget {
  /** Absolute and behind all links. */
  readonly path: RemotePath;
  /** Undefined when there is nothing yet. */
  readonly attributes: FileAttributes | undefined;
}

/** Source: ssh.md 8.2. */
const maxLinks = 40;

/** The file that a path means. Rejects with `is-directory`, `link-loop`, with `file-failed` for what is no plain file, and as `RemoteFiles`. */
export async function resolveTarget(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<ResolvedTarget> {
  let at = path;
  for (let links = 0; links <= maxLinks; links++) {
    at = await behindDirectories(files, at, signal);
    const attributes = await orMissing(files.lstat(at, signal));
    const kind = attributes === undefined ? undefined : kindOf(attributes);
    if (kind === 'directory') throw fileError('is-directory', { path: showPath(path) });
    if (kind === 'other')
      throw fileError('file-failed', { path: showPath(path), operation: 'save', text: 'no plain file' });
    if (kind !== 'symlink') return { path: at, attributes };
    const to = await files.readlink(at, signal);
    at = isAbsolute(to) ? to : remotePath(Buffer.concat([parentOf(at), Buffer.from('/'), to]));
  }
  throw fileError('link-loop', { path: showPath(path) });
}

/** Most servers resolve the last part as well, where there is one. */
async function behindDirectories(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemotePath> {
  try {
    return await files.realpath(path, signal);
  } catch (error) {
    const name = nameOf(path);
    if (!hasCode(error, 'not-found') || name === undefined) throw error;
    return joinPath(await files.realpath(parentOf(path), signal), name);
  }
}

/** Undefined for what is not there. */
export async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined;
    throw error;
  }
}
