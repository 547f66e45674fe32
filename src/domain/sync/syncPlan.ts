import type { SyncEntry, SyncPath, SyncSide } from './syncEntry.ts';

/**
 * `both`: what is missing on one side is copied to it, and what differs is a conflict: which of two is the right one is not guessed.
 */
export type SyncDirection = 'toRight' | 'toLeft' | 'both';

export interface SyncRules {
  readonly direction: SyncDirection;
  /** What only the changed side has is deleted there. Has no effect with `both`. */
  readonly deletes: boolean;
  /** `content`: files of one size are equal when what is in them is, whatever their times. */
  readonly compare: 'sizeAndTime' | 'content';
  /** Seconds that times are told in: 2 on FAT. Times less than that apart are equal. */
  readonly timeStep: 1 | 2;
}

export type SyncAction = 'create' | 'update' | 'delete' | 'skip' | 'conflict';

/**
 * Why an action was chosen.
 * - `missing`, `size`, `time`, `content`: what differs. `unknown`: size or time is not known.
 * - `equal`; `onlyThere`: only the changed side has it, and nothing is deleted or it holds something that stays.
 * - `kind`: a file here, a directory or link there. `link`, `special`: neither file nor directory.
 * - `case`, `form`: another name there, or another one that would come there, differs only in case or in the form of Unicode.
 * - `name`: the changed side cannot hold the name.
 * - `unread`: the content could not be compared, or a directory could not be read. `excluded`: by a pattern. `above`: decided by what holds it.
 */
export type SyncReason =
  | 'missing'
  | 'size'
  | 'time'
  | 'content'
  | 'unknown'
  | 'equal'
  | 'onlyThere'
  | 'kind'
  | 'link'
  | 'special'
  | 'case'
  | 'form'
  | 'name'
  | 'unread'
  | 'excluded'
  | 'above';

/** What is to be done about one path. */
export interface SyncStep {
  readonly path: SyncPath;
  readonly action: SyncAction;
  readonly reason: SyncReason;
  /** Which side `create`, `update` and `delete` change; undefined for the others. */
  readonly changes: SyncSide | undefined;
  readonly left: SyncEntry | undefined;
  readonly right: SyncEntry | undefined;
  /** An update replaces a file whose time is later than that of the one that replaces it. */
  readonly replacesNewer: boolean;
}

/** One step for each path of both sides, in the order of `compareSyncPaths`. */
export interface SyncPlan {
  readonly steps: readonly SyncStep[];
  readonly totals: SyncTotals;
}

export interface SyncTotals {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  readonly skip: number;
  readonly conflict: number;
  /** Updates that replace something newer. */
  readonly replacesNewer: number;
  /** Of the files that are created or updated, as far as their sizes are known. */
  readonly bytes: number;
}

/** The entry that a step copies; undefined for one that copies nothing. */
export function sourceOf({ action, changes, left, right }: SyncStep): SyncEntry | undefined {
  if (action !== 'create' && action !== 'update') return undefined;
  return changes === 'left' ? right : left;
}

/** What the changed side has now; undefined when there is nothing. */
export function targetOf({ changes, left, right }: SyncStep): SyncEntry | undefined {
  return changes === undefined ? undefined : { left, right }[changes];
}

/** Whether carrying out the step changes anything. */
export function isChange({ changes }: SyncStep): boolean {
  return changes !== undefined;
}

export function totalsOf(steps: readonly SyncStep[]): SyncTotals {
  const totals = { create: 0, update: 0, delete: 0, skip: 0, conflict: 0, replacesNewer: 0, bytes: 0 };
  for (const step of steps) {
    totals[step.action] += 1;
    if (step.replacesNewer) totals.replacesNewer += 1;
    const source = sourceOf(step);
    if (source?.kind === 'file') totals.bytes += source.size ?? 0;
  }
  return totals;
}
