import { kindOf, type EntryKind, type FileAttributes } from '../../domain/files/fileAttributes.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { joinPath, showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';

/** Source: ssh.md 8.2. */
const deepest = 64;

export interface TreeEntry {
  readonly path: RemotePath;
  /** 0 for the root. */
  readonly depth: number;
  readonly kind: EntryKind;
  readonly attributes: FileAttributes;
}

/**
 * A file or link, or a directory with everything in it, which stands in front of what it holds. Links are not followed. Rejects with
 * `too-many-entries` above the limit, with `link-loop` below a depth of 64, and as `RemoteFiles`.
 */
export async function walkTree(
  files: RemoteFiles,
  { root, mostEntries }: { readonly root: RemotePath; readonly mostEntries: number },
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const open: TreeEntry[] = [await entryAt(files, { path: root, depth: 0 }, signal)];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    entries.push(entry);
    if (entry.kind !== 'directory') continue;
    if (entry.depth >= deepest) throw fileError('link-loop', { path: showPath(entry.path) });
    for await (const page of files.list(entry.path, signal)) {
      for (const { name, attributes } of page.entries) {
        const place = { path: joinPath(entry.path, name), depth: entry.depth + 1 };
        open.push(
          kindOf(attributes) === undefined
            ? await entryAt(files, place, signal)
            : { ...place, kind: kindOf(attributes) ?? 'other', attributes },
        );
      }
      if (entries.length + open.length > mostEntries)
        throw fileError('too-many-entries', { path: showPath(root), limit: String(mostEntries) });
    }
  }
  return entries;
}

async function entryAt(
  files: RemoteFiles,
  place: { readonly path: RemotePath; readonly depth: number },
  signal: AbortSignal,
): Promise<TreeEntry> {
  const attributes = await files.lstat(place.path, signal);
  return { ...place, kind: kindOf(attributes) ?? 'other', attributes };
}
