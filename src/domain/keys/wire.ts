/** A length-prefixed string of the SSH protocol. Source: RFC 4251 section 5. */
export function sshString(value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A non-negative integer of the SSH protocol from big-endian bytes. Source: RFC 4251 section 5. */
export function sshInteger(value: Uint8Array): Buffer {
  const bytes = withoutLeadingZeros(value);
  const first = bytes[0];
  return sshString(first !== undefined && first >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** The bytes of a number without those that add nothing. A view. */
export function withoutLeadingZeros(value: Uint8Array): Buffer {
  const start = value.findIndex((byte) => byte !== 0);
  const from = start === -1 ? value.length : start;
  return Buffer.from(value.buffer, value.byteOffset + from, value.length - from);
}

/** Bits of a number without leading zeros. */
export function bitLength(value: Uint8Array): number {
  const bytes = withoutLeadingZeros(value);
  const first = bytes[0];
  return first === undefined ? 0 : (bytes.length - 1) * 8 + (32 - Math.clz32(first));
}

/** Reads protocol fields in order. A field that is not whole or not well formed throws a RangeError. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes have been read. */
  get position(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError('the message is cut off');
    this.#at += 1;
    return value;
  }

  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  uint64(): bigint {
    const value = this.#bytes.readBigUInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  /** A copy. */
  string(): Buffer {
    const length = this.uint32();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('the message is cut off');
    const value = Buffer.from(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return value;
  }

  /** Everything that has not been read. A copy. */
  rest(): Buffer {
    const value = Buffer.from(this.#bytes.subarray(this.#at));
    this.#at = this.#bytes.length;
    return value;
  }

  /** Text without a NUL in it: what would end a name early elsewhere ends nothing here. */
  text(): string {
    const text = this.string().toString('utf8');
    if (text.includes('\0')) throw new RangeError('a text holds a NUL');
    return text;
  }

  /** A positive integer, big-endian and without leading zeros. A copy. */
  positiveInteger(): Buffer {
    const bytes = this.string();
    if ((bytes[0] ?? 0) >= 0x80) throw new RangeError('a number is negative');
    const value = withoutLeadingZeros(bytes);
    if (value.length === 0) throw new RangeError('a number is zero');
    return value;
  }
}
