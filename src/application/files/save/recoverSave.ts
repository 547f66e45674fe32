import { recoveryOf } from '../../../domain/files/saveMachine.ts';
import { pathOfText } from '../../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { digestContent } from './remoteContent.ts';
import type { SaveProgress } from './saveProgress.ts';
import { tidy } from './tidy.ts';
import { copyOver } from './writeInPlace.ts';

export interface BegunSave {
  readonly files: RemoteFiles;
  readonly progress: SaveProgress;
}

/**
 * Brings the server back to what it held before a step that failed, as the state of the progress says. True when it does hold that and
 * nothing lies beside it. False when that is not known: then it is to be examined. Rejects as `RemoteFiles`.
 */
export async function recoverSave(begun: BegunSave, signal: AbortSignal): Promise<boolean> {
  const { files, progress } = begun;
  const { trace } = progress;
  switch (recoveryOf(progress.state)) {
    case 'tidy':
      break;
    case 'nameBack':
      if (trace?.aside === undefined) return false;
      await files.rename(
        { from: pathOfText(trace.aside), to: pathOfText(trace.target), replace: false },
        signal,
      );
      break;
    case 'writeBack':
      return writeBack(begun, signal);
    case 'examine':
      return false;
  }
  await tidy(begun, signal);
  return true;
}

/** Writes the backup over the target. As `recoverSave`; the backup stays until the target is known to hold it. */
export async function writeBack({ files, progress }: BegunSave, signal: AbortSignal): Promise<boolean> {
  const { trace } = progress;
  if (trace?.backup === undefined || trace.found === 'missing') return false;
  const target = pathOfText(trace.target);
  await copyOver(files, { from: pathOfText(trace.backup), to: target }, signal);
  const now = await digestContent({ files, commands: undefined }, target, signal);
  if (now?.stamp.sha256 !== trace.found.sha256) return false;
  await tidy({ files, progress }, signal);
  return true;
}
