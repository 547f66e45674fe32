import { shapeTriggers } from './triggers.ts';

/** Characters fold to classes: letters without case, digits, the punctuation of the triggers, the rest by kind. */
const ownPunctuation = ' -_:/.';
const otherPunctuation = 37 + ownPunctuation.length;
const otherCharacter = otherPunctuation + 1;
const notAscii = otherPunctuation + 2;

const classOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  if (character >= 'a' && character <= 'z') return 1 + character.charCodeAt(0) - 0x61;
  if (character >= '0' && character <= '9') return 27 + Number(character);
  const own = ownPunctuation.indexOf(character);
  if (own >= 0) return 37 + own;
  if (code === 0) return notAscii;
  return code > 0x20 && code < 0x7f ? otherPunctuation : otherCharacter;
});
/** The characters of each class. */
const columnsOf: number[][] = [];
classOf.forEach((symbol, code) => (columnsOf[symbol] ??= []).push(code));

/** A known value is found by its beginning; what is found too often is only looked at more closely. */
const longestPattern = 12;
/** One column for each ASCII character; what is not ASCII shares the column of NUL. */
const columns = 128;
const lineFeed = 0x0a;

/**
 * Finds the places where a text may hold something to redact: one table step a character (Aho and Corasick 1975), for any number
 * of triggers and known values. Says too often yes, never too often no.
 */
export class TriggerScan {
  readonly #next: Int32Array;
  /** Rows from here on end a pattern. */
  readonly #accepting: number;
  /** By row: how many characters of a pattern have been read there. */
  readonly #depths: Uint8Array;

  /** `known` are UTF-16LE; their characters live on in the table until `wipe`. */
  constructor(known: Iterable<Buffer>) {
    const patterns = shapeTriggers.map((trigger) => classesOf(Buffer.from(trigger, 'utf16le')));
    for (const form of known) patterns.push(beginning(classesOf(form)));
    const { next, accepting, depths } = buildTable(patterns);
    this.#next = next;
    this.#accepting = accepting;
    this.#depths = depths;
  }

  /** Index of the character that ends the next pattern at or behind `from`; -1 when there is none. */
  find(text: string, from: number): number {
    const next = this.#next;
    const accepting = this.#accepting;
    let row = 0;
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index);
      row = next[row + (code < columns ? code : 0)] ?? 0;
      if (row >= accepting) return index;
    }
    return -1;
  }

  /** Reads on behind `row`, which is 0 at the beginning of a text. Gives the row behind it; undefined at the end of a pattern. */
  read(text: string, row: number): number | undefined {
    let at = row;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      at = this.#next[at + (code < columns ? code : 0)] ?? 0;
      if (at >= this.#accepting) return undefined;
    }
    return at;
  }

  /** How many characters in front of this row may be the beginning of a pattern. */
  depth(row: number): number {
    return this.#depths[row / columns] ?? 0;
  }

  /** The number of LFs in ASCII bytes without any pattern; undefined when there is one. */
  lineFeedsOfPlain(ascii: Uint8Array): number | undefined {
    const next = this.#next;
    const accepting = this.#accepting;
    // Read once: asking a Buffer for its length in each step costs two thirds of the rate.
    const { length } = ascii;
    let row = 0;
    let lineFeeds = 0;
    for (let index = 0; index < length; index++) {
      const code = ascii[index] ?? 0;
      row = next[row + code] ?? 0;
      if (row >= accepting) return undefined;
      if (code === lineFeed) lineFeeds++;
    }
    return lineFeeds;
  }

  /** Overwrites the table. Not usable afterwards. */
  wipe(): void {
    this.#next.fill(0);
  }
}

/** UTF-8 and UTF-16 differ behind ASCII, so a pattern ends there; a value that begins so is looked for by any such character. */
function beginning(pattern: readonly number[]): readonly number[] {
  const foreign = pattern.indexOf(notAscii);
  return pattern.slice(0, Math.min(longestPattern, foreign < 0 ? longestPattern : Math.max(1, foreign)));
}

function classesOf(utf16: Buffer): readonly number[] {
  const classes: number[] = [];
  for (let offset = 0; offset + 1 < utf16.length; offset += 2) {
    const code = utf16.readUInt16LE(offset);
    classes.push(code < 128 ? (classOf[code] ?? otherCharacter) : notAscii);
  }
  return classes;
}

interface Node {
  readonly children: Map<number, Node>;
  readonly depth: number;
  fallback: Node | undefined;
  ends: boolean;
  row: number;
}

/** A complete transition table whose rows are numbered so that accepting ones come last. */
function buildTable(patterns: readonly (readonly number[])[]): {
  next: Int32Array;
  accepting: number;
  depths: Uint8Array;
} {
  const root = plant(patterns);
  const order = linkFallbacks(root);
  const numbered = [...order.filter((node) => !node.ends), ...order.filter((node) => node.ends)];
  numbered.forEach((node, index) => (node.row = index * columns));
  const next = new Int32Array(numbered.length * columns);
  for (const node of order) {
    const { row, fallback } = node;
    if (fallback !== undefined) next.copyWithin(row, fallback.row, fallback.row + columns);
    for (const [symbol, child] of node.children)
      for (const column of columnsOf[symbol] ?? []) next[row + column] = child.row;
  }
  const depths = Uint8Array.from(numbered, ({ depth }) => depth);
  return { next, accepting: order.filter((node) => !node.ends).length * columns, depths };
}

function plant(patterns: readonly (readonly number[])[]): Node {
  const newNode = (depth: number): Node => ({
    children: new Map(),
    depth,
    fallback: undefined,
    ends: false,
    row: 0,
  });
  const root = newNode(0);
  for (const pattern of patterns) {
    let node = root;
    for (const symbol of pattern) {
      const child = node.children.get(symbol) ?? newNode(node.depth + 1);
      node.children.set(symbol, child);
      node = child;
    }
    node.ends = true;
  }
  return root;
}

/** Breadth first, so that a node's fallback is complete before the node is. */
function linkFallbacks(root: Node): readonly Node[] {
  const order = [root];
  for (const node of order) {
    for (const [symbol, child] of node.children) {
      let fallback = node.fallback;
      while (fallback !== undefined && !fallback.children.has(symbol)) fallback = fallback.fallback;
      child.fallback = fallback?.children.get(symbol) ?? root;
      child.ends ||= child.fallback.ends;
      order.push(child);
    }
  }
  return order;
}
