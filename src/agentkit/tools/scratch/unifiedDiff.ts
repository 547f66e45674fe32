import { structuredPatch } from 'diff';
import { countLines } from '../../output/lines.ts';
import type { ToolBody } from '../../tool.ts';

/** Differing lines behind the common beginning and end that are compared at all. Source: tool contract, section 6. */
const mostLines = 10_000;
/** Whole hunks up to this many bytes are shown. */
const mostBytes = 65_536;
/** More edits than this would take seconds; the differing part is then shown as removed and added as a whole. */
const mostEdits = 2_000;

export interface DiffedText {
  readonly label: string;
  readonly text: string;
}

/**
 * The unified diff of two LF texts as the body of a result: whole hunks up to 64 KiB, empty for equal texts. Undefined when more than
 * 10,000 lines differ.
 */
export function unifiedDiff(before: DiffedText, after: DiffedText, context: number): ToolBody | undefined {
  if (before.text === after.text) return { content: '' };
  const [old, now] = [linesOf(before.text), linesOf(after.text)];
  const equalStart = commonStart(old, now);
  const equalEnd = commonEnd(old, now, equalStart);
  if (Math.max(old.length, now.length) - equalStart - equalEnd > mostLines) return undefined;
  const from = Math.max(0, equalStart - context);
  const [oldEnd, newEnd] = [old, now].map((lines) =>
    Math.min(lines.length, lines.length - equalEnd + context),
  );
  const hunks = hunksOf(old.slice(from, oldEnd), now.slice(from, newEnd), {
    from,
    context,
    equalStart,
    equalEnd,
  });
  return shownHunks(`--- a/${before.label}\n+++ b/${after.label}\n`, hunks);
}

interface DiffPlace {
  /** Lines in front of both parts. */
  readonly from: number;
  readonly context: number;
  readonly equalStart: number;
  readonly equalEnd: number;
}

function hunksOf(old: readonly string[], now: readonly string[], place: DiffPlace): readonly string[] {
  const { from, context } = place;
  const patch = structuredPatch('a', 'b', old.join(''), now.join(''), undefined, undefined, {
    context,
    maxEditLength: mostEdits,
  });
  if (patch === undefined) return [wholeHunk(old, now, place)];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    hunkText({ oldStart: oldStart + from, oldLines, newStart: newStart + from, newLines }, lines),
  );
}

/** Everything that differs as one hunk. */
function wholeHunk(old: readonly string[], now: readonly string[], place: DiffPlace): string {
  const lead = place.equalStart - place.from;
  const tail = Math.min(place.context, place.equalEnd);
  const start = place.from + 1;
  const marked = (lines: readonly string[], mark: string): readonly string[] =>
    lines.flatMap((line) => (line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, noNewline]));
  return hunkText({ oldStart: start, oldLines: old.length, newStart: start, newLines: now.length }, [
    ...marked(old.slice(0, lead), ' '),
    ...marked(old.slice(lead, old.length - tail), '-'),
    ...marked(now.slice(lead, now.length - tail), '+'),
    ...marked(old.slice(old.length - tail), ' '),
  ]);
}

const noNewline = '\\ No newline at end of file';

function hunkText(
  range: { oldStart: number; oldLines: number; newStart: number; newLines: number },
  lines: readonly string[],
): string {
  const side = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
  const head = `@@ -${side(range.oldStart, range.oldLines)} +${side(range.newStart, range.newLines)} @@`;
  return `${[head, ...lines].join('\n')}\n`;
}

function shownHunks(header: string, hunks: readonly string[]): ToolBody {
  let content = header;
  let bytes = Buffer.byteLength(header, 'utf8');
  for (const hunk of hunks) {
    bytes += Buffer.byteLength(hunk, 'utf8');
    if (bytes > mostBytes) break;
    content += hunk;
  }
  const totalLines = countLines(header + hunks.join(''));
  return { content, totalLines, hasMore: countLines(content) < totalLines };
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}
