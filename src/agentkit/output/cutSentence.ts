import { countLines, lineEnd } from './lines.ts';
import { markerText } from './marker.ts';

/**
 * An error sentence, which stands without envelope. Above the ceiling it is cut by whole lines from its start, and the marker is its
 * last line. Source: agent runtime contract, section 8.2.
 */
export function cutSentence(
  sentence: string,
  ceiling: { readonly bytes: number; readonly lines: number },
): { readonly text: string; readonly truncated: boolean; readonly marker?: string } {
  const total = countLines(sentence);
  if (total <= ceiling.lines && Buffer.byteLength(sentence, 'utf8') <= ceiling.bytes)
    return { text: sentence, truncated: false };
  const widest = markerText({ ranges: [[total + 1, total + 1]], total });
  let left = ceiling.bytes - widest.length;
  let end = 0;
  let lines = 0;
  while (lines < ceiling.lines && end < sentence.length) {
    const next = lineEnd(sentence, end);
    const bytes = Buffer.byteLength(sentence.slice(end, next), 'utf8');
    if (bytes > left) break;
    left -= bytes;
    end = next;
    lines++;
  }
  const marker = markerText({ ranges: lines === 0 ? [] : [[1, lines]], total });
  return { text: sentence.slice(0, end) + marker, truncated: true, marker };
}
