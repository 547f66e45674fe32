import { isAscii } from 'node:buffer';
import { TerminalEscapes } from '../decoding/terminalEscapes.ts';
import { Utf8Stream } from '../decoding/utf8Stream.ts';
import type { Disposable } from '../lifetime.ts';
import { countLines } from '../output/lines.ts';
import type { Redactor, RedactionStream } from '../redactor.ts';
import type { FullText, ToolBody } from '../tool.ts';
import type { CallCapture, GrowingCapture } from './callCapture.ts';
import { Spool } from './spool.ts';
import { lastLines, tailLimits, TailLines } from './tailLines.ts';
import { neverAborted } from '../neverAborted.ts';

export type OutputSource = 'stdout' | 'stderr';

/** Raw figures of everything that came, whatever is kept of it. */
export interface OutputTotals {
  readonly bytes: number;
  readonly stderrBytes: number;
  readonly lines: number;
}

export interface OutputCollectorOptions {
  readonly redactor: Redactor;
  /** A private folder outside scratch, created with mode 0700 when it is first needed. */
  readonly spoolFolder: string;
}

/** A line of more raw bytes is only a length. Source: agent runtime contract, section 8.3. */
const longestLine = 65_536;
const lineFeed = 0x0a;
const escape = 0x1b;

/**
 * The output of one command: takes both streams in the order in which their lines end, takes terminal escapes out, decodes, redacts by
 * whole lines and counts. A line of one stream is never broken by the other, which would break a secret in it as well. In memory it keeps everything up to the ceiling of a result, and beyond it the last 2,000 lines and 65,536
 * bytes; the whole redacted text then goes to a private spool and, while a capture is attached, into its file. A short command
 * creates no file. Whoever creates the collector disposes it.
 * Source: seed 0; agent runtime contract, sections 8.3 and 9; decisions 3 and 4.
 */
export class OutputCollector implements Disposable {
  readonly #options: OutputCollectorOptions;
  readonly #sources: Readonly<Record<OutputSource, SourceReader>>;
  readonly #tail = new TailLines();
  /** Everything so far, until it is more than a result can hold. */
  #early: Buffer[] | undefined = [];
  #earlyLines = 0;
  #earlyBytes = 0;
  #spool: Spool | undefined;
  #capture: CallCapture | undefined;
  #growing: GrowingCapture | undefined;
  #bytes = 0;
  #stderrBytes = 0;
  #lineFeeds = 0;
  /** Set once nothing follows: its last line had no LF. */
  #endsInsideLine = false;

  constructor(options: OutputCollectorOptions) {
    this.#options = options;
    const { redactor } = options;
    this.#sources = { stdout: new SourceReader(redactor), stderr: new SourceReader(redactor) };
  }

