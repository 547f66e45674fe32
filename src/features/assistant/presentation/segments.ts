/** A row of an answer starts a new one behind the first Markdown block that ends above `softLength`. */
export const segmentLength = { soft: 12 * 1024, hard: 24 * 1024 } as const;

/**
 * Splits an answer into the texts of its rows. The cut is behind a blank line outside of a code fence once a segment has
 * `segmentLength.soft` UTF-16 units, or behind any line at `segmentLength.hard`, or inside of a line that is twice as long. All segments of
 * a prefix of an answer but the last are segments of the answer, so a streamed answer and a restored one have the same rows.
 */
export function splitAnswer(text: string): string[] {
  const segments: string[] = [];
  let rest = text;
  for (;;) {
    const cut = firstCut(rest);
    if (cut === undefined) break;
    segments.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  if (rest !== '' || segments.length === 0) segments.push(rest);
  return segments;
}

/** Where the first segment of `text` ends; undefined while it may still grow. */
export function firstCut(text: string): number | undefined {
  if (text.length <= segmentLength.soft) return undefined;
  let position = 0;
  let fence: string | undefined;
  while (position < text.length) {
    const lineBreak = text.indexOf('\n', position);
    if (lineBreak < 0) break;
    const line = text.slice(position, lineBreak);
    position = lineBreak + 1;
    fence = fenceAfter(fence, line);
    if (position > segmentLength.hard * 2) return hardCut(text);
    if (position >= segmentLength.hard) return position;
    if (position >= segmentLength.soft && fence === undefined && line.trim() === '') return position;
  }
  return text.length >= segmentLength.hard * 2 ? hardCut(text) : undefined;
}

/** The open fence behind `line`, or undefined outside of code. Source: CommonMark section 4.5. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (fence === null) return open;
  const [, marks = '', info = ''] = fence;
  if (open === undefined) return marks.startsWith('`') && info.includes('`') ? undefined : marks;
  return marks.startsWith(open) && info.trim() === '' ? undefined : open;
}

/** For a text without line breaks; never between the halves of a character. */
function hardCut(text: string): number {
  const before = text.charCodeAt(segmentLength.hard - 1);
  return before >= 0xd800 && before <= 0xdbff ? segmentLength.hard + 1 : segmentLength.hard;
}
