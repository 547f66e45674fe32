export const derTag = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  sequence: 0x30,
  /** The first field that is tagged by its place. */
  context0: 0xa0,
} as const;

/** Reads values of the Distinguished Encoding Rules in order. What is not well formed throws a RangeError. Source: X.690. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Whether the next value has this tag. */
  isNext(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  /** The content of the next value, which must have this tag. A view. */
  read(tag: number): Uint8Array {
    if (!this.isNext(tag)) throw new RangeError('a value has another tag than expected');
    this.#at += 1;
    const length = this.#length();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a value is cut off');
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return content;
  }

  sequence(): DerReader {
    return new DerReader(this.read(derTag.sequence));
  }

  /** The encoded identifier in hexadecimal digits. */
  objectIdentifier(): string {
    return Buffer.from(this.read(derTag.objectIdentifier)).toString('hex');
  }

  /** A number that is not negative. One of more than 48 bits is refused. */
  smallInteger(): number {
    const bytes = this.read(derTag.integer);
    if (bytes.length === 0 || bytes.length > 6 || (bytes[0] ?? 0) >= 0x80)
      throw new RangeError('a number is negative or too large');
    return Buffer.from(bytes).readUIntBE(0, bytes.length);
  }

  #length(): number {
    const first = this.#next();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new RangeError('a length is not definite or too large');
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + this.#next();
    return length;
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('a value is cut off');
    this.#at += 1;
    return byte;
  }
}

/** One value of the Distinguished Encoding Rules. */
export function derValue(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = length.toString(16);
  const lengthBytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | lengthBytes.length]), lengthBytes, content]);
}

/** A number that is not negative, from big-endian bytes. */
export function derInteger(value: Uint8Array): Buffer {
  const isSigned = (value[0] ?? 0x80) >= 0x80;
  return derValue(derTag.integer, ...(isSigned ? [Buffer.alloc(1)] : []), value);
}