  get totals(): OutputTotals {
    const lines = this.#lineFeeds + (this.#hasOpenLine(this.#peek()) ? 1 : 0);
    return { bytes: this.#bytes, stderrBytes: this.#stderrBytes, lines };
  }

  /**
   * From now on everything is also written to one file of this capture, from the first byte, as soon as it is more than a result can
   * hold; until the next `body()`, which ends it.
   */
  captureTo(capture: CallCapture): void {
    this.#capture = capture;
  }

  /** The scratch path of the file that is being written, once it exists, for progress reports. */
  get captureFile(): string | undefined {
    return this.#growing?.path;
  }

  /**
   * Raw bytes in the order they arrive; they are taken over and must not change afterwards. A promise = hold the source back until
   * it resolves. Never throws.
   */
  push(bytes: Uint8Array, source: OutputSource = 'stdout'): Promise<void> | undefined {
    const waits: Promise<void>[] = [];
    this.#bytes += bytes.length;
    if (source === 'stderr') this.#stderrBytes += bytes.length;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let start = 0; start < buffer.length; start += longestLine)
      this.#pushPart(buffer.subarray(start, start + longestLine), { source, waits });
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** Nothing follows. */
  end(): void {
    const text = this.#inOrder()
      .map((source) => source.end())
      .join('');
    this.#endsInsideLine = text !== '' || this.#isLongLine;
    this.#keep(Buffer.from(text, 'utf8'), { lines: this.#isLongLine ? 0 : 1, waits: [] });
  }

  /**
   * What is there so far, as the body of a result, cut by `tail`. What an attached capture holds ends here. Its `full` saves the
   * same text, whatever comes later; keep the collector until that is done.
   */
  body(): ToolBody {
    const pending = this.#peek();
    const total = this.#lineFeeds + (this.#hasOpenLine(pending) ? 1 : 0);
    const held = this.#isLongLine ? '' : this.#tail.text() + pending;
    const isWhole = this.#early !== undefined && !this.#isLongLine;
    const { text, lines } = isWhole ? { text: held, lines: countLines(held) } : lastLines(held);
    return {
      content: text,
      firstLine: total - lines + 1,
      totalLines: total,
      full: this.#full(text, pending, isWhole),
    };
  }

  /** The last lines so far, for a live card. Ends nothing. */
  tail(): string {
    return this.#isLongLine ? '' : this.#tail.text() + this.#peek();
  }

  /** The text that is still held, for a caller without a ceiling: everything, or the last 8 MiB in whole lines. */
  async heldText(): Promise<{ readonly text: string; readonly missingBytes: number }> {
    const pending = this.#peek();
    if (this.#spool === undefined) return { text: this.#earlyText() + pending, missingBytes: 0 };
    const { end } = this.#spool;
    const held = await this.#spool.read(end);
    if (held !== undefined)
      return { text: held.bytes.toString('utf8') + pending, missingBytes: held.missingBytes };
    const text = this.#tail.text();
    return { text: text + pending, missingBytes: end - Buffer.byteLength(text, 'utf8') };
  }

  dispose(): void {
    void this.#growing?.seal(neverAborted);
    this.#growing = undefined;
    this.#capture = undefined;
    this.#spool?.dispose();
    this.#tail.clear();
    this.#early = [];
  }

  get #isLongLine(): boolean {
    return this.#sources.stdout.isLongLine || this.#sources.stderr.isLongLine;
  }

  /** What was begun first stands in front. */
  #inOrder(): readonly SourceReader[] {
    const { stdout, stderr } = this.#sources;
    return stderr.openSince < stdout.openSince ? [stderr, stdout] : [stdout, stderr];
  }

  /** The lines that have no LF yet, redacted. */
  #peek(): string {
    return this.#inOrder()
      .map((source) => source.redaction.peek())
      .join('');
  }

