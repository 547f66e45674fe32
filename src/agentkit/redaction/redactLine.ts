import { keyValueRanges } from './keyValueShapes.ts';
import type { KnownSecrets } from './knownSecrets.ts';
import { joinRanges, mark, replaceRanges, type Range } from './mark.ts';
import { tokenRanges } from './tokenShapes.ts';

/** Everything to redact in one line (or a part of a very long one), joined. Blocks over several lines are `PemBlocks`' business. */
export function lineRanges(line: string, known: KnownSecrets): readonly Range[] {
  return joinRanges([...known.ranges(line), ...keyValueRanges(line), ...tokenRanges(line)]);
}

/** What a mark uncovers is rarely more than one thing. */
const mostPasses = 8;

/**
 * The line with a mark for each secret; the result is the same when redacted again. A mark may make a key of what stood behind a
 * known value, so the result is searched once more; a line that never comes to rest becomes one mark.
 */
export function redactLine(line: string, known: KnownSecrets): string {
  let redacted = line;
  for (let pass = 0; pass < mostPasses; pass++) {
    const next = replaceRanges(redacted, lineRanges(redacted, known));
    if (next === redacted) return redacted;
    redacted = next;
  }
  return line.endsWith('\r') ? `${mark}\r` : mark;
}
