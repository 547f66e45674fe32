import type { ClockPort } from '../../../agentkit/index.ts';
import type { TransferJournalsPort } from '../../ports/transferJournals.ts';
import type { End, EntryFacts } from './end.ts';
import type { FileMeter, ProgressMeter } from './progressMeter.ts';
import type { WatchedFiles } from './watchedFiles.ts';

/** What all files of one request have in common. */
export interface FileContext {
  readonly source: End;
  readonly target: End;
  readonly journals: TransferJournalsPort;
  readonly clock: ClockPort;
  readonly meter: FileMeter & Pick<ProgressMeter, 'expect' | 'fileDone'>;
  /** Hears of each file that is begun. */
  readonly watch?: Pick<WatchedFiles, 'started'>;
  /** A link where the target is to be: what it leads to is written, or the link is replaced. */
  readonly targetLinks: 'followed' | 'replaced';
  /** Keys of the transfers that run in this window: a second one of the same file has a part and no journal of its own. */
  readonly running: Set<string>;
  /** The key of what was asked for, where it can be given up as one. */
  readonly whole: string | undefined;
}

/** What one file needs of it. */
export type OneFileContext = Omit<FileContext, 'meter' | 'watch'> & { readonly meter: FileMeter };

/** What a listing has told already. `target` undefined: nothing is there. */
export interface KnownFacts {
  readonly source: EntryFacts;
  readonly target: EntryFacts | undefined;
}

/** Of files whose source tells no permissions, and of directories. */
export const usualMode = { file: 0o644, directory: 0o755 } as const;
/** Setuid, setgid and sticky stay behind. */
export const keptMode = 0o777;
