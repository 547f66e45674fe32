import { constants } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import type {
  LocalAttributes,
  LocalChange,
  LocalEntry,
  LocalFile,
  LocalFilesPort,
  LocalFolder,
  LocalPath,
} from '../../application/ports/localFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { textOfBytes } from '../../domain/files/nameText.ts';
import { permissionBits } from '../../domain/files/permissions.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { showLocalPath } from '../../domain/transfer/showPlace.ts';
import { localName, type NameRules } from '../../domain/transfer/localName.ts';
import { errorCode } from '../net/errorCode.ts';
import {
  holdRoot,
  nativeDirectoryAccess,
  type DirectoryAccess,
  type HeldDirectory,
} from './heldDirectory.ts';
import { attributesOf, DiskFile } from './localFile.ts';
import { localError, localErrorOf } from './localFault.ts';

export interface LocalFilesOptions {
  /** This system's own when absent. */
  readonly access?: DirectoryAccess;
  readonly rules?: NameRules;
}

/** What names this system holds. */
export const nativeRules: NameRules =
  process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'text' : 'bytes';

/** No link is opened, and a pipe that took the place of a file does not hang. Windows has neither flag: they count as 0 there. */
const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ownerOnly = 0o600;
const ownerCanFill = 0o700;
/** Entries of one directory that are looked at together. */
const statsAhead = 64;

/** Files of this machine, over `node:fs`. */
export class LocalFiles implements LocalFilesPort {
  readonly #access: DirectoryAccess;
  readonly #rules: NameRules;

  constructor({ access, rules }: LocalFilesOptions = {}) {
    this.#access = access ?? nativeDirectoryAccess;
    this.#rules = rules ?? nativeRules;
  }

