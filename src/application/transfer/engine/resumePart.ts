import { hasCode } from '../../../domain/fault.ts';
import { blockBytes, type TransferJournal } from '../../../domain/transfer/transferJournal.ts';
import { blockDigests } from './blockDigests.ts';
import type { End, EntryFacts, OpenPart, OpenSource } from './end.ts';
import { digestOff } from './journalKeeper.ts';
import { siblingOf } from './place.ts';
import type { Place, TransferWarning } from './transfer.ts';
import { readStretch } from './readStretch.ts';

/** Blocks at the end of what is there that are read over the line again, where no command may read all of them. Source: ssh.md 8.7, 4. */
const readBack = 2;

export interface ResumeRequest {
  readonly journal: TransferJournal;
  readonly begin: EntryFacts;
  readonly source: OpenSource;
  readonly target: End;
  readonly from: Place;
  readonly to: Place;
  /** Bytes of one request. */
  readonly chunk: number;
  /**
   * Which side is this machine: all blocks of it are compared. Of the other one all of them where commands may be run there, otherwise the
   * last ones.
   */
  readonly isLocal: 'source' | 'target';
}

/** What an earlier transfer left: the part and the blocks of it that are verified, or why it cannot be used. */
export type Resumed =
  | {
      readonly k: 'usable';
      readonly part: OpenPart;
      readonly place: Place;
      readonly blocks: ReadonlySet<number>;
    }
  | { readonly k: 'unusable'; readonly place: Place; readonly reason: 'source-changed' | 'part-unusable' };

/**
 * Opens the part of a journal and compares what it claims: the source has the size and time it had, the part is long enough, and the blocks
 * have the digests they had. The caller leaves or finishes the part. Rejects as the ends do. Source: ssh.md 8.7, 4.
 */
export async function resumePart(request: ResumeRequest, signal: AbortSignal): Promise<Resumed> {
  const { journal, begin, target } = request;
  const place = siblingOf(request.to, journal.part);
  if (begin.size !== journal.source.size || begin.modified !== journal.source.modified)
    return { k: 'unusable', place, reason: 'source-changed' };
  const unusable = { k: 'unusable', place, reason: 'part-unusable' } as const;
  if ((await target.look(place, signal))?.kind !== 'file') return unusable;
  const part = await target.openPart(place, signal);
  try {
    const problem = await verify(request, { part, place }, signal);
    if (problem === undefined)
      return { k: 'usable', part, place, blocks: new Set(journal.blocks.map(([block]) => block)) };
    await part.leave();
    return { ...unusable, reason: problem };
  } catch (error) {
    await part.leave();
    if (hasCode(error, 'file-failed')) return unusable;
    throw error;
  }
}

async function verify(
  { journal, source, chunk, isLocal, from }: ResumeRequest,
  { part, place }: { readonly part: OpenPart; readonly place: Place },
  signal: AbortSignal,
): Promise<Extract<TransferWarning['code'], 'source-changed' | 'part-unusable'> | undefined> {
  const { size } = await part.facts(signal);
  const last = journal.blocks.at(-1)?.[0] ?? -1;
  if (size === undefined || size < (last + 1) * blockBytes) return 'part-unusable';
  const away = isLocal === 'target' ? from : place;
  const blocks = journal.blocks.map(([block]) => block);
  let told = away.k === 'remote' ? await blockDigests(away, blocks, signal) : undefined;
  for (const [index, [block, sha256]] of journal.blocks.entries()) {
    const range = { from: block * blockBytes, length: blockBytes };
    const isHere = async (reader: OpenSource | OpenPart): Promise<boolean> =>
      (await digestOff(await readStretch({ reader, chunk }, range, signal))) === sha256;
    const isAway = async (reader: OpenSource | OpenPart): Promise<boolean> => {
      if (told !== undefined) {
        if (told[index] === sha256) return true;
        told = undefined; // of another file, where commands see other folders than the files
        return isHere(reader);
      }
      return index < journal.blocks.length - readBack || isHere(reader);
    };
    if (!(await (isLocal === 'target' ? isHere(part) : isAway(part)))) return 'part-unusable';
    if (!(await (isLocal === 'source' ? isHere(source) : isAway(source)))) return 'source-changed';
  }
  return undefined;
}
