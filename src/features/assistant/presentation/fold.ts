import { utf8Bytes } from './jsonSize.ts';

/** A compact body holds this much of all sections together. Source: agent runtime contract, section 24. */
export const compactLines = 5;
export const compactBytes = 64 * 1024;

export interface Folded {
  readonly sections: readonly string[];
  readonly shownLines: number;
  readonly retainedLines: number;
}

/**
 * The complete lines of `sections` that fit a compact body, from the beginning (`head`) or from the end (`tail`). A line that does
 * not fit ends the fold: nothing is ever shown in part. Sections that keep nothing are left out. Adds no text of its own.
 */
export function foldLines(
  sections: readonly string[],
  side: 'head' | 'tail',
  budget: { readonly lines: number; readonly bytes: number } = { lines: compactLines, bytes: compactBytes },
): Folded {
  const split = sections.map(linesOf);
  const retainedLines = split.reduce((sum, lines) => sum + lines.length, 0);
  let linesLeft = budget.lines;
  let bytesLeft = budget.bytes;
  let open = true;
  const take = (lines: readonly string[]): string[] => {
    const kept: string[] = [];
    for (const line of side === 'head' ? lines : [...lines].reverse()) {
      const bytes = utf8Bytes(line) + 1;
      if (!open || linesLeft === 0 || bytes > bytesLeft) {
        open = false;
        break;
      }
      linesLeft -= 1;
      bytesLeft -= bytes;
      kept.push(line);
    }
    return side === 'head' ? kept : kept.reverse();
  };
  const kept = side === 'head' ? split.map(take) : split.toReversed().map(take).reverse();
  return {
    sections: kept.filter((lines) => lines.length > 0).map((lines) => lines.join('\n')),
    shownLines: kept.reduce((sum, lines) => sum + lines.length, 0),
    retainedLines,
  };
}

/** Lines as the runtime counts them: a final line break ends the last line and starts none; CR LF counts once. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export interface Part {
  readonly section: number;
  readonly text: string;
  /** Offset of what follows; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * The part of the retained text that starts at `offset` (UTF-16 units over all sections) and has at most `maxBytes` as JSON. Parts
 * end at a line break where there is one, never inside a character, and never span two sections. Undefined past the end.
 */
export function partAt(sections: readonly string[], offset: number, maxBytes: number): Part | undefined {
  let start = 0;
  for (const [section, text] of sections.entries()) {
    const end = start + text.length;
    if (offset < end) {
      const part = prefixWithin(text.slice(offset - start), maxBytes);
      const after = offset + part.length;
      const total = sections.reduce((sum, each) => sum + each.length, 0);
      return { section, text: part, next: after < total ? after : undefined };
    }
    start = end;
  }
  return undefined;
}

/** The longest prefix with at most `maxBytes` as JSON text, cut behind a line break if that keeps more than half of it. */
export function prefixWithin(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(JSON.stringify(character)) - 2;
    if (bytes > maxBytes) break;
    end += character.length;
  }
  if (end === text.length) return text;
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
  return text.slice(0, lineEnd > end / 2 ? lineEnd : end);
}
