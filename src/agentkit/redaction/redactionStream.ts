import type { RedactionStream } from '../redactor.ts';
import { longestForm } from './knownForms.ts';
import type { KnownSecrets } from './knownSecrets.ts';
import { joinRanges, mark, replaceRanges, type Range } from './mark.ts';
import { PemBlocks } from './pemBlocks.ts';
import { lineRanges } from './redactLine.ts';
import { LineSequence, type RedactionRules } from './redactLines.ts';

/** Units of an unfinished line that are held back at most. Source: agent runtime contract, section 14. */
const longestCarry = 65_536;
/** Units of what was given away that a longer line keeps as context, so that a key in front of a cut is still known. */
const contextUnits = 1_024;
/** Units behind a cut: shapes that start in front of it end in them. At least the longest known form. */
const leastLookAhead = Math.max(4_096, longestForm);

/**
 * Redacts a stream line by line. A line above 65,536 units goes out in parts, cut at the same places however it arrives; a value that
 * fills a whole part is taken out to the end of its line.
 */
export class LineRedactionStream implements RedactionStream {
  readonly #rules: RedactionRules;
  readonly #lines: LineSequence;
  #carry = '';
  #longLine: LongLine | undefined;

  constructor(rules: RedactionRules) {
    this.#rules = rules;
    this.#lines = new LineSequence(rules);
  }

  push(text: string): string {
    let result = '';
    let position = 0;
    const pending = this.#carry + text;
    this.#carry = '';
    while (position < pending.length) {
      if (this.#longLine !== undefined) {
        const end = pending.indexOf('\n', position);
        const part = pending.slice(position, end < 0 ? undefined : end);
        result += this.#longLine.push(part);
        if (end < 0) return result;
        result += `${this.#longLine.end()}\n`;
        this.#longLine = undefined;
        position = end + 1;
        continue;
      }
      const end = pending.lastIndexOf('\n', position + longestCarry) + 1;
      if (end > position) {
        result += this.#lines.redact(pending.slice(position, end));
        position = end;
      } else if (pending.length - position > longestCarry)
        this.#longLine = new LongLine(this.#rules.known, this.#lines);
      else break;
    }
    this.#carry = pending.slice(position);
    return result;
  }

  passLines(ascii: Uint8Array): number | undefined {
    if (this.#carry !== '' || this.#longLine !== undefined || this.#lines.isInsideBlock) return undefined;
    return this.#rules.scan().lineFeedsOfPlain(ascii);
  }

  peek(): string {
    if (this.#longLine !== undefined) return this.#longLine.peek();
    const pending = this.#carry;
    if (pending === '') return '';
    const held = this.#rules.known.unfinishedTail(pending);
    const lines = this.#lines.fork();
    if (held === 0) return lines.redact(pending);
    if (lines.isInsideBlock) return lines.line(pending);
    const ranges = lineRanges(pending, this.#rules.known);
    const cut = outsideOf(ranges, pending.length - held);
    const shown = ranges.filter(({ end }) => end <= cut);
    return lines.redact(replaceRanges(pending.slice(0, cut), shown));
  }

  end(): string {
    const rest = this.#longLine === undefined ? this.#lines.redact(this.#carry) : this.#longLine.end();
    this.#carry = '';
    this.#longLine = undefined;
    return rest;
  }
}

/** A line above the carry, on its way out in parts. A part that was given away is never looked at again. */
class LongLine {
  readonly #known: KnownSecrets;
  #context = '';
  #pending = '';
  /** Nothing of this line is shown any more: it belongs to a block, or a value filled a whole part. */
  #isLost: boolean;
  #markOwed: boolean;

  constructor(known: KnownSecrets, lines: LineSequence) {
    this.#known = known;
    this.#isLost = lines.isInsideBlock;
    this.#markOwed = this.#isLost;
    if (this.#isLost) lines.line('');
  }

  push(text: string): string {
    let result = this.#markOwed ? mark : '';
    this.#markOwed = false;
    for (let position = 0; position < text.length && !this.#isLost;) {
      const taken = text.slice(position, position + longestCarry - this.#pending.length);
      this.#pending += taken;
      position += taken.length;
      if (this.#pending.length === longestCarry) result += this.#giveAway();
    }
    return result;
  }

  end(): string {
    if (this.#isLost) return '';
    const ranges = this.#ranges();
    return this.#show(ranges, this.#context.length + this.#pending.length);
  }

  peek(): string {
    if (this.#isLost) return this.#markOwed ? mark : '';
    const end = this.#context.length + this.#pending.length;
    const ranges = this.#ranges();
    return this.#show(ranges, outsideOf(ranges, end - this.#known.unfinishedTail(this.#pending)));
  }

  #ranges(): readonly Range[] {
    const window = this.#context + this.#pending;
    return joinRanges([...lineRanges(window, this.#known), ...new PemBlocks().nextLine(window)]);
  }

  #giveAway(): string {
    const ranges = this.#ranges();
    const window = this.#context + this.#pending;
    let cut = window.length - leastLookAhead;
    const covering = ranges.find(({ start, end }) => start < cut && cut < end);
    if (covering !== undefined && covering.end < window.length) cut = covering.end;
    else if (covering !== undefined && covering.start > this.#context.length) cut = covering.start;
    else if (covering !== undefined) return this.#lose();
    else if (isLowSurrogate(window.charCodeAt(cut))) cut--;
    const shown = this.#show(ranges, cut);
    this.#context = window.slice(Math.max(0, cut - contextUnits), cut);
    this.#pending = window.slice(cut);
    return shown;
  }

  #lose(): string {
    this.#isLost = true;
    this.#pending = '';
    return mark;
  }

  /** From behind the context to `cut`. */
  #show(ranges: readonly Range[], cut: number): string {
    const from = this.#context.length;
    const window = this.#context + this.#pending;
    const clipped = ranges.map(({ start, end }) => ({
      start: Math.max(0, start - from),
      end: Math.min(end, cut) - from,
    }));
    return replaceRanges(window.slice(from, cut), joinRanges(clipped));
  }
}

/** The place, or the end of the range it lies in. */
function outsideOf(ranges: readonly Range[], place: number): number {
  return ranges.find(({ start, end }) => start < place && place < end)?.end ?? place;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
