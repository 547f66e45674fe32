import { ignoring, type Fault } from '../../../domain/fault.ts';
import { fileError, fileFaultOf } from '../../../domain/files/fileFault.ts';
import { inTurns } from '../../sync/inTurns.ts';
import { digestPlace } from './digestPlace.ts';
import type { EntryFacts } from './end.ts';
import type { FileContext } from './fileContext.ts';
import { childOf, showPlace } from './place.ts';
import { scanFolder } from './scanFolder.ts';
import type { ComparedFiles, CompareRequest, Place } from './transfer.ts';

/** Pairs of files that are read together; of small ones most of the time goes into waiting for answers. */
const pairsAhead = { small: 32, large: 4 } as const;
const smallBytes = 256 * 1024;

interface Pair {
  readonly from: Place;
  readonly to: Place;
  readonly source: EntryFacts;
}

/** Each file of the source with the one at the target. Rejects as `TransferEngine.compare`. */
export async function compareEnds(
  context: Pick<FileContext, 'source' | 'target' | 'meter'>,
  request: CompareRequest,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const { source, target, meter } = context;
  const found = { files: 0, different: 0, leftOut: 0 };
  const differs = (from: Place, fault: Fault): void => {
    found.different += 1;
    request.onDifferent(from, fault);
  };
  const compare = async (pair: Pair): Promise<void> => {
    try {
      const other = await differenceOf(context, pair, signal);
      if (other !== undefined) differs(pair.from, other);
    } catch (error) {
      if (signal.aborted || source.isEnded || target.isEnded) throw error;
      differs(pair.from, fileFaultOf(error, signal));
    }
    meter.fileDone();
  };
  const all = await pairsOf(context, request, { differs, signal });
  const pairs = all.filter(({ from }) => request.isLeftOut?.(from) !== true);
  found.leftOut = all.length - pairs.length;
  found.files = pairs.length;
  meter.expect(pairs.length);
  meter.sized(
    pairs.reduce((sum, pair) => sum + (pair.source.size ?? 0), 0),
    pairs.length,
  );
  const isSmall = ({ source: { size } }: Pair): boolean => size !== undefined && size <= smallBytes;
  const mostOpen = Math.min(source.maxOpen, target.maxOpen);
  await inTurns(pairs.filter(isSmall), Math.min(pairsAhead.small, mostOpen), compare);
  await inTurns(
    pairs.filter((pair) => !isSmall(pair)),
    Math.min(pairsAhead.large, mostOpen),
    compare,
  );
  return found;
}

async function pairsOf(
  { source, target }: Pick<FileContext, 'source' | 'target'>,
  { kind, from, to }: CompareRequest,
  {
    differs,
    signal,
  }: { readonly differs: (from: Place, fault: Fault) => void; readonly signal: AbortSignal },
): Promise<readonly Pair[]> {
  const theirs = (await target.resolve(to, signal).catch(ignoring('not-found', 'link-loop'))) ?? to;
  if (kind === 'file') {
    const ours = await source.resolve(from, signal);
    const facts = await source.look(ours, signal);
    if (facts === undefined) throw fileError('not-found', { path: showPlace(from) }, { outcome: 'not-sent' });
    return [{ from: ours, to: theirs, source: facts }];
  }
  const scanned = await scanFolder(source, { root: from }, signal);
  for (const { names, fault } of scanned.failures) differs(names.reduce(childOf, from), fault);
  return scanned.files.map(({ names, facts }) => ({
    from: names.reduce(childOf, from),
    to: names.reduce(childOf, theirs),
    source: facts,
  }));
}

/** Undefined for files that are the same. */
async function differenceOf(
  { source, target, meter }: Pick<FileContext, 'source' | 'target' | 'meter'>,
  pair: Pair,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const { from, to } = pair;
  const path = showPlace(to);
  const there = await target.look(to, signal);
  if (there === undefined) return fileError('not-found', { path }).fault;
  if (there.kind === 'directory') return fileError('is-directory', { path }).fault;
  const differs = fileError('content-differs', { path }).fault;
  const hasBoth = pair.source.size !== undefined && there.size !== undefined;
  if (hasBoth && pair.source.size !== there.size) return differs;
  const [ours, theirs] = await Promise.all([
    digestPlace(
      {
        ...{ end: source, place: from, listed: pair.source, commands: commandsOf(from) },
        onBytes: (bytes) => meter.moved(bytes),
      },
      signal,
    ),
    digestPlace({ end: target, place: to, listed: there, commands: commandsOf(to) }, signal),
  ]);
  return ours === theirs ? undefined : differs;
}

function commandsOf(place: Place): Parameters<typeof digestPlace>[0]['commands'] {
  return place.k === 'remote' ? place.commands : undefined;
}
