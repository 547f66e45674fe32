/** Headers and contents fill whole blocks of this many bytes. Source: POSIX.1-2017, `pax`, "ustar Interchange Format". */
export const tarBlock = 512;

/** Where a field of a header lies: its first byte and its length. Source: as above. */
export const tarField = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  deviceMajor: [329, 8],
  deviceMinor: [337, 8],
  prefix: [345, 155],
} as const;
export type TarField = (typeof tarField)[keyof typeof tarField];

/** What a header adds up to: its bytes without a sign, with spaces where the sum itself is. */
export function tarChecksum(header: Uint8Array): number {
  const [from, length] = tarField.checksum;
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= from && at < from + length ? 0x20 : byte;
  return sum;
}

/** Bytes behind a content that fill its last block. */
export function tarPadding(size: number): number {
  return (tarBlock - (size % tarBlock)) % tarBlock;
}
