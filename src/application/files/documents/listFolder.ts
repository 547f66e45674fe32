import { kindOf, type EntryKind } from '../../../domain/files/fileAttributes.ts';
import { joinPath, type RemotePath } from '../../../domain/files/remotePath.ts';
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
  for await (const page of files.list(path, signal)) {
    found.push(...page.entries);
    refused.push(...page.refused);
    if (found.length > maxEntries) break;
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
