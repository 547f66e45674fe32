import type { FileAttributes } from '../../domain/files/fileAttributes.ts';
import { WireReader } from '../../domain/keys/wire.ts';
import { readAttributes } from './attributes.ts';
import { packetType } from './protocol.ts';

/** One answer as it is on the wire: what the id matched, with its fields unread. */
export interface Reply {
  readonly type: number;
  /** Behind type and id. A view. */
  readonly fields: Buffer;
}

export interface NamedFile {
  readonly name: Buffer;
  /** The line for people, as `ls -l` writes it. */
  readonly line: Buffer;
  readonly attributes: FileAttributes;
}

export interface Status {
  readonly code: number;
  /** The server's own words; empty when it gave none. */
  readonly text: string;
}

const maxText = 4_096;

/** Each throws a RangeError for what is not well formed. Source: draft-ietf-secsh-filexfer-02 section 7. */
export function readStatus(fields: Buffer): Status {
  const reader = new WireReader(fields);
  const code = reader.uint32();
  // Old servers end here.
  return { code, text: reader.isAtEnd ? '' : reader.string().toString('utf8').slice(0, maxText) };
}

export function readHandle(fields: Buffer): Buffer {
  const handle = whole(fields, (reader) => reader.string());
  if (handle.length > 256) throw new RangeError('a handle is longer than 256 bytes');
  return handle;
}

/** A view. */
export function readData(fields: Buffer): Buffer {
  if (fields.readUInt32BE(0) !== fields.length - 4)
    throw new RangeError('data of another length than it says');
  return fields.subarray(4);
}

export function readNames(fields: Buffer): readonly NamedFile[] {
  return whole(fields, (reader) => {
    const count = reader.uint32();
    // Three fields of four bytes each are the least.
    if (count * 12 > fields.length) throw new RangeError('more names than fit');
    return Array.from({ length: count }, () => ({
      name: reader.string(),
      line: reader.string(),
      attributes: readAttributes(reader),
    }));
  });
}

export function readAttrs(fields: Buffer): FileAttributes {
  return whole(fields, readAttributes);
}

/** The version, and the extensions in the server's order with what it says about each. */
export function readVersion(packet: Buffer): {
  readonly version: number;
  readonly extensions: ReadonlyMap<string, string>;
} {
  const reader = new WireReader(packet);
  if (reader.byte() !== packetType.version) throw new RangeError('the first packet is no version');
  const version = reader.uint32();
  const extensions = new Map<string, string>();
  while (!reader.isAtEnd)
    extensions.set(reader.string().toString('latin1'), reader.string().toString('latin1'));
  return { version, extensions };
}

/** The numbers of an extended reply that holds nothing else. */
export function readNumbers(fields: Buffer, count: number): readonly bigint[] {
  return whole(fields, (reader) => Array.from({ length: count }, () => reader.uint64()));
}

/** `users-groups-by-id@openssh.com`. Source: OpenSSH PROTOCOL section 4.11. */
export function readIdNames(fields: Buffer): {
  readonly users: readonly string[];
  readonly groups: readonly string[];
} {
  return whole(fields, (reader) => ({
    users: readStrings(reader.string()),
    groups: readStrings(reader.string()),
  }));
}

function readStrings(blob: Buffer): readonly string[] {
  const reader = new WireReader(blob);
  const strings: string[] = [];
  while (!reader.isAtEnd) strings.push(reader.string().toString('utf8'));
  return strings;
}

/** Nothing may be left behind what was read. */
function whole<T>(fields: Buffer, read: (reader: WireReader) => T): T {
  const reader = new WireReader(fields);
  const value = read(reader);
  if (!reader.isAtEnd) throw new RangeError('there is more than the answer holds');
  return value;
}
