import { tarBlock, tarChecksum, tarField, tarPadding, type TarField } from './tarFormat.ts';

/** One entry as the archive tells it; nothing of it is checked against anything. */
export interface TarRead {
  /** Its bytes, whatever they are. */
  readonly name: Uint8Array;
  /** `other`: a directory, a link, a device, or a type that is not known. */
  readonly kind: 'file' | 'other';
  readonly size: number;
  /** Of a file of at most so many bytes as the reader holds; undefined otherwise. Belongs to the caller. */
  readonly content: Uint8Array | undefined;
}

/** A longer name is none: systems take 4,096 bytes. */
const longestRecord = 64 * 1024;
/** Headers about one entry: programs write two or three. */
const mostRecords = 16;
const decimal = /^[0-9]{1,15}$/;

interface Header {
  readonly name: Uint8Array;
  readonly type: string;
  readonly size: number;
}

/**
 * Reads an archive as it arrives, cut anywhere: ustar, with the extended headers of pax and the long names of GNU. Throws a RangeError for
 * what is no archive, after which it is not used again. Source: POSIX.1-2017, `pax`; GNU tar manual, "Basic Tar Format".
 */
export class TarReader {
  readonly #mostHeld: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of the content that nobody wants, and its padding. */
  #skip = 0;
  /** What the headers in front have said of the next entry. */
  #name: Uint8Array | undefined;
  #size: number | undefined;
  #records = 0;
  #isOver = false;

  /** `mostHeld`: the largest content, in bytes, that is given out. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  /** The archive has said that it ends. What follows is not looked at. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The entries that are whole with these bytes, in order. One whose content is not given out is told with its header. */
  push(bytes: Uint8Array): readonly TarRead[] {
    if (this.#isOver) return [];
    this.#rest = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    const entries: TarRead[] = [];
    while (this.#canGoOn()) {
      const entry = this.#next();
      if (entry === 'later') break;
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  #canGoOn(): boolean {
    if (this.#isOver) return false;
    const skipped = Math.min(this.#skip, this.#rest.length);
    this.#skip -= skipped;
    this.#rest = this.#rest.subarray(skipped);
    return this.#skip === 0 && this.#rest.length >= tarBlock;
  }

  /** Undefined for what is no entry by itself; `later` when it is not all there. */
  #next(): TarRead | 'later' | undefined {
    const header = this.#rest.subarray(0, tarBlock);
    if (header.every((byte) => byte === 0)) {
      this.#isOver = true;
      this.#rest = Buffer.alloc(0);
      return undefined;
    }
    const { name, type, size } = headerOf(header);
    const isRecord = type === 'x' || type === 'L' || type === 'g' || type === 'K';
    if (isRecord && size > longestRecord) throw new RangeError('a header that is too long');
    if (isRecord && this.#records === mostRecords) throw new RangeError('headers of no entry');
    const isFile = type === '0' || type === '\0' || type === '7';
    const own = isRecord ? size : (this.#size ?? size);
    const isHeld = isRecord || (isFile && own <= this.#mostHeld);
    if (isHeld && this.#rest.length < tarBlock + own) return 'later';
    const content = isHeld ? Buffer.from(this.#rest.subarray(tarBlock, tarBlock + own)) : undefined;
    this.#rest = this.#rest.subarray(tarBlock + (isHeld ? own : 0));
    this.#skip = (isHeld ? 0 : own) + tarPadding(own);
    if (isRecord) {
      this.#records += 1;
      this.#learn(type, content ?? Buffer.alloc(0));
      return undefined;
    }
    const read = { name: this.#name ?? name, kind: isFile ? 'file' : 'other', size: own, content } as const;
    this.#name = undefined;
    this.#size = undefined;
    this.#records = 0;
    return read;
  }

  #learn(type: string, content: Buffer): void {
    if (type === 'L') this.#name = upToNul(content);
    if (type !== 'x') return;
    const { path, size } = recordsOf(content);
    if (path !== undefined) this.#name = path;
    if (size !== undefined) this.#size = size;
  }
}

function headerOf(header: Buffer): Header {
  const text = ([at, length]: TarField): Buffer => upToNul(header.subarray(at, at + length));
  if (numberOf(header, tarField.checksum) !== tarChecksum(header))
    throw new RangeError('a header whose checksum is wrong');
  const isUstar = text(tarField.magic).toString('latin1') === 'ustar';
  const prefix = isUstar ? text(tarField.prefix) : Buffer.alloc(0);
  const name = text(tarField.name);
  return {
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    type: header.toString('latin1', tarField.type[0], tarField.type[0] + 1),
    size: numberOf(header, tarField.size),
  };
}

/** Octal digits, or the bytes of the number itself where the first bit is set, as GNU and others write large ones. */
function numberOf(header: Buffer, [at, length]: TarField): number {
  const field = header.subarray(at, at + length);
  const first = field[0] ?? 0;
  if ((first & 0x80) === 0) {
    const digits = field
      .toString('latin1')
      .replace(/[\0 ]+$/, '')
      .trimStart();
    if (!/^[0-7]*$/.test(digits)) throw new RangeError('a number that is none');
    return digits === '' ? 0 : Number.parseInt(digits, 8);
  }
  const value = field.reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0);
  if (!Number.isSafeInteger(value)) throw new RangeError('a number that is too large');
  return value;
}

/** `<length> <keyword>=<value>\n`, one after the other; the length is that of the whole record. Source: POSIX.1-2017, `pax`. */
function recordsOf(content: Buffer): { readonly path?: Uint8Array; readonly size?: number } {
  const found: { path?: Uint8Array; size?: number } = {};
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const digits = space < 0 ? '' : content.toString('latin1', at, space);
    const end = decimal.test(digits) ? at + Number(digits) : 0;
    const equals = content.indexOf(0x3d, space);
    if (end <= space || end > content.length || content[end - 1] !== 0x0a || equals < 0 || equals >= end)
      throw new RangeError('an extended header that is none');
    const value = content.subarray(equals + 1, end - 1);
    const keyword = content.toString('latin1', space + 1, equals);
    if (keyword === 'path') found.path = value;
    if (keyword === 'size') {
      if (!decimal.test(value.toString('latin1'))) throw new RangeError('a size that is none');
      found.size = Number(value.toString('latin1'));
    }
    at = end;
  }
  return found;
}

function upToNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}
