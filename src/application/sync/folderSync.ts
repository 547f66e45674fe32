import type { Fault } from '../../domain/fault.ts';
import type { SyncSide } from '../../domain/sync/syncEntry.ts';
import type { SyncPlan, SyncRules, SyncStep } from '../../domain/sync/syncPlan.ts';
import type { Place, TransferProgress, TransferWarning } from '../transfer/engine/transfer.ts';

export interface CompareRequest {
  /** Folders. A link that a person chose is followed once. */
  readonly left: Place;
  readonly right: Place;
  readonly rules: SyncRules;
  /** As `excludePatterns` reads them. */
  readonly excludes: readonly string[];
  readonly onProgress?: (progress: CompareProgress) => void;
}

export type CompareProgress =
  /** Entries found so far. */
  | { readonly k: 'reading'; readonly left: number; readonly right: number }
  | { readonly k: 'content'; readonly doneFiles: number; readonly totalFiles: number };

/** What could not be read. `path` is fit to be shown. */
export interface Unread {
  readonly path: string;
  readonly fault: Fault;
}

/** Two folders as they were when they were read, and what makes them equal. Nobody changes it. */
export interface Comparison {
  /** Without links. */
  readonly left: Place;
  readonly right: Place;
  readonly rules: SyncRules;
  readonly plan: SyncPlan;
  readonly unread: readonly Unread[];
  /** What a server calls names and are none, fit to be shown. */
  readonly refused: readonly string[];
  /** Of both places and of every step: SHA-256 in hexadecimal. What was agreed to is named by it. */
  readonly digest: string;
}

/** `trash`: to where it can be got back from. */
export type DeletionWay = 'trash' | 'permanent';

export interface SyncRequest {
  readonly comparison: Comparison;
  readonly deletion: DeletionWay;
  /** Of the files, as `TransferEngine.files` tells it. */
  readonly onProgress?: (progress: TransferProgress) => void;
}

/**
 * How one change ended. `conflict`: what is there is not what the plan was made from, and stays as it is. `unknown`: it was asked for and
 * nobody knows whether it was done. `notRun`: it was not begun, or stopped before anything was changed.
 */
export type StepOutcome =
  | { readonly k: 'done'; readonly warnings: readonly TransferWarning[]; readonly changedMeanwhile: boolean }
  | { readonly k: 'conflict' | 'failed' | 'unknown'; readonly fault: Fault }
  | { readonly k: 'notRun' };

export interface SyncResult {
  /** Each change of the plan, once, in its order. */
  readonly steps: readonly { readonly step: SyncStep; readonly outcome: StepOutcome }[];
  /** Why it ended before everything was tried: the connection, or `cancelled`. */
  readonly stoppedBy: Fault | undefined;
  /** Of the files that were copied. */
  readonly bytes: number;
  /** Where deleted entries of a host are now, fit to be shown; undefined when there are none. */
  readonly trash: string | undefined;
}

/**
 * Compares folders of this machine and of hosts, and makes them equal as planned. Links are never followed, and nothing outside of the
 * folders is read or changed. Source: ssh.md 8.8; issue 6, part 7.
 */
export interface FolderSyncing {
  /**
   * Reads both folders, to a depth of 64 and a million entries, and with `compare: 'content'` the files that may differ only in it.
   * Rejects with the faults of files and of connections, `not-directory`, `cancelled`, and `nested-folders` where one folder lies in the other.
   */
  compare(request: CompareRequest, signal: AbortSignal): Promise<Comparison>;
  /** Where deleted entries of that side can go. `permanent`: there is no trash on the same file system, or none that can be told. */
  deletionWay(place: Place, signal: AbortSignal): Promise<DeletionWay>;
  /**
   * Carries out the changes of a plan and nothing else. Each target and source is examined again before: one that is not as planned is a
   * conflict and stays. A failure ends its step and what depends on it, nothing else. Directories come first, then files, then what is
   * deleted. Resolves also when it is cancelled or the connection is lost; comparing and running again goes on from there. Rejects only
   * when nothing could be begun.
   */
  run(request: SyncRequest, signal: AbortSignal): Promise<SyncResult>;
}

/** The folder of a side. */
export function placeOf({ left, right }: Pick<Comparison, 'left' | 'right'>, side: SyncSide): Place {
  return side === 'left' ? left : right;
}
