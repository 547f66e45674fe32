import { blockBytes } from './transferJournal.ts';

/** From `from` up to but not including `to`, in bytes. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** What of `size` bytes lies outside the blocks that are there, in order. Blocks that begin behind the end do not count. */
export function missingRanges(size: number, blocks: ReadonlySet<number>): readonly ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let from = 0; from < size; from += blockBytes) {
    if (blocks.has(from / blockBytes)) continue;
    const to = Math.min(size, from + blockBytes);
    const last = ranges.at(-1);
    if (last?.to === from) ranges[ranges.length - 1] = { from: last.from, to };
    else ranges.push({ from, to });
  }
  return ranges;
}
