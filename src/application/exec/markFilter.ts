/** How many bytes at the end of `text` are a beginning of `mark`. */
export function partialMatch(text: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (text.subarray(text.length - length).equals(mark.subarray(0, length))) return length;
  return 0;
}

/**
 * Takes every occurrence of a mark out of a stream, wherever chunks are cut, and tells each. Only bytes that may still become the mark
 * are held back.
 */
export class MarkFilter {
  readonly #mark: Buffer;
  readonly #onMark: () => void;
  #held = Buffer.alloc(0);

  constructor(mark: string, onMark: () => void) {
    this.#mark = Buffer.from(mark, 'utf8');
    this.#onMark = onMark;
  }

  /** The bytes without the mark. Marks are told after this has returned them. */
  push(bytes: Uint8Array): Uint8Array {
    let text = Buffer.concat([this.#held, bytes]);
    const passed: Buffer[] = [];
    for (let at = text.indexOf(this.#mark); at >= 0; at = text.indexOf(this.#mark)) {
      passed.push(text.subarray(0, at));
      text = text.subarray(at + this.#mark.length);
      queueMicrotask(this.#onMark);
    }
    const kept = partialMatch(text, this.#mark);
    this.#held = Buffer.from(text.subarray(text.length - kept));
    passed.push(text.subarray(0, text.length - kept));
    return Buffer.concat(passed);
  }

  /** What was held back when the stream ended. */
  end(): Uint8Array {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}
