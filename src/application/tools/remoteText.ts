/** UTF-8 of a file that arrives in pieces, as text with LF only and without byte order mark. */
export class RemoteText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #isBegun = false;
  /** A carriage return at the end of a piece, which may belong to a line feed. */
  #held = '';
  #pairs = 0;
  #feeds = 0;

  /** Undefined when the bytes are no text. */
  push(bytes: Uint8Array): string | undefined {
    return this.#decode(bytes, { stream: true });
  }

  /** What was held back. */
  end(): string | undefined {
    const rest = this.#decode(new Uint8Array(), {});
    const held = this.#held;
    this.#held = '';
    return rest === undefined ? undefined : rest + held;
  }

  /** The more frequent one so far; `lf` while there is none. */
  get lineEnding(): 'lf' | 'crlf' {
    return this.#pairs > this.#feeds - this.#pairs ? 'crlf' : 'lf';
  }

  #decode(bytes: Uint8Array, options: { readonly stream?: boolean }): string | undefined {
    let text: string;
    try {
      text = this.#decoder.decode(bytes, options);
    } catch {
      return undefined;
    }
    if (text.includes('\0')) return undefined;
    if (!this.#isBegun && text !== '') {
      this.#isBegun = true;
      if (text.startsWith('\ufeff')) text = text.slice(1);
    }
    text = this.#held + text;
    this.#held = options.stream === true && text.endsWith('\r') ? '\r' : '';
    if (this.#held !== '') text = text.slice(0, -1);
    const plain = text.replaceAll('\r\n', '\n');
    this.#pairs += text.length - plain.length;
    this.#feeds += plain.split('\n').length - 1;
    return plain;
  }
}
