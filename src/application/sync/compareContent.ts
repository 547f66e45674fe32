import { keyOfPath, type SyncEntry, type SyncPath } from '../../domain/sync/syncEntry.ts';
import type { ContentAnswers } from '../../domain/sync/planSync.ts';
import { fileError, fileFaultOf } from '../../domain/files/fileFault.ts';
import { digestByCommand } from '../files/save/remoteContent.ts';
import type { HostCommands } from '../ports/hostCommands.ts';
import type { End, EntryFacts } from '../transfer/engine/end.ts';
import { isSameFile } from '../transfer/engine/existingTarget.ts';
import { childOf, showPlace } from '../transfer/engine/place.ts';
import { RemoteEnd } from '../transfer/engine/remoteEnd.ts';
import type { Place } from '../transfer/engine/transfer.ts';
import { digestOf } from '../transfer/engine/verifiedSource.ts';
import type { Unread } from './folderSync.ts';
import { inTurns } from './inTurns.ts';

/** Pairs of files that are read together, and bytes of one request: up to 64 of them are on their way for each file. */
const pairsAhead = 4;
const chunkBytes = 128 * 1024;

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
      return await digestFile(side, path, signal);
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

/** By a command of the host where that costs less, otherwise by reading. */
async function digestFile(
  { end, root, entries, commands }: ComparedSide,
  path: SyncPath,
  signal: AbortSignal,
): Promise<string> {
  const place = path.reduce(childOf, root);
  const listed = entries.get(keyOfPath(path));
  const stamp =
    end instanceof RemoteEnd && place.k === 'remote' && commands !== undefined
      ? await digestByCommand({ files: end.files, commands }, place.path, signal)
      : undefined;
  if (stamp !== undefined) {
    checkUnchanged(place, listed, await end.look(place, signal));
    return stamp.sha256;
  }
  const open = await end.openSource(place, signal);
  try {
    const chunk = Math.min(end.maxRead, chunkBytes);
    const digest = await digestOf({ reader: open, chunk, size: listed?.size }, signal);
    checkUnchanged(place, listed, await open.facts(signal));
    return digest;
  } finally {
    await open.close();
  }
}

function checkUnchanged(place: Place, listed: SyncEntry | undefined, now: EntryFacts | undefined): void {
  if (listed !== undefined && now !== undefined && isSameFile(listed, now)) return;
  throw fileError('changed-during-transfer', { path: showPlace(place) });
}
