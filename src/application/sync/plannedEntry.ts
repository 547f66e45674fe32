import { fileError } from '../../domain/files/fileFault.ts';
import type { SyncEntry, SyncPath } from '../../domain/sync/syncEntry.ts';
import type { End, EntryFacts } from '../transfer/engine/end.ts';
import { isSameFile } from '../transfer/engine/existingTarget.ts';
import { childOf, showPlace } from '../transfer/engine/place.ts';
import type { Place } from '../transfer/engine/transfer.ts';

export function placeAt(root: Place, path: SyncPath): Place {
  return path.reduce(childOf, root);
}

/**
 * What is there now, which is what the plan was made from: `planned`, or nothing where that is undefined. Of directories only that they are
 * some. Rejects with `conflict` for anything else.
 */
export async function lookAsPlanned(
  end: End,
  { place, planned }: { readonly place: Place; readonly planned: SyncEntry | undefined },
  signal: AbortSignal,
): Promise<EntryFacts | undefined> {
  const there = await end.look(place, signal);
  if (!isAsPlanned(planned, there))
    throw fileError('conflict', { path: showPlace(place) }, { outcome: 'not-sent' });
  return there;
}

function isAsPlanned(planned: SyncEntry | undefined, there: EntryFacts | undefined): boolean {
  if (planned === undefined || there === undefined) return planned === there;
  if (planned.kind !== there.kind) return false;
  return planned.kind === 'directory' || isSameFile(planned, there);
}
