/**
 * Windows of whole lines that equal the lines of `old` when both are folded: NFKC, one kind of quote, dash and space, no white space
 * at line ends. For a model that copies what it read with other characters than the file has. The windows do not overlap; each ends
 * in front of its last LF unless `old` ends in one. Source: tool contract, `scratch_replace`.
 */
export function looseMatches(text: string, old: string): readonly { start: number; end: number }[] {
  const endsWithLineFeed = old.endsWith('\n');
  const wanted = (endsWithLineFeed ? old.slice(0, -1) : old).split('\n').map(fold);
  if (wanted.every((line) => line === '')) return [];
  const lines = linesOf(text);
  const matches: { start: number; end: number }[] = [];
  for (let first = 0; first + wanted.length <= lines.length;) {
    const isMatch = wanted.every((line, index) => lines[first + index]?.folded === line);
    const start = lines[first];
    const end = lines[first + wanted.length - 1];
    if (!isMatch || start === undefined || end === undefined) {
      first++;
      continue;
    }
    matches.push({
      start: start.start,
      end: endsWithLineFeed ? Math.min(text.length, end.end + 1) : end.end,
    });
    first += wanted.length;
  }
  return matches;
}

interface Line {
  readonly start: number;
  /** In front of the LF. */
  readonly end: number;
  readonly folded: string;
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    lines.push({ start, end: start + line.length, folded: fold(line) });
    start += line.length + 1;
  }
  return lines;
}

function fold(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018-\u201b\u2032\u00b4`]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .trimEnd();
}
