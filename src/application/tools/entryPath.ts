import { hasCode } from '../../domain/fault.ts';
import { joinPath, nameOf, parentOf, type RemotePath } from '../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';

/**
 * Where an entry stands behind the links on the way to it; a link at the end is not followed. What is missing on the way is taken as it is
 * written. Rejects as `RemoteFiles`.
 */
export async function entryPath(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemotePath> {
  const name = nameOf(path);
  if (name === undefined) return path;
  const parent = parentOf(path);
  try {
    return joinPath(await files.realpath(parent, signal), name);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
    return joinPath(await entryPath(files, parent, signal), name);
  }
}

/** Behind all links. Where there is nothing, as `entryPath`. */
export async function linkedPath(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemotePath> {
  try {
    await files.stat(path, signal);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
    return entryPath(files, path, signal);
  }
  return files.realpath(path, signal);
}
