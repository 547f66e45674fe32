import { hasCode } from '../../../domain/fault.ts';
import { kindOf, type EntryKind } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { joinPath, showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { DirectoryEntry, RemoteFiles } from '../../ports/remoteFiles.ts';
import { sendAtOnce } from './sendAtOnce.ts';

/** An entry, and of a link what it leads to: `missing` when that is not there or cannot be told. */
export interface ListedEntry extends DirectoryEntry {
  readonly target?: EntryKind | 'missing';
}

export interface FolderListing {
  /** In the server's order. */
  readonly entries: readonly ListedEntry[];
  /** Names that are none, shown safely. */
  readonly refused: readonly string[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/**
 * The entries of a folder, at most `maxEntries`. Only links, and entries of which the server does not tell the kind, are looked at again.
 * Rejects as `RemoteFiles.list`. Source: ssh.md 8.2; SFTP-9.
 */
export async function listFolder(
  files: RemoteFiles,
  { path, maxEntries }: { readonly path: RemotePath; readonly maxEntries: number },
  signal: AbortSignal,
): Promise<FolderListing> {
  const found: DirectoryEntry[] = [];
  const refused: string[] = [];
  try {
    for await (const page of files.list(path, signal)) {
      found.push(...page.entries);
      refused.push(...page.refused);
      if (found.length > maxEntries) break;
    }
  } catch (error) {
    throw (await isNoFolder(files, path, { error, signal }))
      ? fileError('not-directory', { path: showPath(path) })
      : error;
  }
  const entries: ListedEntry[] = found.slice(0, maxEntries);
  const open = entries.flatMap((entry, index) => {
    const kind = entry.kind ?? kindOf(entry.attributes);
    return kind === undefined || kind === 'symlink' ? [{ entry, index }] : [];
  });
  await sendAtOnce(open, async ({ entry, index }) => {
    entries[index] = await lookedAt(files, { folder: path, entry }, signal);
  });
  return { entries, refused, isCut: found.length > maxEntries };
}

/** Servers say "no such file" of a file that is opened as a folder. */
async function isNoFolder(
  files: RemoteFiles,
  path: RemotePath,
  { error, signal }: { readonly error: unknown; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!hasCode(error, 'not-found')) return false;
  const kind = await files.stat(path, signal).then(kindOf, () => undefined);
  return kind !== undefined && kind !== 'directory';
}

async function lookedAt(
  files: RemoteFiles,
  { folder, entry }: { readonly folder: RemotePath; readonly entry: DirectoryEntry },
  signal: AbortSignal,
): Promise<ListedEntry> {
  try {
    const kind = kindOf(await files.stat(joinPath(folder, entry.name), signal));
    return entry.kind === 'symlink' ? { ...entry, target: kind ?? 'missing' } : { ...entry, kind };
  } catch (error) {
    signal.throwIfAborted();
    if (files.isEnded) throw error;
    return entry.kind === 'symlink' ? { ...entry, target: 'missing' } : entry;
  }
}
