/** A length-prefixed string. Source: RFC 4251 section 5. */
export function wireString(value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A positive integer from big-endian bytes. Source: RFC 4251 section 5. */
export function wireInteger(bytes: Uint8Array): Buffer {
  const short = Buffer.from(bytes.subarray(bytes.findIndex((byte) => byte !== 0)));
  return wireString((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short);
}
