import { lstat, readdir } from 'node:fs/promises';
import { errorCode } from './ioError.ts';
import type { ScratchUsage } from './limits.ts';
import type { SafeFolder } from './safeFolder.ts';
import { childPath, type ScratchPath } from './scratchPath.ts';

export type ScratchKind = 'file' | 'directory';

export interface ScratchEntry {
  readonly path: ScratchPath;
  readonly kind: ScratchKind;
  /** 0 for a directory. */
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

export type FoundEntry = Omit<ScratchEntry, 'path'>;

/** What stands in a folder under one name; links, devices, sockets and the like are `other`. */
export type AnyEntry = Omit<FoundEntry, 'kind'> & { readonly kind: ScratchKind | 'other' };

/** Undefined when there is nothing. Follows no link. */
export async function find(folder: SafeFolder, name: string): Promise<AnyEntry | undefined> {
  try {
    const found = await lstat(folder.at(name));
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
    return { kind, bytes: kind === 'file' ? found.size : 0, modifiedAt: Math.round(found.mtimeMs) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** One entry of a tree; `path` is undefined for a name that no scratch path can have. Also visits links and special nodes. */
export interface Visited extends AnyEntry {
  readonly path: ScratchPath | undefined;
  readonly name: string;
}

/**
 * Visits everything below a folder, parents first, in order of names. Follows no link. What vanishes meanwhile is skipped.
 */
export async function visitTree(
  folder: SafeFolder,
  at: { readonly path: ScratchPath | undefined; readonly recursive: boolean },
  visit: (entry: Visited) => void,
): Promise<void> {
  const names = await readdir(folder.at('.'));
  for (const name of names.sort()) {
    const found = await find(folder, name);
    if (found === undefined) continue;
    const path = at.path === undefined ? undefined : childPath(at.path, name);
    visit({ ...found, path, name });
    if (!at.recursive || found.kind !== 'directory') continue;
    const child = await folder.open(name);
    try {
      await visitTree(child, { ...at, path }, visit);
    } finally {
      await child.close();
    }
  }
}

/** Counts every regular file, addressable or not. */
export async function measure(root: SafeFolder): Promise<ScratchUsage> {
  let bytes = 0;
  let files = 0;
  await visitTree(root, { path: undefined, recursive: true }, (entry) => {
    if (entry.kind !== 'file') return;
    bytes += entry.bytes;
    files++;
  });
  return { bytes, files };
}
