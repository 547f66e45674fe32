/** Less is not worth it, and may stand in a buffer that others have parts of. */
const leastBytes = 64 * 1024;
/** Length, type, id and length again stand in front of the content of a file in an answer of SFTP. */
const mostInFront = 13;

/**
 * Gives the memory of what was read back at once: left to the garbage collector, a large transfer makes it mark the whole heap some twenty
 * times a second. Only where the bytes fill their buffer up to its end, so that nothing else can be in it. They are empty afterwards.
 */
export function freeBytes({ buffer, byteOffset, byteLength }: Uint8Array): void {
  const isWhole = byteOffset <= mostInFront && byteOffset + byteLength === buffer.byteLength;
  if (buffer instanceof ArrayBuffer && isWhole && byteLength >= leastBytes) buffer.transfer(0);
}
