import type { LiveRedaction } from '../redactor.ts';
import { lineRanges } from './redactLine.ts';
import { LineSequence, type RedactionRules } from './redactLines.ts';
import type { TriggerScan } from './triggerScan.ts';

/** A suspicious line is looked at again when it has grown by this part of itself, so that a long one costs no more than a few. */
const growth = 64;

/**
 * Redacts text while it is being written. A line without anything suspicious is shown at once, up to what may be the beginning of it;
 * from there on whole words are, and something hidden once more follows it. What turns out to belong to a secret after a part of it was
 * shown keeps the rest of its line back. A line that nothing is hidden in is read once.
 */
export class LiveRedactor implements LiveRedaction {
  readonly #rules: RedactionRules;
  readonly #lines: LineSequence;
  /** The line that is being written, as it came. */
  #line = '';
  /** What was shown of it, redacted. */
  #shown = '';
  /** What was not, while nothing in the line is suspicious. */
  #pending = '';
  #isSuspicious = false;
  /** Units of a suspicious line from which on it is looked at again. */
  #nextLook = 0;
  #scan: TriggerScan | undefined;
  /** Where the scan stands behind the line so far. */
  #row = 0;

  constructor(rules: RedactionRules) {
    this.#rules = rules;
    this.#lines = new LineSequence(rules);
  }

  push(text: string): string {
    const pieces = text.split('\n');
    const last = pieces.pop() ?? '';
    let result = '';
    for (const piece of pieces) {
      this.#line += piece;
      result += `${this.#finish()}\n`;
    }
    this.#line += last;
    return result + this.#advance(last);
  }

  end(): string {
    return this.#line === '' ? '' : this.#finish();
  }

  /** The rest of a line that has come to its end. */
  #finish(): string {
    const rest = this.#restOf(this.#lines.line(this.#line));
    this.#line = this.#shown = this.#pending = '';
    this.#isSuspicious = false;
    this.#nextLook = this.#row = 0;
    return rest;
  }

  #advance(added: string): string {
    if (this.#lines.isInsideBlock) return '';
    this.#pending += added;
    const held = this.#isSuspicious ? undefined : this.#beginning(added);
    if (held === undefined) return this.#advanceByWords();
    const cut = betweenCharacters(this.#pending, Math.max(0, this.#pending.length - held));
    const shown = this.#pending.slice(0, cut);
    this.#pending = this.#pending.slice(cut);
    this.#shown += shown;
    return shown;
  }

  /** How many units at the end may be the beginning of something suspicious; undefined when all of it is there. */
  #beginning(added: string): number | undefined {
    const scan = this.#rules.scan();
    // Values that became known meanwhile may have begun before.
    const isOther = scan !== this.#scan;
    this.#scan = scan;
    const row = isOther ? scan.read(this.#line, 0) : scan.read(added, this.#row);
    if (row === undefined) return undefined;
    this.#row = row;
    return scan.depth(row);
  }

  #advanceByWords(): string {
    this.#isSuspicious = true;
    this.#pending = '';
    if (this.#line.length < this.#nextLook) return '';
    this.#nextLook = this.#line.length + Math.ceil(this.#line.length / growth);
    const rest = this.#restOf(this.#lines.fork().line(this.#line.slice(0, this.#settled())));
    this.#shown += rest;
    return rest;
  }

  /** Index of the last blank in front of what may be the beginning of a known value, and outside of everything that is hidden. */
  #settled(): number {
    const { known } = this.#rules;
    let index = this.#line.length - known.unfinishedTail(this.#line) - 1;
    while (index > 0 && !/\s/.test(this.#line[index] ?? '')) index--;
    const covering = lineRanges(this.#line, known).find(({ start, end }) => start < index && index < end);
    return Math.max(0, covering?.start ?? index);
  }

  #restOf(redacted: string): string {
    return redacted.startsWith(this.#shown) ? redacted.slice(this.#shown.length) : '';
  }
}

function betweenCharacters(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
