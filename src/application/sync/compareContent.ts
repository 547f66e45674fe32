import { keyOfPath, type SyncEntry, type SyncPath } from '../../domain/sync/syncEntry.ts';
import type { ContentAnswers } from '../../domain/sync/planSync.ts';
import { fileFaultOf } from '../../domain/files/fileFault.ts';
import type { HostCommands } from '../ports/hostCommands.ts';
import { digestPlace } from '../transfer/engine/digestPlace.ts';
import type { End } from '../transfer/engine/end.ts';
import { childOf, showPlace } from '../transfer/engine/place.ts';
import type { Place } from '../transfer/engine/transfer.ts';
import type { Unread } from './folderSync.ts';
import { inTurns } from './inTurns.ts';

/** Pairs of files that are read together. */
const pairsAhead = 4;

/** A folder over the end that leads there, with what was listed in it. */
export interface ComparedSide {
  readonly end: End;
  readonly root: Place;
  readonly entries: ReadonlyMap<string, SyncEntry>;
  /** Undefined for this machine, and where the host is not to be asked. */
  readonly commands: HostCommands | undefined;
}

/**
 * Reads files of both sides and compares their SHA-256. One that cannot be read, or is not as it was listed, has no answer and is told.
 * Rejects when the signal aborts or an end is over.
 */
export async function compareContent(
  sides: { readonly left: ComparedSide; readonly right: ComparedSide },
  { paths, onDone }: { readonly paths: readonly SyncPath[]; readonly onDone: (files: number) => void },
  signal: AbortSignal,
): Promise<{ readonly answers: ContentAnswers; readonly unread: readonly Unread[] }> {
  const answers = new Map<string, 'same' | 'different'>();
  const unread: Unread[] = [];
  const { left, right } = sides;
  const digest = async (side: ComparedSide, path: SyncPath): Promise<string | undefined> => {
    try {
      const { end, root, entries, commands } = side;
      const place = path.reduce(childOf, root);
      return await digestPlace({ end, place, listed: entries.get(keyOfPath(path)), commands }, signal);
    } catch (error) {
      if (signal.aborted || side.end.isEnded) throw error;
      unread.push({ path: showPlace(path.reduce(childOf, side.root)), fault: fileFaultOf(error, signal) });
      return undefined;
    }
  };
  let done = 0;
  const most = Math.min(pairsAhead, left.end.maxOpen, right.end.maxOpen);
  await inTurns(paths, most, async (path) => {
    const [ours, theirs] = await Promise.all([digest(left, path), digest(right, path)]);
    if (ours !== undefined && theirs !== undefined)
      answers.set(keyOfPath(path), ours === theirs ? 'same' : 'different');
    onDone(++done);
  });
  return { answers, unread };
}
