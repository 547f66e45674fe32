import type { ClockPort } from '../../../agentkit/index.ts';
import type { SaveTrace } from '../../../domain/files/keptSave.ts';
import { textOfPath } from '../../../domain/files/remotePath.ts';
import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import type { SaveRequest, SaveWarning } from './fileSaving.ts';
import type { ResolvedTarget } from './resolveTarget.ts';
import type { SaveProgress } from './saveProgress.ts';

/** What the steps of one save have in common once the target is known and compared. */
export interface SaveScene {
  readonly files: RemoteFiles;
  readonly request: Pick<SaveRequest, 'content' | 'keepBackup' | 'mode'>;
  readonly commands: HostCommands | undefined;
  readonly progress: SaveProgress;
  readonly target: ResolvedTarget;
  /** What the target held when it was compared. */
  readonly found: ContentStamp | 'missing';
  readonly warnings: Set<SaveWarning>;
  readonly clock: Pick<ClockPort, 'now'>;
  /** For everything in front of the first step that touches the target. */
  readonly signal: AbortSignal;
  /** For that step and what follows: a person who stops waiting must not leave a file half done. */
  readonly steady: AbortSignal;
}

/** What is written down so far, to be added to. */
export function traceOf({ target, found, progress }: SaveScene): SaveTrace {
  return { ...progress.trace, target: textOfPath(target.path), found };
}
