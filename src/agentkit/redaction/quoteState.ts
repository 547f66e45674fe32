/**
 * Which quote is open at a place of one line, read as shells and JSON do: a backslash takes the next character with it (not inside
 * single quotes), an apostrophe between letters is none. Asked from left to right, so that a line is read once.
 */
export class QuoteState {
  readonly #line: string;
  #index = 0;
  #open: string | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  /** The open quote in front of `index`. `index` never decreases from call to call. */
  before(index: number): string | undefined {
    for (; this.#index < index; this.#index++) {
      const character = this.#line[this.#index];
      if (character === '\\' && this.#open !== "'") this.#index++;
      else if (character === '"' || character === "'") this.#meet(character);
    }
    return this.#open;
  }

  #meet(character: string): void {
    if (this.#open === character) this.#open = undefined;
    else if (this.#open === undefined && !this.#isApostrophe(character)) this.#open = character;
  }

  #isApostrophe(character: string): boolean {
    const isLetter = (index: number): boolean => /[A-Za-z]/.test(this.#line[index] ?? '');
    return character === "'" && isLetter(this.#index - 1) && isLetter(this.#index + 1);
  }
}
