import { setImmediate } from 'node:timers/promises';
import { countLines, lineEnd } from '../../output/lines.ts';
import type { Redactor } from '../../redactor.ts';
import type { ToolBody } from '../../tool.ts';

/** Units that are redacted in one go: some milliseconds where every line looks like a secret. */
const sliceUnits = 8_192;
/** More than this no result holds. Source: agent runtime contract, section 8.4. */
const mostKeptUnits = 65_536;
const mostKeptLines = 2_000;

/**
 * A received text as the body of a result: redacted in slices, so that a long one holds nobody up, with the lines a result can hold
 * in front and the whole of it for the capture. Rejects with the signal's reason.
 */
export async function receivedBody(text: string, redactor: Redactor, signal: AbortSignal): Promise<ToolBody> {
  if (text.length <= sliceUnits) return { content: text };
  const whole = await redactInSlices(text, redactor, signal);
  const kept = keptLines(whole);
  const isWhole = kept.length === whole.length;
  return {
    content: kept,
    totalLines: countLines(whole),
    full: {
      isWhole,
      save: (capture, stopped) => capture.save(Buffer.from(whole, 'utf8'), stopped),
    },
  };
}

async function redactInSlices(text: string, redactor: Redactor, signal: AbortSignal): Promise<string> {
  const stream = redactor.stream();
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += sliceUnits) {
    parts.push(stream.push(text.slice(at, at + sliceUnits)));
    await setImmediate();
    signal.throwIfAborted();
  }
  parts.push(stream.end());
  return parts.join('');
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