  async openFolder(path: string): Promise<LocalFolder> {
    try {
      const real = await fs.realpath(path);
      return new DiskFolder(real, await holdRoot(real, this.#access), this.#rules);
    } catch (error) {
      throw localErrorOf(error, showUntrusted(path), 'open');
    }
  }
}

class DiskFolder implements LocalFolder {
  readonly path: string;
  readonly #root: HeldDirectory;
  readonly #rules: NameRules;

  constructor(path: string, root: HeldDirectory, rules: NameRules) {
    this.path = path;
    this.#root = root;
    this.#rules = rules;
  }

  async stat(path: LocalPath): Promise<LocalAttributes | undefined> {
    try {
      return await this.#at(path, 'stat', async (at) => attributesOf(await fs.lstat(at)));
    } catch (error) {
      if (isTermindError(error) && errorCode(error.cause) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async *list(path: LocalPath): AsyncGenerator<LocalEntry, void, undefined> {
    const names = await this.#in(path, 'list', (directory) =>
      fs.readdir(directory.self, { encoding: 'buffer' }),
    );
    for (let from = 0; from < names.length; from += statsAhead) {
      const looked = names.slice(from, from + statsAhead).map(async (bytes) => {
        const name = textOfBytes(bytes);
        return { name, found: await this.stat([...path, name]) };
      });
      for (const { name, found } of await Promise.all(looked))
        if (found !== undefined) yield { name, ...found };
    }
  }

  openRead(path: LocalPath): Promise<LocalFile> {
    return this.#open(path, constants.O_RDONLY);
  }

  openWrite(path: LocalPath): Promise<LocalFile> {
    return this.#open(path, constants.O_RDWR);
  }

  create(path: LocalPath): Promise<LocalFile> {
    return this.#open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
  }

  async mkdir(path: LocalPath, mode: number): Promise<void> {
    await this.#at(path, 'mkdir', (at) => fs.mkdir(at, { mode: (mode & permissionBits) | ownerCanFill }));
  }

  rename({ from, name, replace }: Parameters<LocalFolder['rename']>[0]): Promise<void> {
    const to = this.#nameOf(name, [...from.slice(0, -1), name]);
    return this.#at(from, 'rename', async (at, directory) => {
      if (replace) await renameOver(at, directory.at(to));
      else await renameToFree(at, directory.at(to));
    });
  }

  remove(path: LocalPath): Promise<void> {
    return this.#at(path, 'remove', (at) => fs.unlink(at));
  }

  change(path: LocalPath, { mode, times }: LocalChange): Promise<void> {
    return this.#at(path, 'setstat', async (at) => {
      const handle = await fs.open(at, constants.O_RDONLY | careful);
      try {
        if (mode !== undefined) await handle.chmod(mode & permissionBits);
        if (times !== undefined) await handle.utimes(times.accessed, times.modified);
      } finally {
        await handle.close();
      }
    });
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  #open(path: LocalPath, flags: number): Promise<LocalFile> {
    return this.#at(path, 'open', async (at, directory) => {
      const handle = await fs.open(at, flags | careful, ownerOnly);
      try {
        await directory.verify();
        const stats = await handle.stat();
        if (stats.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' });
        if (!stats.isFile())
          throw localError('file-failed', {
            path: this.#shown(path),
            operation: 'open',
            text: 'no plain file',
          });
        return new DiskFile(handle, this.#shown(path));
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  /** The entry of that path in its held directory; the folder itself for an empty one. */
  #at<T>(
    path: LocalPath,
    operation: string,
    work: (at: Buffer, directory: HeldDirectory) => Promise<T>,
  ): Promise<T> {
    const last = path.at(-1);
    if (last === undefined) return this.#in(path, operation, (directory) => work(directory.self, directory));
    return this.#told(path, operation, () =>
      this.#hold(path.slice(0, -1), (directory) => work(directory.at(this.#nameOf(last, path)), directory)),
    );
  }

  #in<T>(path: LocalPath, operation: string, work: (directory: HeldDirectory) => Promise<T>): Promise<T> {
    return this.#told(path, operation, () => this.#hold(path, work));
  }

  /** The directory of that path, held while `work` runs. */
  async #hold<T>(path: LocalPath, work: (directory: HeldDirectory) => Promise<T>): Promise<T> {
    let directory = this.#root;
    const leave = async (): Promise<void> => {
      if (directory !== this.#root) await directory.close();
    };
    try {
      await directory.verify();
      for (const name of path) {
        const child = await directory.open(this.#nameOf(name, path));
        await leave();
        directory = child;
      }
      const done = await work(directory);
      await directory.verify();
      return done;
    } finally {
      await leave();
    }
  }

  async #told<T>(path: LocalPath, operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isTermindError(error) ? error : localErrorOf(error, this.#shown(path), operation);
    }
  }

  #nameOf(name: string, path: LocalPath): Buffer {
    const bytes = localName(name, this.#rules);
    if (bytes === undefined) throw localError('bad-name', { path: this.#shown(path) });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #shown(path: LocalPath): string {
    return showLocalPath(this.path, path);
  }
}

/** Space of a large file is freed for as long as a tenth of a second, within the call that drops its last name or descriptor. */
const slowToFree = 8 * 1024 * 1024;

/** A large old file is let go of behind the rename, where nobody waits for it. Windows replaces no file that is open. */
async function renameOver(from: Buffer, to: Buffer): Promise<void> {
  const old = process.platform === 'win32' ? undefined : await openLarge(to).catch(() => undefined); // then it is freed within the rename
  try {
    await fs.rename(from, to);
  } finally {
    old?.close().catch(() => {}); // it was not even read
  }
}

async function openLarge(path: Buffer): Promise<FileHandle | undefined> {
  const found = await fs.lstat(path);
  return found.isFile() && found.size >= slowToFree ? fs.open(path, constants.O_RDONLY | careful) : undefined;
}

/** Where the file system has no second names for a file, a moment is left between looking and renaming. */
async function renameToFree(from: Buffer, to: Buffer): Promise<void> {
  try {
    await fs.link(from, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error))) throw error;
    const isThere = await fs.lstat(to).then(
      () => true,
      () => false,
    );
    if (isThere) throw Object.assign(new Error('it is there'), { code: 'EEXIST' });
    return fs.rename(from, to);
  }
  await fs.unlink(from);
}
