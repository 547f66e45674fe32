import { kindOf } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { joinPath, showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { sendAtOnce } from './sendAtOnce.ts';

/** Source: ssh.md 8.2. */
const deepest = 64;

/**
 * Deletes a file, a link (and nothing of what it leads to) or, with `isRecursive`, a folder with everything in it. Rejects as
 * `RemoteFiles`; what was deleted before stays so.
 */
export async function removeTree(
  files: RemoteFiles,
  { path, isRecursive }: { readonly path: RemotePath; readonly isRecursive: boolean },
  signal: AbortSignal,
): Promise<void> {
  await remove(files, { path, isRecursive, depth: 1 }, signal);
}

/** A folder is looked at right before it is read: a link may have taken its place while others were deleted. */
async function remove(
  files: RemoteFiles,
  entry: { readonly path: RemotePath; readonly isRecursive: boolean; readonly depth: number },
  signal: AbortSignal,
): Promise<void> {
  const { path, isRecursive, depth } = entry;
  if (kindOf(await files.lstat(path, signal)) !== 'directory') return files.remove(path, signal);
  if (isRecursive) await emptyFolder(files, { path, depth }, signal);
  await files.rmdir(path, signal);
}

async function emptyFolder(
  files: RemoteFiles,
  { path, depth }: { readonly path: RemotePath; readonly depth: number },
  signal: AbortSignal,
): Promise<void> {
  if (depth > deepest) throw fileError('link-loop', { path: showPath(path) });
  const folders: RemotePath[] = [];
  const others: RemotePath[] = [];
  for await (const { entries } of files.list(path, signal))
    for (const { name, kind } of entries)
      // What the server does not tell the kind of is looked at as a folder is.
      (kind === 'directory' || kind === undefined ? folders : others).push(joinPath(path, name));
  await sendAtOnce(others, (at) => files.remove(at, signal));
  for (const folder of folders)
    await remove(files, { path: folder, isRecursive: true, depth: depth + 1 }, signal);
}
