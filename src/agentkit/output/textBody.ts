import { escapedBytes } from './byteCost.ts';
import type { CutBody, LineCursor } from './lineCursor.ts';
import { countLines, lineEnd, lineStart } from './lines.ts';

const lineFeedCost = 2;

export function textBody(text: string): CutBody {
  return {
    lines: countLines(text),
    empty: '',
    leastBytes: text.length,
    whole: () => text,
    front: () => new FrontOfText(text),
    back: () => new BackOfText(text),
  };
}

export class FrontOfText implements LineCursor {
  readonly #text: string;
  #end = 0;
  #taken = 0;

  constructor(text: string) {
    this.#text = text;
  }
  get taken(): number {
    return this.#taken;
  }
  cost(limit: number): number {
    const end = withoutLineFeed(this.#text, lineEnd(this.#text, this.#end));
    return escapedBytes(this.#text, { start: this.#end, end, limit }) + lineFeedCost;
  }
  take(): void {
    this.#end = lineEnd(this.#text, this.#end);
    this.#taken++;
  }
  value(): string {
    return this.#text.slice(0, this.#end);
  }
  position(): { items: number; textLines: number } {
    return { items: this.#taken, textLines: 0 };
  }
  nextBytes(): number {
    const end = withoutLineFeed(this.#text, lineEnd(this.#text, this.#end));
    return Buffer.byteLength(this.#text.slice(this.#end, end), 'utf8');
  }
}

export class BackOfText implements LineCursor {
  readonly #text: string;
  #start: number;
  #taken = 0;

  constructor(text: string) {
    this.#text = text;
    this.#start = text.length;
  }
  get taken(): number {
    return this.#taken;
  }
  cost(limit: number): number {
    const start = lineStart(this.#text, this.#start);
    const end = withoutLineFeed(this.#text, this.#start);
    return escapedBytes(this.#text, { start, end, limit }) + lineFeedCost;
  }
  take(): void {
    this.#start = lineStart(this.#text, this.#start);
    this.#taken++;
  }
  value(): string {
    return this.#text.slice(this.#start);
  }
  position(): { items: number; textLines: number } {
    return { items: this.#taken, textLines: 0 };
  }
  nextBytes(): number {
    const start = lineStart(this.#text, this.#start);
    return Buffer.byteLength(this.#text.slice(start, withoutLineFeed(this.#text, this.#start)), 'utf8');
  }
}

function withoutLineFeed(text: string, end: number): number {
  return end > 0 && text.charCodeAt(end - 1) === 0x0a ? end - 1 : end;
}
