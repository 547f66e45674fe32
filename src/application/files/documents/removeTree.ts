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
  if (kindOf(await files.lstat(path, signal)) !== 'directory') return files.remove(path, signal);
  if (isRecursive) await emptyFolder(files, { path, depth: 1 }, signal);
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
    for (const { name, kind } of entries) {
      const at = joinPath(path, name);
      // What the server does not tell the kind of is asked about: a link must not be taken for a folder.
      const isFolder = (kind ?? kindOf(await files.lstat(at, signal))) === 'directory';
      (isFolder ? folders : others).push(at);
    }
  await sendAtOnce(others, (at) => files.remove(at, signal));
  for (const folder of folders) {
    await emptyFolder(files, { path: folder, depth: depth + 1 }, signal);
    await files.rmdir(folder, signal);
  }
}
