import { tarBlock, tarChecksum, tarField, tarPadding, type TarField } from './tarFormat.ts';

/** The largest number that a header holds in octal digits. */
const mostBytes = 0o77777777777;
const plainName = /^[0-9A-Za-z._-]{1,100}$/;

export interface TarFile {
  /** One that every `tar` takes as it is: letters, digits, `.`, `_` and `-`, at most 100. */
  readonly name: string;
  /** Permission bits. */
  readonly mode: number;
  /** Whole seconds since 1970. */
  readonly modified: number;
  readonly content: Uint8Array;
}

/** What stands for a plain file in an archive, of nobody in particular. Throws a RangeError for what a header cannot hold. */
export function tarEntry({ name, mode, modified, content }: TarFile): Uint8Array {
  if (!plainName.test(name) || content.length > mostBytes || modified < 0 || modified > mostBytes)
    throw new RangeError('a file that no header can hold');
  const entry = Buffer.alloc(tarBlock + content.length + tarPadding(content.length));
  const octal = ([at, length]: TarField, value: number): void => {
    entry.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  };
  entry.write(name, tarField.name[0], 'latin1');
  octal(tarField.mode, mode);
  octal(tarField.uid, 0);
  octal(tarField.gid, 0);
  octal(tarField.size, content.length);
  octal(tarField.modified, Math.floor(modified));
  entry.write('0', tarField.type[0], 'latin1');
  entry.write('ustar\u000000', tarField.magic[0], 'latin1');
  octal(tarField.deviceMajor, 0);
  octal(tarField.deviceMinor, 0);
  const sum = tarChecksum(entry.subarray(0, tarBlock)).toString(8).padStart(6, '0');
  entry.write(`${sum}\u0000 `, tarField.checksum[0], 'latin1');
  entry.set(content, tarBlock);
  return entry;
}

/** Two empty blocks end an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * tarBlock);
