import { hasCode } from '../../../domain/fault.ts';
import { kindOf } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import { oldName } from '../../../domain/transfer/partName.ts';
import { besideTarget } from '../../files/save/besideTarget.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';

/**
 * Puts a complete file into the place of another. Where the server cannot do so in one step, the old one is renamed, and named back when
 * the new one does not take its place; it is removed at the end. Rejects with `is-directory`, and as `RemoteFiles.rename`.
 * Source: ssh.md 8.5, "swapped".
 */
export async function replaceRemote(
  files: RemoteFiles,
  { from, to }: { readonly from: RemotePath; readonly to: RemotePath },
  signal: AbortSignal,
): Promise<'inOneStep' | 'inTwoSteps'> {
  try {
    await files.rename({ from, to, replace: true }, signal);
    return 'inOneStep';
  } catch (error) {
    if (!hasCode(error, 'exists')) throw error;
  }
  if (kindOf(await files.lstat(to, signal)) === 'directory')
    throw fileError('is-directory', { path: showPath(to) });
  const old = besideTarget(to, oldName);
  await files.rename({ from: to, to: old, replace: false }, signal);
  try {
    await files.rename({ from, to, replace: false }, signal);
  } catch (error) {
    await files.rename({ from: old, to, replace: false }, signal);
    throw error;
  }
  await files.remove(old, signal).catch(() => {}); // the new one is in place; the old one is a file that nobody needs
  return 'inTwoSteps';
}
