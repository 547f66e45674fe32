import { partialMatch } from './markFilter.ts';

/** What the prelude said about itself. */
export type PreludeReport =
  { readonly kind: 'started'; readonly processGroup: number } | { readonly kind: 'directoryRefused' };

const longestReport = 64;

/**
 * Takes the prelude's one report line out of stderr, byte for byte, wherever chunks are cut. The line is `mark`, a blank and
 * either the process group's number or `cd`. Everything else passes; only bytes that may still become the mark are held back.
 * Start-up files may print before the mark. Source: decisions 6.
 */
export class PreludeFilter {
  readonly #mark: Buffer;
  readonly #onReport: (report: PreludeReport) => void;
  #held = Buffer.alloc(0);
  #done = false;

  constructor(mark: string, onReport: (report: PreludeReport) => void) {
    this.#mark = Buffer.from(`${mark} `, 'utf8');
    this.#onReport = onReport;
  }

  /** The bytes that belong to the command. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#done) return bytes;
    const text = Buffer.concat([this.#held, bytes]);
    const start = text.indexOf(this.#mark);
    if (start < 0) return this.#holdFrom(text, text.length - partialMatch(text, this.#mark));
    const end = text.indexOf(0x0a, start);
    if (end < 0 && text.length - start <= longestReport) return this.#holdFrom(text, start);
    const report = readReport(
      text.subarray(start + this.#mark.length, Math.max(end, start)).toString('utf8'),
    );
    this.#done = true;
    this.#held = Buffer.alloc(0);
    if (report === undefined) return text;
    this.#onReport(report);
    return Buffer.concat([text.subarray(0, start), text.subarray(end + 1)]);
  }

  /** What was held back when the stream ended without a report. */
  end(): Uint8Array {
    this.#done = true;
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }

  #holdFrom(text: Buffer, index: number): Uint8Array {
    this.#held = Buffer.from(text.subarray(index));
    return text.subarray(0, index);
  }
}

function readReport(text: string): PreludeReport | undefined {
  if (text === 'cd') return { kind: 'directoryRefused' };
  if (!/^[1-9][0-9]{0,9}$/.test(text)) return undefined;
  const processGroup = Number(text);
  return processGroup > 1 ? { kind: 'started', processGroup } : undefined;
}
