import { Lexer, type Token, type Tokens } from 'marked';

/** One top-level block of Markdown with the blank lines behind it. `isOpen` = more text may still change it. */
export interface Block {
  readonly raw: string;
  readonly tokens: readonly Token[];
  readonly isOpen: boolean;
}

type Links = Lexer['tokens']['links'];

/**
 * The blocks of a growing text. What is finished is frozen and never read again; only the tail is, so appending costs what the tail
 * costs, whatever stands before it. A block is finished when complete lines make a later block. While the text grows a link
 * definition holds for the blocks behind it; a whole text has it everywhere.
 */
export class MarkdownBlocks {
  #text = '';
  #frozen: Block[] = [];
  #frozenLength = 0;
  #links: Links = {};

  /** How much of the text the next update reads again, beside what is new. */
  get tailLength(): number {
    return this.#text.length - this.#frozenLength;
  }

  /** Takes the whole text as of now; `isWhole` = nothing follows. Frozen blocks keep their identity. */
  update(markdown: string, isWhole: boolean): readonly Block[] {
    const text = markdown.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    if (isWhole) return this.#finish();
    const lines = this.#read(text.lastIndexOf('\n') + 1).groups;
    this.#freeze(lines.slice(0, -1));
    const open = this.#read(text.length).groups.map((group) => ({ ...group, isOpen: true }));
    return [...this.#frozen, ...open];
  }

  #finish(): readonly Block[] {
    let { groups, hasLinks } = this.#read(this.#text.length);
    if (hasLinks && this.#frozen.length > 0) {
      const text = this.#text;
      this.#reset();
      this.#text = text;
      ({ groups, hasLinks } = this.#read(text.length));
    }
    return [...this.#frozen, ...groups.map((group) => ({ ...group, isOpen: false }))];
  }

  /** The groups behind the frozen blocks, of the text up to `end`. */
  #read(end: number): { groups: Omit<Block, 'isOpen'>[]; hasLinks: boolean } {
    const lexer = new Lexer();
    lexer.tokens.links = { ...this.#links };
    const tokens = lexer.lex(this.#text.slice(this.#frozenLength, Math.max(this.#frozenLength, end)));
    return { groups: grouped(tokens), hasLinks: Object.keys(tokens.links).length > 0 };
  }

  /** Freezes groups as far as they are the text letter by letter; the reader drops some trailing blanks. */
  #freeze(groups: readonly Omit<Block, 'isOpen'>[]): void {
    for (const group of groups) {
      if (!this.#text.startsWith(group.raw, this.#frozenLength)) return;
      this.#frozen.push({ ...group, isOpen: false });
      this.#frozenLength += group.raw.length;
      for (const token of group.tokens) if (isDefinition(token)) this.#links[token.tag] ??= token;
    }
  }

  #reset(): void {
    this.#text = '';
    this.#frozen = [];
    this.#frozenLength = 0;
    this.#links = {};
  }
}

/** Tokens with the blank lines behind them; blank lines at the very beginning belong to the first block. */
function grouped(tokens: readonly Token[]): Omit<Block, 'isOpen'>[] {
  const groups: { raw: string; tokens: Token[] }[] = [];
  let isLeading = true;
  for (const token of tokens) {
    const last = groups.at(-1);
    if (last !== undefined && (token.type === 'space' || isLeading)) {
      last.raw += token.raw;
      last.tokens.push(token);
    } else groups.push({ raw: token.raw, tokens: [token] });
    if (token.type !== 'space') isLeading = false;
  }
  return groups;
}

function isDefinition(token: Token): token is Tokens.Def {
  return token.type === 'def';
}
