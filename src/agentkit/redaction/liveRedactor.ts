import type { LiveRedaction } from '../redactor.ts';
import { lineRanges } from './redactLine.ts';
import { LineSequence, type RedactionRules } from './redactLines.ts';

/**
 * Redacts text while it is being written. A line without anything suspicious is shown at once, up to what may be the beginning of it; from
 * there on whole words are, and a secret when its line is complete or something follows it. What turns out to belong to a secret after a part of it was shown keeps
 * the rest of its line back.
 */
export class LiveRedactor implements LiveRedaction {
  readonly #rules: RedactionRules;
  readonly #lines: LineSequence;
  /** The line that is being written, as it came. */
  #line = '';
  /** What was shown of it, redacted. */
  #shown = '';

  constructor(rules: RedactionRules) {
    this.#rules = rules;
    this.#lines = new LineSequence(rules);
  }

  push(text: string): string {
    const [first = '', ...more] = text.split('\n');
    this.#line += first;
    let result = '';
    for (const next of more) {
      result += `${this.#finish()}\n`;
      this.#line = next;
    }
    return result + this.#advance();
  }

  end(): string {
    return this.#line === '' ? '' : this.#finish();
  }

  /** The rest of a line that has come to its end. */
  #finish(): string {
    const rest = this.#restOf(this.#lines.line(this.#line));
    this.#line = '';
    this.#shown = '';
    return rest;
  }

  #advance(): string {
    if (this.#lines.isInsideBlock) return '';
    const unfinished = this.#rules.scan().unfinished(this.#line);
    const ready =
      unfinished === undefined
        ? this.#lines.fork().line(this.#line.slice(0, this.#settled()))
        : this.#line.slice(0, betweenCharacters(this.#line, this.#line.length - unfinished));
    const rest = this.#restOf(ready);
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
