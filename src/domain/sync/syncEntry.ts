import type { EntryKind } from '../files/fileAttributes.ts';
import type { NameRules } from '../transfer/localName.ts';

/** Names from the compared folder down, spelt as `textOfPath` spells names; never empty. */
export type SyncPath = readonly string[];

export type SyncSide = 'left' | 'right';

/** What one folder holds under a path; a link is not followed. */
export interface SyncEntry {
  readonly path: SyncPath;
  /** Undefined when it is not known. */
  readonly kind: EntryKind | undefined;
  /** Bytes; undefined when it is not known. */
  readonly size: number | undefined;
  /** Seconds since 1970, with fractions where the system has them; undefined when it is not known. */
  readonly modified: number | undefined;
}

/** Everything in one folder, as it was when it was read. */
export interface SyncListing {
  /** In any order, each path once. What lies in an entry of `closed` is not among them. */
  readonly entries: readonly SyncEntry[];
  /** Directories that were not looked into, though they may hold something: they could not be read, or a pattern excludes them. */
  readonly closed: readonly { readonly path: SyncPath; readonly why: 'unreadable' | 'excluded' }[];
  /** Which names this side can hold. */
  readonly rules: NameRules;
  /** Names that differ only in case are one name on this side. */
  readonly foldsCase: boolean;
}

/** One text for each path: the key of maps, and what patterns and people see of it. */
export function keyOfPath(path: SyncPath): string {
  return path.join('/');
}

/** Name by name, so that a directory comes before what is in it and nothing comes between. */
export function compareSyncPaths(a: SyncPath, b: SyncPath): number {
  for (const [index, name] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (name !== other) return name < other ? -1 : 1;
  }
  return a.length - b.length;
}

export function otherSide(side: SyncSide): SyncSide {
  return side === 'left' ? 'right' : 'left';
}
