import type { Excludes } from '../../domain/sync/excludePatterns.ts';
import { keyOfPath, type SyncEntry, type SyncListing, type SyncPath } from '../../domain/sync/syncEntry.ts';
import type { NameRules } from '../../domain/transfer/localName.ts';
import type { End } from '../transfer/engine/end.ts';
import { childOf, showPlace } from '../transfer/engine/place.ts';
import { scanFolder, type ScannedEntry } from '../transfer/engine/scanFolder.ts';
import type { Place } from '../transfer/engine/transfer.ts';
import { trashName } from '../files/remoteTrash.ts';
import type { Unread } from './folderSync.ts';

/** Names of this machine's file system; `foldsCase` is only used where nothing in the folder tells. */
export interface LocalNames {
  readonly rules: NameRules;
  readonly foldsCase: boolean;
}

export interface ScanSideOptions {
  /** A directory, not a link to one. */
  readonly root: Place;
  readonly excludes: Excludes;
  readonly localNames: LocalNames;
  readonly onFound: (entries: number) => void;
}

export interface ScannedSide {
  readonly listing: SyncListing;
  readonly unread: readonly Unread[];
  readonly refused: readonly string[];
}

/** Reads one folder. Rejects as `scanFolder`, and with `not-directory`. */
export async function scanSide(
  end: End,
  { root, excludes, localNames, onFound }: ScanSideOptions,
  signal: AbortSignal,
): Promise<ScannedSide> {
  const scanned = await scanFolder(
    end,
    {
      root,
      isExcluded: (names, kind) =>
        names.at(-1) === trashName || excludes(names, { isDirectory: kind === 'directory' }),
      onFound,
    },
    signal,
  );
  const { directories, files, others, excluded, failures, warnings } = scanned;
  const entries = [...directories, ...files, ...others, ...excluded]
    .filter(({ names }) => names.length > 0)
    .map(entryOf);
  const isLocal = root.k === 'local';
  return {
    listing: {
      entries,
      closed: [
        ...failures.map(({ names }) => ({ path: names, why: 'unreadable' as const })),
        ...excluded.map(({ names }) => ({ path: names, why: 'excluded' as const })),
      ],
      rules: isLocal ? localNames.rules : 'bytes',
      foldsCase: (await foldsCase(end, { root, entries }, signal)) ?? (isLocal && localNames.foldsCase),
    },
    unread: failures.map(({ names, fault }) => ({ path: showPlace(names.reduce(childOf, root)), fault })),
    refused: warnings.filter(({ code }) => code === 'name-refused').map(({ path }) => path),
  };
}

/** Whether an entry is found under another spelling that nobody listed; undefined when no name is fit to ask. */
async function foldsCase(
  end: End,
  { root, entries }: { readonly root: Place; readonly entries: readonly SyncEntry[] },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const known = new Set(entries.map(({ path }) => keyOfPath(path)));
  const asked = entries
    .map(({ path }) => path.with(-1, swapped(path.at(-1) ?? '')))
    .find((path) => isNew(path, known));
  if (asked === undefined) return undefined;
  return (await end.look(asked.reduce(childOf, root), signal)) !== undefined;
}

function isNew(path: SyncPath, known: ReadonlySet<string>): boolean {
  return !known.has(keyOfPath(path));
}

/** ASCII letters only, so that no rule of a language counts. */
function swapped(name: string): string {
  return name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function entryOf({ names, facts: { kind, size, modified } }: ScannedEntry): SyncEntry {
  return { path: names, kind, size, modified };
}
