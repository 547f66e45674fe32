import { hasCode } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { bytesOfText } from '../../domain/files/nameText.ts';
import {
  joinPath,
  pathOfText,
  remoteName,
  textOfPath,
  type RemotePath,
} from '../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';

/** In the home folder of whoever signs in. Source: ssh.md 8.8. */
export const trashName = '.termind-trash';
/** Only its owner looks into it: it keeps what had other permissions. */
const ownerOnly = 0o700;
const mostNames = 100;

/**
 * The trash of whoever signs in, made or not yet; undefined when it would be on another file system than `folder`, or the server does not
 * tell. Rejects as `RemoteFiles`. Source: ssh.md 8.8.
 */
export async function findTrash(
  files: RemoteFiles,
  folder: RemotePath,
  signal: AbortSignal,
): Promise<RemotePath | undefined> {
  if (!files.capabilities.operations.has('statvfs') || files.capabilities.isReadOnly) return undefined;
  const home = await files.realpath(pathOfText('.'), signal);
  try {
    const [here, there] = await Promise.all([files.statvfs(home, signal), files.statvfs(folder, signal)]);
    return here.id === there.id ? joinPath(home, nameOfText(trashName)) : undefined;
  } catch (error) {
    if (hasCode(error, 'unsupported')) return undefined;
    throw error;
  }
}

/** What was deleted together: one directory of the trash, named by the time. */
export class TrashFolder {
  readonly path: RemotePath;
  readonly #files: RemoteFiles;
  readonly #made = new Set<string>();

  /** Makes it, and the trash where there is none. `at`: milliseconds since 1970. Rejects as `RemoteFiles`. */
  static async make(
    files: RemoteFiles,
    { trash, at }: { readonly trash: RemotePath; readonly at: number },
    signal: AbortSignal,
  ): Promise<TrashFolder> {
    await makeMissing(files, trash, signal);
    const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');
    for (let n = 1; n <= mostNames; n++) {
      const path = joinPath(trash, nameOfText(n === 1 ? `${time}Z` : `${time}Z-${String(n)}`));
      try {
        await files.mkdir(path, ownerOnly, signal);
        return new TrashFolder(files, path);
      } catch (error) {
        if (!hasCode(error, 'exists')) throw error;
      }
    }
    throw fileError('exists', { path: trashName }, { outcome: 'not-sent' });
  }

  private constructor(files: RemoteFiles, path: RemotePath) {
    this.#files = files;
    this.path = path;
  }

  /**
   * Moves a file or link into it, where it has the names `below`, spelt as `textOfPath` spells names. Never copies, and replaces nothing.
   * Rejects as `RemoteFiles.rename`.
   */
  async take(from: RemotePath, below: readonly string[], signal: AbortSignal): Promise<void> {
    let folder = this.path;
    for (const name of below.slice(0, -1)) {
      folder = joinPath(folder, nameOfText(name));
      const key = textOfPath(folder);
      if (!this.#made.has(key)) await makeMissing(this.#files, folder, signal);
      this.#made.add(key);
    }
    const to = joinPath(folder, nameOfText(below.at(-1) ?? ''));
    await this.#files.rename({ from, to, replace: false }, signal);
  }
}

async function makeMissing(files: RemoteFiles, path: RemotePath, signal: AbortSignal): Promise<void> {
  try {
    await files.mkdir(path, ownerOnly, signal);
  } catch (error) {
    if (!hasCode(error, 'exists')) throw error;
  }
}

function nameOfText(name: string): ReturnType<typeof remoteName> {
  return remoteName(bytesOfText(name));
}
