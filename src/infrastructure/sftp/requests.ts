import { sshString } from '../../domain/keys/wire.ts';
import { packetType } from './protocol.ts';

/** Length, type and id in front of the fields of a request. */
const headLength = 9;

/** A last field of this size goes as it is: copying the content of files costs more than a further piece. */
const largeField = 4_096;

/** What goes over the wire for one request, in pieces. Source: draft-ietf-secsh-filexfer-02 section 6. */
export function requestPieces(type: number, id: number, fields: readonly Uint8Array[]): readonly Buffer[] {
  const last = fields.at(-1);
  const content = last !== undefined && last.length >= largeField ? last : undefined;
  const inHead = content === undefined ? fields : fields.slice(0, -1);
  const head = Buffer.allocUnsafe(inHead.reduce((sum, field) => sum + field.length, headLength));
  head.writeUInt32BE(head.length - 4 + (content?.length ?? 0), 0);
  head.writeUInt8(type, 4);
  head.writeUInt32BE(id, 5);
  let at = headLength;
  for (const field of inHead) {
    head.set(field, at);
    at += field.length;
  }
  if (content === undefined) return [head];
  return [head, Buffer.from(content.buffer, content.byteOffset, content.byteLength)];
}

export function initBytes(version: number): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 5, packetType.init]), uint32(version)]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value >>> 0, 0);
  return bytes;
}

/** Of a file: an offset or a length. */
export function uint64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value), 0);
  return bytes;
}

/** The length in front of bytes that follow as a field of their own. */
export function lengthOf(bytes: Uint8Array): Buffer {
  return uint32(bytes.length);
}

/** A blob of numbers, as `users-groups-by-id@openssh.com` takes them. Source: OpenSSH PROTOCOL section 4.11. */
export function idList(ids: readonly number[]): Buffer {
  return sshString(Buffer.concat(ids.map(uint32)));
}
