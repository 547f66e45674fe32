import { joinRanges, type Range } from './mark.ts';
import { contentEnd } from './valueEnds.ts';

const begin = /-{4,5} ?BEGIN [A-Za-z0-9 ]{1,64}-{4,5}/g;
const end = /-{4,5} ?END [A-Za-z0-9 ]{1,64}-{4,5}/g;
/** A 16,384-bit private key has 193 lines; a BEGIN without END must not swallow the rest of a stream. */
const longestBlock = 512;

/**
 * Follows PEM blocks through the lines of one text, from BEGIN to END; every line of a block is replaced, whatever it holds.
 * Source: agent runtime contract, section 14; RFC 7468.
 */
export class PemBlocks {
  #linesLeft = 0;

  get isInside(): boolean {
    return this.#linesLeft > 0;
  }

  /** The same place in the text, to look ahead from. */
  fork(): PemBlocks {
    const fork = new PemBlocks();
    fork.#linesLeft = this.#linesLeft;
    return fork;
  }

  /** The parts of the next line that belong to a block, joined. */
  nextLine(line: string): readonly Range[] {
    return joinRanges(this.#parts(line));
  }

  #parts(line: string): readonly Range[] {
    const ranges: Range[] = [];
    const lineEnd = contentEnd(line);
    let position = 0;
    if (this.#linesLeft > 0) {
      const closing = matchEnd(end, line, 0);
      position = closing ?? lineEnd;
      ranges.push({ start: Math.min(line.length - line.trimStart().length, position), end: position });
      this.#linesLeft = closing === undefined ? this.#linesLeft - 1 : 0;
      if (closing === undefined) return ranges;
    }
    for (;;) {
      begin.lastIndex = position;
      const opening = begin.exec(line);
      if (opening === null) return ranges;
      const closing = matchEnd(end, line, begin.lastIndex);
      ranges.push({ start: opening.index, end: closing ?? lineEnd });
      if (closing === undefined) {
        this.#linesLeft = longestBlock;
        return ranges;
      }
      position = closing;
    }
  }
}

function matchEnd(pattern: RegExp, line: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(line) ? pattern.lastIndex : undefined;
}
