import { lineEnd } from '../../output/lines.ts';
import type { Redactor } from '../../redactor.ts';
import type { ToolBody } from '../../tool.ts';
import { LineCount, sliceUnits, textSlices } from './textSlices.ts';

/** More than this no result holds. Source: agent runtime contract, section 8.4. */
const mostKeptUnits = 65_536;
const mostKeptLines = 2_000;

/**
 * A received text as the body of a result: redacted in slices, so that a long one holds nobody up, with the lines a result can hold
 * in front and the whole of it for the capture. Rejects with the signal's reason.
 */
export async function receivedBody(text: string, redactor: Redactor, signal: AbortSignal): Promise<ToolBody> {
  if (text.length <= sliceUnits) return { content: text };
  const stream = redactor.stream();
  const count = new LineCount();
  const parts: string[] = [];
  const keep = (part: string): void => {
    count.add(part);
    parts.push(part);
  };
  for await (const slice of textSlices(text, signal)) keep(stream.push(slice));
  keep(stream.end());
  const whole = parts.join('');
  const kept = keptLines(whole);
  return {
    content: kept,
    totalLines: count.lines,
    full: {
      isWhole: kept.length === whole.length,
      save: (capture, stopped) => capture.save(Buffer.from(whole, 'utf8'), stopped),
    },
  };
}

/** Whole lines from the start, one more than any result holds. */
function keptLines(text: string): string {
  let end = 0;
  for (let lines = 0; lines <= mostKeptLines && end < text.length; lines++) {
    const next = lineEnd(text, end);
    if (next > mostKeptUnits) break;
    end = next;
  }
  return text.slice(0, end);
}
