import type { JsonObject } from '../../json.ts';
import type { PatternMatch } from './patternRunner.ts';

/** Source: tool contract, `scratch_search`. */
const previewBytes = 1_024;

/** Matches of one file, in order of place, with their line numbers and a window of each line. */
export function shownMatches(
  path: string,
  text: string,
  found: readonly PatternMatch[],
): readonly JsonObject[] {
  let line = 1;
  let position = 0;
  return found.map(({ start, end }) => {
    for (
      let next = text.indexOf('\n', position);
      next >= 0 && next < start;
      next = text.indexOf('\n', position)
    ) {
      line++;
      position = next + 1;
    }
    const lineFeed = text.indexOf('\n', start);
    const lineEnd = lineFeed < 0 ? text.length : lineFeed;
    const whole = text.slice(position, lineEnd);
    const preview = windowAround(whole, start - position, Math.min(end, lineEnd) - position);
    return { path, line, text: preview, text_truncated: preview.length < whole.length };
  });
}

/** At most 1,024 bytes of the line in whole characters, with the match in the middle as far as it fits. */
function windowAround(line: string, start: number, end: number): string {
  if (line.length <= previewBytes && Buffer.byteLength(line, 'utf8') <= previewBytes) return line;
  const match = beginning(line.slice(start, Math.min(end, start + previewBytes)), previewBytes);
  const left = previewBytes - Buffer.byteLength(match, 'utf8');
  const lead = ending(line.slice(Math.max(0, start - left), start), Math.floor(left / 2));
  if (match.length < end - start) return lead + match;
  return lead + match + beginning(line.slice(end, end + left), left - Buffer.byteLength(lead, 'utf8'));
}

/** The longest beginning of at most so many bytes. */
function beginning(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  let end = Math.min(most, bytes.length);
  while (end > 0 && end < bytes.length && isInsideCharacter(bytes[end])) end--;
  return bytes.toString('utf8', 0, end);
}

/** The longest end of at most so many bytes. */
function ending(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8');
  let start = Math.max(0, bytes.length - most);
  while (start < bytes.length && isInsideCharacter(bytes[start])) start++;
  return bytes.toString('utf8', start);
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
