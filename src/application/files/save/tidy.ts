import { fileError } from '../../../domain/files/fileFault.ts';
import { pathOfText, showPath } from '../../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { readContent } from './remoteContent.ts';
import { orMissing } from './resolveTarget.ts';
import type { SaveProgress } from './saveProgress.ts';

/**
 * Removes what was made beside a target that holds what it held before, and forgets it. Rejects as `RemoteFiles` for what cannot be
 * removed, which is then still written down.
 */
export async function tidy(
  { files, progress }: { readonly files: RemoteFiles; readonly progress: SaveProgress },
  signal: AbortSignal,
): Promise<void> {
  const { trace } = progress;
  if (trace === undefined) return;
  await removeAll(files, [trace.part, trace.backup], signal);
  await progress.note(undefined);
}

/**
 * Removes what a target that holds the new content does not need. Rejects as `RemoteFiles`, and with `changed-during-transfer` for an old
 * file with what somebody has written into it right before it was named aside: that stays.
 */
export async function removeLeftovers(
  { files, progress }: { readonly files: RemoteFiles; readonly progress: SaveProgress },
  signal: AbortSignal,
): Promise<void> {
  const { trace } = progress;
  if (trace === undefined) return;
  const part = progress.state === 'confirmed' ? undefined : trace.part; // then it has become the target
  const backup = progress.save.keepsBackup ? undefined : trace.backup;
  await removeAll(files, [part, backup], signal);
  if (trace.aside === undefined) return;
  const aside = pathOfText(trace.aside);
  const held = await readContent(files, aside, signal);
  if (held !== undefined && trace.found !== 'missing' && held.stamp.sha256 !== trace.found.sha256)
    throw fileError('changed-during-transfer', { path: showPath(aside) });
  await removeAll(files, [trace.aside], signal);
}

/** Removes files, also such as are not there. Paths are spelt by `textOfPath`. Rejects as `RemoteFiles`. */
async function removeAll(
  files: RemoteFiles,
  paths: readonly (string | undefined)[],
  signal: AbortSignal,
): Promise<void> {
  for (const path of paths) if (path !== undefined) await orMissing(files.remove(pathOfText(path), signal));
}
