import { blockBytes, type TransferJournal } from '../../../domain/transfer/transferJournal.ts';
import type { TransferJournalsPort } from '../../ports/transferJournals.ts';
import { blockDigests } from './blockDigests.ts';
import type { JournalKeeper } from './journalKeeper.ts';
import { siblingOf } from './place.ts';
import type { Resumed, ResumeRequest } from './resumePart.ts';
import type { RemotePlace } from './transfer.ts';

/**
 * As `resumePart`, of a transfer between two hosts: commands read both files where they are, and each whole block that is the same in both
 * is there. A part whose hosts do not tell this is of no use. Source: ssh.md 8.7, 4.
 */
export async function resumeBetween(
  {
    journal,
    begin,
    target,
    from,
    to,
  }: Pick<ResumeRequest, 'journal' | 'begin' | 'target'> & {
    readonly from: RemotePlace;
    readonly to: RemotePlace;
  },
  signal: AbortSignal,
): Promise<Resumed> {
  const place = siblingOf(to, journal.part);
  if (begin.size !== journal.source.size || begin.modified !== journal.source.modified)
    return { k: 'unusable', place, reason: 'source-changed' };
  const unusable = { k: 'unusable', place, reason: 'part-unusable' } as const;
  const there = await target.look(place, signal);
  if (there?.kind !== 'file' || place.k !== 'remote') return unusable;
  const count = Math.floor(Math.min(there.size ?? 0, journal.source.size) / blockBytes);
  const numbers = Array.from({ length: count }, (_, block) => block);
  const blocks = await sameBlocks({ from, place, numbers }, signal);
  if (blocks === undefined) return unusable;
  return { k: 'usable', part: await target.openPart(place, signal), place, blocks };
}

async function sameBlocks(
  { from, place, numbers }: { from: RemotePlace; place: RemotePlace; numbers: readonly number[] },
  signal: AbortSignal,
): Promise<ReadonlySet<number> | undefined> {
  if (numbers.length === 0) return new Set();
  const [ours, theirs] = await Promise.all([
    blockDigests(from, numbers, signal),
    blockDigests(place, numbers, signal),
  ]);
  if (ours === undefined || theirs === undefined) return undefined;
  return new Set(numbers.filter((block) => ours[block] === theirs[block]));
}

/** Notes which part belongs to a transfer, and nothing of what is in it. Its blocks are compared where they are. */
export async function notePart({
  journals,
  key,
  journal,
}: {
  readonly journals: TransferJournalsPort;
  readonly key: string;
  readonly journal: TransferJournal;
}): Promise<Pick<JournalKeeper, 'add' | 'stop'>> {
  await journals.save(key, journal).catch(() => {}); // then there is nothing to resume from
  return {
    add: () => {},
    stop: async (before) => {
      if (before === undefined) await journals.remove(key).catch(() => {});
    },
  };
}
