import { sshString } from '../../domain/keys/wire.ts';
import { packetType } from './protocol.ts';

/** Length, type and id in front of the fields of a request. */
const headLength = 9;

/** What goes over the wire for one request. Source: draft-ietf-secsh-filexfer-02 section 6. */
export function requestBytes(type: number, id: number, fields: readonly Uint8Array[]): Buffer {
  const length = fields.reduce((sum, field) => sum + field.length, headLength);
  const bytes = Buffer.allocUnsafe(length);
  bytes.writeUInt32BE(length - 4, 0);
  bytes.writeUInt8(type, 4);
  bytes.writeUInt32BE(id, 5);
  let at = headLength;
  for (const field of fields) {
    bytes.set(field, at);
    at += field.length;
  }
  return bytes;
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
