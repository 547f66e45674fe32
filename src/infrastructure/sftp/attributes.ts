import type { AttributeChange, FileAttributes } from '../../domain/files/fileAttributes.ts';
import { permissionBits } from '../../domain/files/permissions.ts';
import type { WireReader } from '../../domain/keys/wire.ts';

const flag = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x8000_0000 } as const;
const known = flag.size | flag.owner | flag.mode | flag.times;
const maxExtended = 1_024;

/** Throws a RangeError for what is not well formed. Source: draft-ietf-secsh-filexfer-02 section 5. */
export function readAttributes(reader: WireReader): FileAttributes {
  const flags = reader.uint32();
  const isExtended = flags >= flag.extended;
  const plain = isExtended ? flags - flag.extended : flags;
  if ((plain & ~known) !== 0) throw new RangeError('attributes of another version of the protocol');
  const has = (bit: number): boolean => (plain & bit) !== 0;
  const size = has(flag.size) ? sizeOf(reader.uint64()) : undefined;
  const owner = has(flag.owner) ? { uid: reader.uint32(), gid: reader.uint32() } : undefined;
  const mode = has(flag.mode) ? reader.uint32() : undefined;
  const times = has(flag.times) ? { accessed: reader.uint32(), modified: reader.uint32() } : undefined;
  if (isExtended) skipExtended(reader);
  return {
    ...(size === undefined ? {} : { size }),
    ...(owner === undefined ? {} : { owner }),
    ...(mode === undefined ? {} : { mode }),
    ...(times === undefined ? {} : { times }),
  };
}

/** Only permission bits are sent of a mode. Source: ssh.md 8.2. */
export function attributeBytes({ size, owner, mode, times }: AttributeChange): Buffer {
  const words: number[] = [];
  let flags = 0;
  if (owner !== undefined) {
    flags |= flag.owner;
    words.push(owner.uid, owner.gid);
  }
  if (mode !== undefined) {
    flags |= flag.mode;
    words.push(mode & permissionBits);
  }
  if (times !== undefined) {
    flags |= flag.times;
    words.push(times.accessed, times.modified);
  }
  if (size !== undefined) flags |= flag.size;
  const start = size === undefined ? 4 : 12;
  const bytes = Buffer.alloc(start + words.length * 4);
  bytes.writeUInt32BE(flags, 0);
  if (size !== undefined) bytes.writeBigUInt64BE(BigInt(size), 4);
  words.forEach((word, index) => bytes.writeUInt32BE(word >>> 0, start + index * 4));
  return bytes;
}

/** A size that no file can have is as good as none. */
function sizeOf(value: bigint): number | undefined {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
}

function skipExtended(reader: WireReader): void {
  const count = reader.uint32();
  if (count > maxExtended) throw new RangeError('too many extended attributes');
  for (let n = 0; n < count; n++) {
    reader.string();
    reader.string();
  }
}
