/** A length-prefixed string of the SSH protocol. Source: RFC 4251 section 5. */
export function sshString(value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A non-negative integer of the SSH protocol from big-endian bytes. */
export function sshInteger(value: Uint8Array): Buffer {
  let start = 0;
  while (start < value.length && value[start] === 0) start++;
  const bytes = Buffer.from(value.subarray(start));
  const first = bytes[0];
  return sshString(first !== undefined && first >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** Reads protocol fields in order. A field that is not whole throws a RangeError. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

  /** A copy. */
  string(): Buffer {
    const length = this.uint32();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('the message is cut off');
    const value = Buffer.from(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return value;
  }
}
