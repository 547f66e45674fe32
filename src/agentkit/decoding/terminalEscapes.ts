type State = 'text' | 'escape' | 'intermediate' | 'control' | 'string';

const escape = 0x1b;
const bell = 0x07;
const lineFeed = 0x0a;
const cancel = 0x18;
const substitute = 0x1a;
const stringEnd = 0x9c;
const controlIntroducer = 0x9b;
/** DCS, SOS, OSC, PM and APC, as C1 characters; behind ESC they are 0x40 less. */
const stringIntroducers: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/**
 * Takes terminal escape sequences out of a text that arrives in pieces: CSI, OSC and the other control strings, and every other
 * sequence behind ESC, also in their one-character C1 form. A line feed ends any sequence and is kept, so the number of lines never
 * changes and an unterminated sequence hides at most the rest of its line. Other control characters stay.
 * Source: agent runtime contract, section 9; ECMA-48, sections 5.3 to 5.6.
 */
export class TerminalEscapes {
  #state: State = 'text';

  strip(text: string): string {
    if (this.#state === 'text' && !startsSequence(text)) return text;
    let result = '';
    let kept = this.#state === 'text' ? 0 : text.length;
    for (let index = 0; index < text.length; index++) {
      const before = this.#state;
      const isText = this.#step(text.charCodeAt(index));
      if (before === 'text' && !isText) {
        result += text.slice(kept, index);
        kept = text.length;
      } else if (isText && kept === text.length) kept = index;
    }
    return result + text.slice(kept);
  }

  /** True when the character is text and stays. */
  #step(code: number): boolean {
    switch (this.#state) {
      case 'text':
        return this.#inText(code);
      case 'escape':
        return this.#afterEscape(code);
      case 'intermediate':
        if (code >= 0x20 && code <= 0x2f) return false;
        return this.#endAt(code, code >= 0x30 && code <= 0x7e);
      case 'control':
        if (code >= 0x20 && code <= 0x3f) return false;
        return this.#endAt(code, code >= 0x40 && code <= 0x7e);
      case 'string':
        return this.#inString(code);
    }
  }

  #inText(code: number): boolean {
    if (code === escape) this.#state = 'escape';
    else if (code === controlIntroducer) this.#state = 'control';
    else if (stringIntroducers.has(code)) this.#state = 'string';
    return this.#state === 'text';
  }

  #afterEscape(code: number): boolean {
    if (code === 0x5b) this.#state = 'control';
    else if (stringIntroducers.has(code + 0x40) && code < 0x60) this.#state = 'string';
    else if (code >= 0x20 && code <= 0x2f) this.#state = 'intermediate';
    else return this.#endAt(code, code >= 0x30 && code <= 0x7e);
    return false;
  }

  #inString(code: number): boolean {
    if (code === lineFeed) {
      this.#state = 'text';
      return true;
    }
    if (code === escape) this.#state = 'escape';
    else if (code === bell || code === stringEnd || code === cancel || code === substitute)
      this.#state = 'text';
    return false;
  }

  /** Ends a sequence: by its own last character, by a cancel, or by a character that does not belong to it. */
  #endAt(code: number, isFinal: boolean): boolean {
    this.#state = 'text';
    if (isFinal || code === cancel || code === substitute) return false;
    return this.#inText(code);
  }
}

const c1 = /[\x1b\x90\x98\x9b\x9d-\x9f]/;

function startsSequence(text: string): boolean {
  return text.includes('\x1b') || c1.test(text);
}
