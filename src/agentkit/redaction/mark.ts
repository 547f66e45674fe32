/** What stands for whatever was taken out. Source: agent runtime contract, section 14. */
export const mark = '[redacted]';

/** A part of one line that must not be seen; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Ranges in order, overlapping and touching ones joined, empty ones gone. */
export function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (end <= start) continue;
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** The text with one mark for each range; `ranges` are joined. */
export function replaceRanges(text: string, ranges: readonly Range[]): string {
  let result = '';
  let from = 0;
  for (const { start, end } of ranges) {
    result += text.slice(from, start) + mark;
    from = end;
  }
  return result + text.slice(from);
}
