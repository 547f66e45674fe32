import { randomBytes } from 'node:crypto';
import { fileError } from '../../../domain/files/fileFault.ts';
import { bytesOfText, textOfBytes } from '../../../domain/files/nameText.ts';
import {
  joinPath,
  nameOf,
  parentOf,
  remoteName,
  showPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';

/** A path that nobody has yet, in the directory of another; `named` makes its name from that one's and 12 random hexadecimal digits. */
export function besideTarget(path: RemotePath, named: (name: string, random: string) => string): RemotePath {
  return joinPath(
    parentOf(path),
    remoteName(bytesOfText(named(nameText(path), randomBytes(6).toString('hex')))),
  );
}

/** The name of a path, spelt as `textOfBytes` does. Rejects with `bad-name` where it has none. */
export function nameText(path: RemotePath): string {
  const name = nameOf(path);
  if (name === undefined) throw fileError('bad-name', { path: showPath(path) }, { outcome: 'not-sent' });
  return textOfBytes(name);
}
