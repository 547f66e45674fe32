import type { Comparison } from '../../application/sync/folderSync.ts';
import type { Fault } from '../../domain/fault.ts';
import type { FolderSide } from './folderSide.ts';

/** A comparison with what people call its folders. */
export interface ShownComparison {
  readonly left: FolderSide;
  readonly right: FolderSide;
  readonly comparison: Comparison;
  readonly excludes: readonly string[];
  readonly describeFault: (fault: Fault) => string;
  /** A moment (milliseconds since 1970) for people. */
  readonly moment: (at: number) => string;
}
