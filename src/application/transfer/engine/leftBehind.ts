import type { ClockPort } from '../../../agentkit/index.ts';
import { ignoring } from '../../../domain/fault.ts';
import type { Replacement } from '../../../domain/transfer/replacement.ts';
import type { TransferJournalsPort } from '../../ports/transferJournals.ts';
import { UnpackedFolder } from '../archive/unpackedFolder.ts';
import type { End } from './end.ts';
import { placeOfJournal, siblingOf } from './place.ts';
import { RemoteEnd } from './remoteEnd.ts';
import { replacementPlaces, settleReplacement } from './settleReplacement.ts';
import type { DiscardRequest, Place } from './transfer.ts';

/** What an unfinished transfer has left at its target, by the key of its journal. */
export type LeftBehind =
  | {
      readonly k: 'part';
      readonly key: string;
      /** Beside the target. */
      readonly part: Place;
      readonly to: Place;
      readonly replacement: Replacement | undefined;
    }
  | { readonly k: 'unpacked'; readonly key: string; readonly folder: Place };

/** All of it that is noted; reads nothing at the target. Rejects with `bad-name` for a note that names no place. */
export async function leftOf(
  { kind, to }: DiscardRequest,
  { journals, key }: { readonly journals: TransferJournalsPort; readonly key: string },
): Promise<readonly LeftBehind[]> {
  const found: LeftBehind[] = [];
  for (const { key: own, target, part, replacement } of await journals.ofWhole(key)) {
    const place = placeOfJournal(target, to);
    if (place !== undefined)
      found.push({ k: 'part', key: own, part: siblingOf(place, part), to: place, replacement });
  }
  if (kind === 'folder' && (await journals.load(key)) !== undefined)
    found.push({ k: 'unpacked', key, folder: to });
  return found;
}

/** Removes it and the notes of it. Rejects as the end does; what cannot be removed stays noted. */
export async function discardLeft(
  end: End,
  {
    left,
    journals,
    clock,
  }: { readonly left: LeftBehind; readonly journals: TransferJournalsPort; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<void> {
  const { key } = left;
  if (left.k === 'unpacked') {
    if (!(end instanceof RemoteEnd) || left.folder.k !== 'remote') return;
    const options = { folder: left.folder, files: end.files, key };
    await (await UnpackedFolder.left({ journals, clock }, options))?.remove();
    return;
  }
  const { to, part, replacement } = left;
  if (replacement !== undefined) await settleReplacement(end, replacementPlaces(to, replacement), signal);
  await end.remove(part, signal).catch(ignoring('not-found'));
  await Promise.all([journals.remove(key), journals.endReplacement(key)]);
}