  #hasOpenLine(pending: string): boolean {
    return pending !== '' || this.#isLongLine || this.#endsInsideLine;
  }

  /** At most one line of such a part can be a long one: the line it ends or goes on with. */
  #pushPart(bytes: Buffer, { source, waits }: { source: OutputSource; waits: Promise<void>[] }): void {
    const reader = this.#sources[source];
    const firstLine = bytes.indexOf(lineFeed) + 1;
    const wholeLines = bytes.lastIndexOf(lineFeed) + 1;
    if (firstLine > 0) {
      reader.lineBytes += firstLine - 1;
      this.#lineFeeds++;
      const text = reader.push(bytes.subarray(0, firstLine));
      this.#keep(Buffer.from(text, 'utf8'), { lines: reader.isLongLine ? 0 : 1, waits });
      reader.lineBytes = 0;
      reader.openSince = Infinity;
    }
    if (wholeLines > firstLine) this.#pushLines(bytes.subarray(firstLine, wholeLines), { reader, waits });
    if (wholeLines < bytes.length) {
      reader.lineBytes += bytes.length - wholeLines;
      reader.openSince = Math.min(reader.openSince, this.#bytes);
      const text = reader.push(bytes.subarray(wholeLines));
      this.#keep(Buffer.from(text, 'utf8'), { lines: 0, waits });
    }
  }

  /** Whole lines behind an LF, none of them long. Most are plain and pass as the bytes they are. */
  #pushLines(bytes: Buffer, { reader, waits }: { reader: SourceReader; waits: Promise<void>[] }): void {
    const isPlain = isAscii(bytes) && !bytes.includes(escape);
    const passed = isPlain ? reader.redaction.passLines?.(bytes) : undefined;
    if (passed !== undefined) {
      this.#lineFeeds += passed;
      return this.#keep(bytes, { lines: passed, waits });
    }
    const lines = countLines(bytes.toString('latin1'));
    this.#lineFeeds += lines;
    this.#keep(Buffer.from(reader.push(bytes), 'utf8'), { lines, waits });
  }

  /** Redacted text: whole lines, or with no lines a part of a long one. */
  #keep(bytes: Buffer, { lines, waits }: { lines: number; waits: Promise<void>[] }): void {
    if (bytes.length === 0) return;
    if (lines === 0) this.#tail.clear();
    else this.#tail.push({ bytes, lines });
    if (this.#early === undefined) return this.#write(bytes, waits);
    this.#early.push(bytes);
    this.#earlyLines += lines;
    this.#earlyBytes += bytes.length;
    if (lines === 0 || this.#earlyLines > tailLimits.lines || this.#earlyBytes > tailLimits.bytes)
      this.#spill(waits);
  }

  /** More than a result can hold: from here on everything is on disk, from the first byte. */
  #spill(waits: Promise<void>[]): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#spool = new Spool(this.#options.spoolFolder);
    this.#growing = this.#capture?.grow();
    for (const bytes of early) this.#write(bytes, waits);
  }

  #write(bytes: Buffer, waits: Promise<void>[]): void {
    for (const wait of [this.#spool?.write(bytes), this.#growing?.append(bytes)])
      if (wait !== undefined) waits.push(wait);
  }

  #earlyText(): string {
    return Buffer.concat(this.#early ?? []).toString('utf8');
  }

  #full(text: string, pending: string, isWhole: boolean): FullText {
    const growing = this.#growing;
    const spool = this.#spool;
    this.#growing = undefined;
    this.#capture = undefined;
    const rest = Buffer.from(pending, 'utf8');
    if (growing !== undefined) {
      void growing.append(rest);
      return { isWhole, save: (_capture, signal) => growing.seal(signal) };
    }
    if (spool === undefined) {
      const all = isWhole ? text : this.#earlyText() + pending;
      return { isWhole, save: (capture, signal) => capture.save(Buffer.from(all, 'utf8'), signal) };
    }
    const { end } = spool;
    return {
      isWhole,
      save: async (capture, signal) => {
        const held = await spool.read(end);
        if (held === undefined)
          return { kind: 'failed', reason: 'The full output was not saved: it is no longer held.' };
        const missing = held.missingBytes > 0 ? `lacks the first ${held.missingBytes} bytes` : undefined;
        return capture.save(Buffer.concat([held.bytes, rest]), signal, missing);
      },
    };
  }
}

/** One of the two streams of a command. */
class SourceReader {
  readonly redaction: RedactionStream;
  /** Raw bytes of the line that has no LF yet. */
  lineBytes = 0;
  /** How many bytes of the command had come when that line began; Infinity when there is none. */
  openSince = Infinity;
  readonly #utf8 = new Utf8Stream();
  readonly #escapes = new TerminalEscapes();

  constructor(redactor: Redactor) {
    this.redaction = redactor.stream();
  }

  get isLongLine(): boolean {
    return this.lineBytes > longestLine;
  }

  push(bytes: Uint8Array): string {
    return this.redaction.push(this.#escapes.strip(this.#utf8.decode(bytes)));
  }

  end(): string {
    return this.redaction.push(this.#escapes.strip(this.#utf8.end())) + this.redaction.end();
  }
}
