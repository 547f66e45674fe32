/** Source: agent runtime contract, sections 8.4 and 9. */
export const tailLimits = { lines: 2_000, bytes: 65_536 } as const;

interface Block {
  readonly bytes: Buffer;
  readonly lines: number;
}

/**
 * The newest lines of a UTF-8 text that arrives in blocks of whole lines: the last 2,000 lines and 65,536 bytes, and no more than one
 * block above them.
 */
export class TailLines {
  #blocks: Block[] = [];
  #lines = 0;
  #bytes = 0;

  push(block: Block): void {
    this.#blocks.push(block);
    this.#lines += block.lines;
    this.#bytes += block.bytes.length;
    let dropped = 0;
    for (const { lines, bytes } of this.#blocks) {
      const restIsEnough =
        this.#lines - lines >= tailLimits.lines || this.#bytes - bytes.length >= tailLimits.bytes;
      if (!restIsEnough) break;
      this.#lines -= lines;
      this.#bytes -= bytes.length;
      dropped++;
    }
    if (dropped > 0) this.#blocks.splice(0, dropped);
  }

  /** Forgets everything: what comes next does not follow what was there. */
  clear(): void {
    this.#blocks = [];
    this.#lines = 0;
    this.#bytes = 0;
  }

  text(): string {
    return Buffer.concat(this.#blocks.map(({ bytes }) => bytes)).toString('utf8');
  }
}

/** The last whole lines of `text` within the limits, and how many they are. */
export function lastLines(text: string): { readonly text: string; readonly lines: number } {
  let start = text.length;
  let lines = 0;
  let bytes = 0;
  while (start > 0 && lines < tailLimits.lines) {
    const lineStart = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    bytes += Buffer.byteLength(text.slice(lineStart, start), 'utf8');
    if (bytes > tailLimits.bytes) break;
    start = lineStart;
    lines++;
  }
  return { text: text.slice(start), lines };
}
