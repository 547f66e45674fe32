import { readFileSync } from 'node:fs';

/** The packaged extension under test, built by the runner before the suite. */
export function packagedExtension(): string {
  const file = process.env['TERMIND_VSIX'];
  if (file === undefined) throw new Error('TERMIND_VSIX is not set: run the suite with npm run test:e2e');
  return file;
}

export interface PackedFile {
  readonly name: string;
  readonly packedBytes: number;
  readonly bytes: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;

/** The files of a VSIX as its central directory lists them. Source: ZIP APPNOTE 4.3.12 and 4.3.16. */
export function listVsix(file: string): PackedFile[] {
  const zip = readFileSync(file);
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== endSignature) end--;
  if (end < 0) throw new Error(`${file} is not a ZIP file`);
  const files: PackedFile[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== entrySignature) throw new Error(`${file} has a damaged directory`);
    const nameLength = zip.readUInt16LE(at + 28);
    files.push({
      name: zip.toString('utf8', at + 46, at + 46 + nameLength),
      packedBytes: zip.readUInt32LE(at + 20),
      bytes: zip.readUInt32LE(at + 24),
    });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
