/** Bytes of one page that can be of use: a result has room for no more. Source: agent runtime contract, section 8.1. */
const mostPageBytes = 65_536;

export interface PageOrder {
  /** First line, from 1. */
  readonly offset: number;
  readonly limit: number;
}

/** What a page of lines came to. */
export interface FilledPage {
  /** Whole lines; the last of a file may have no line feed. */
  readonly content: string;
  /** Lines of the source, once its end was reached. */
  readonly totalLines: number | undefined;
  /** The first line of the page can never be shown. Bytes without its line feed. */
  readonly skipped: { readonly line: number; readonly bytes: number } | undefined;
}

/** Keeps some lines of a text that goes by in pieces. */
export class LinePage {
  readonly #order: PageOrder;
  /** Of the line that the next character belongs to. */
  #line = 1;
  #startsLine = true;
  #kept: string[] = [];
  #keptBytes = 0;
  #open: string[] = [];
  #openBytes = 0;
  #tooLong: number | undefined;
  #isFull = false;

  constructor(order: PageOrder) {
    this.#order = order;
  }

  /** Nothing that follows is of interest, and something follows. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** A line was kept, or found to be too long. */
  get hasSomething(): boolean {
    return this.#kept.length > 0 || this.#tooLong !== undefined;
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#isFull;) {
      const feed = text.indexOf('\n', at);
      const end = feed < 0 ? text.length : feed + 1;
      this.#take(text.slice(at, end), feed >= 0);
      at = end;
    }
  }

  /** Call it once: the source is at its end (`isEnd`), or is not read further. */
  finish(isEnd: boolean): FilledPage {
    if (isEnd && !this.#isFull) this.#closeLine();
    const { offset } = this.#order;
    const total = this.#startsLine ? this.#line - 1 : this.#line;
    return {
      content: this.#kept.join(''),
      totalLines: isEnd && !this.#isFull ? total : undefined,
      skipped: this.#tooLong === undefined ? undefined : { line: offset, bytes: this.#tooLong },
    };
  }

  #take(piece: string, endsLine: boolean): void {
    const { offset, limit } = this.#order;
    if (this.#line >= offset) {
      const isBehind = this.#line >= offset + (this.#tooLong === undefined ? limit : 1);
      if (isBehind || (this.#startsLine && this.#keptBytes >= mostPageBytes)) {
        this.#isFull = true;
        return;
      }
      this.#keep(piece, endsLine);
      if (this.#isFull) return;
      if (endsLine) this.#closeLine();
    }
    this.#startsLine = endsLine;
    if (endsLine) this.#line += 1;
  }

  #keep(piece: string, endsLine: boolean): void {
    const bytes = Buffer.byteLength(piece, 'utf8') - (endsLine ? 1 : 0);
    if (this.#tooLong !== undefined) {
      this.#tooLong += bytes;
      return;
    }
    this.#open.push(piece);
    this.#openBytes += bytes;
    if (this.#openBytes <= mostPageBytes) return;
    if (this.#kept.length > 0) this.#isFull = true;
    else this.#tooLong = this.#openBytes;
    this.#open = [];
    this.#openBytes = 0;
  }

  #closeLine(): void {
    if (this.#open.length === 0) return;
    this.#kept.push(this.#open.join(''));
    this.#keptBytes += this.#openBytes;
    this.#open = [];
    this.#openBytes = 0;
  }
}
