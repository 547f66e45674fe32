/**
 * Lines of a text. LF ends a line; CRLF counts once (the CR stays in the text); a lone CR is no break; a final LF adds no further
 * line; the empty text has none. Source: agent runtime contract, section 8.3.
 */
export function countLines(text: string): number {
  let lines = 0;
  let start = 0;
  while (start < text.length) {
    lines++;
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    start = end + 1;
  }
  return lines;
}

/** Index behind the line that starts at `start`, its LF included. */
export function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end + 1;
}

/** Index of the first character of the line that ends at `end` (its LF, if any, is in front of `end`). */
export function lineStart(text: string, end: number): number {
  return end < 2 ? 0 : text.lastIndexOf('\n', end - 2) + 1;
}
