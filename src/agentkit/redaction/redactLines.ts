import type { KnownSecrets } from './knownSecrets.ts';
import { replaceRanges } from './mark.ts';
import { PemBlocks } from './pemBlocks.ts';
import { redactLine } from './redactLine.ts';
import { TriggerScan } from './triggerScan.ts';

/** What all texts of one redactor share: the known values and the table that finds them, built again when they change. */
export class RedactionRules {
  readonly known: KnownSecrets;
  #scan: TriggerScan | undefined;
  #version = -1;

  constructor(known: KnownSecrets) {
    this.known = known;
  }

  scan(): TriggerScan {
    if (this.#scan !== undefined && this.#version === this.known.version) return this.#scan;
    this.#scan?.wipe();
    this.#version = this.known.version;
    this.#scan = new TriggerScan(this.known.forms());
    return this.#scan;
  }
}

/** The lines of one text in order. Remembers only whether a PEM block is open. */
export class LineSequence {
  readonly #rules: RedactionRules;
  readonly #pem: PemBlocks;

  constructor(rules: RedactionRules, pem = new PemBlocks()) {
    this.#rules = rules;
    this.#pem = pem;
  }

  /** The same state, so that a look ahead leaves this one as it is. */
  fork(): LineSequence {
    return new LineSequence(this.#rules, this.#pem.fork());
  }

  get isInsideBlock(): boolean {
    return this.#pem.isInside;
  }

  /** Whole lines; the last may lack its LF. */
  redact(text: string): string {
    const scan = this.#rules.scan();
    let result = '';
    let copied = 0;
    let position = 0;
    while (position < text.length) {
      const hit = this.#pem.isInside ? position : scan.find(text, position);
      if (hit < 0) break;
      const start = hit === 0 ? 0 : text.lastIndexOf('\n', hit - 1) + 1;
      const lineFeed = text.indexOf('\n', hit);
      const end = lineFeed < 0 ? text.length : lineFeed;
      const line = text.slice(start, end);
      const redacted = this.line(line);
      if (redacted !== line) {
        result += text.slice(copied, start) + redacted;
        copied = end;
      }
      position = end + 1;
    }
    return copied === 0 ? text : result + text.slice(copied);
  }

  /** One line without its LF. */
  line(line: string): string {
    return redactLine(replaceRanges(line, this.#pem.nextLine(line)), this.#rules.known);
  }
}
