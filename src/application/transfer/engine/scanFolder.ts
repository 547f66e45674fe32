import type { EntryKind } from '../../../domain/files/fileAttributes.ts';
import { fileError, fileFaultOf } from '../../../domain/files/fileFault.ts';
import { isPartName } from '../../../domain/transfer/partName.ts';
import { type Fault, hasCode } from '../../../domain/fault.ts';
import type { End, EntryFacts } from './end.ts';
import { childOf, showPlace } from './place.ts';
import type { Place, TransferWarning } from './transfer.ts';

/** Source: ssh.md 8.2. */
const deepest = 64;
const mostEntries = 1_000_000;
/** Directories that are read together. */
const listsAhead = 16;

export interface ScannedEntry {
  /** Names from the scanned folder down; empty = itself. */
  readonly names: readonly string[];
  readonly facts: EntryFacts;
}

export interface ScanOptions {
  readonly root: Place;
  /** What it is true for is told as `excluded`, and not looked into. */
  readonly isExcluded?: (names: readonly string[], kind: EntryKind | undefined) => boolean;
  /** How many entries were found so far, after each answer. */
  readonly onFound?: (entries: number) => void;
}

export interface ScannedFolder {
  /** Those that hold others come first. */
  readonly directories: readonly ScannedEntry[];
  readonly files: readonly ScannedEntry[];
  /** Links and what is neither file nor directory; also among the warnings. */
  readonly others: readonly ScannedEntry[];
  readonly excluded: readonly ScannedEntry[];
  readonly warnings: readonly TransferWarning[];
  /** Directories that could not be read. */
  readonly failures: readonly { readonly names: readonly string[]; readonly fault: Fault }[];
}

/**
 * Everything in a folder, without following a link. Links, what is neither file nor directory, and names that are none are warnings; a
 * directory below that cannot be read is a failure of its own. What transfers leave unfinished is left out. Rejects when the folder itself
 * cannot be read, with `too-many-entries` over a million, and with `link-loop` below a depth of 64.
 */
export async function scanFolder(
  end: End,
  { root, isExcluded, onFound }: ScanOptions,
  signal: AbortSignal,
): Promise<ScannedFolder> {
  const found = {
    directories: [] as ScannedEntry[],
    files: [] as ScannedEntry[],
    others: [] as ScannedEntry[],
    excluded: [] as ScannedEntry[],
    warnings: [] as TransferWarning[],
    failures: [] as { readonly names: readonly string[]; readonly fault: Fault }[],
  };
  let total = 0;
  const at = (names: readonly string[]): Place => names.reduce(childOf, root);
  const read = async ({ names }: ScannedEntry): Promise<ScannedEntry[]> => {
    const below: ScannedEntry[] = [];
    for await (const { entries, refused } of end.list(at(names), signal)) {
      signal.throwIfAborted();
      for (const path of refused) found.warnings.push({ code: 'name-refused', path });
      for (const { name, facts } of entries) {
        if (isPartName(name)) continue;
        const path = [...names, name];
        const kind = facts.kind ?? (await end.look(at(path), signal))?.kind;
        const entry = { names: path, facts: { ...facts, kind } };
        if (isExcluded?.(path, kind) === true) found.excluded.push(entry);
        else if (kind === 'directory') below.push(entry);
        else if (kind === 'file') found.files.push(entry);
        else {
          found.others.push(entry);
          found.warnings.push({
            code: kind === 'symlink' ? 'link-skipped' : 'special-skipped',
            path: showPlace(at(path)),
          });
        }
      }
      total += entries.length;
      onFound?.(total);
      if (total > mostEntries)
        throw fileError('too-many-entries', { path: showPlace(root), limit: String(mostEntries) });
    }
    return below;
  };
  const facts = await end.look(root, signal);
  if (facts === undefined) throw fileError('not-found', { path: showPlace(root) }, { outcome: 'not-sent' });
  let level: readonly ScannedEntry[] = [{ names: [], facts }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) throw fileError('link-loop', { path: showPlace(at(level[0]?.names ?? [])) });
    found.directories.push(...level);
    const next: ScannedEntry[] = [];
    for (let from = 0; from < level.length; from += listsAhead) {
      const lists = level.slice(from, from + listsAhead).map(async (directory) => {
        try {
          next.push(...(await read(directory)));
        } catch (error) {
          if (
            directory.names.length === 0 ||
            signal.aborted ||
            end.isEnded ||
            hasCode(error, 'too-many-entries')
          )
            throw error;
          found.failures.push({ names: directory.names, fault: fileFaultOf(error, signal) });
        }
      });
      await Promise.all(lists);
    }
    level = next;
  }
  return found;
}
