import type { DirectoryEntry, DirectoryPage } from '../../application/ports/remoteFiles.ts';
import { kindOf, type EntryKind } from '../../domain/files/fileAttributes.ts';
import { isName, showPath } from '../../domain/files/remotePath.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import type { NamedFile } from './replies.ts';

/** One answer to a directory request. Names that would lead out of the directory are refused. */
export function directoryPage(files: readonly NamedFile[]): DirectoryPage {
  const entries: DirectoryEntry[] = [];
  const refused: string[] = [];
  for (const file of files) {
    const entry = directoryEntry(file);
    if (entry !== undefined) entries.push(entry);
    else if (!['.', '..'].includes(file.name.toString('latin1'))) refused.push(showPath(file.name));
  }
  return { entries, refused };
}

function directoryEntry({ name, line, attributes }: NamedFile): DirectoryEntry | undefined {
  if (!isName(name)) return undefined;
  const text = line.toString('utf8');
  const told = /^([-dlbcps])\S{9,10}\s+(\d{1,9})\s+(\S+)\s+(\S+)\s+\d+\s/.exec(text);
  const [, letter, links, ownerName, groupName] = told ?? [];
  return {
    name,
    kind: kindOf(attributes) ?? kindOfLetter(letter),
    attributes,
    ...(links === undefined ? {} : { links: Number(links) }),
    ...(ownerName === undefined ? {} : { ownerName: showUntrusted(ownerName) }),
    ...(groupName === undefined ? {} : { groupName: showUntrusted(groupName) }),
  };
}

function kindOfLetter(letter: string | undefined): EntryKind | undefined {
  switch (letter) {
    case undefined:
      return undefined;
    case '-':
      return 'file';
    case 'd':
      return 'directory';
    case 'l':
      return 'symlink';
    default:
      return 'other';
  }
}
