import { constants, existsSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../net/errorCode.ts';

/**
 * How a directory is held while something in it is used. `descriptor`: a link that takes the place of one of its parents leads nowhere,
 * because entries are named from the descriptor. `path`: no directory on the way was a link before and none is one afterwards, which
 * leaves a moment in between. Source: open(2), `O_NOFOLLOW`; proc(5), `/proc/self/fd`.
 */
export type DirectoryAccess = 'descriptor' | 'path';

export const nativeDirectoryAccess: DirectoryAccess =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'path';

/** One directory that was reached without following a link. Whoever opens one closes it. */
export interface HeldDirectory {
  /** The directory itself, as the file system is to name it. */
  readonly self: Buffer;
  /** Names exactly this entry of it to the file system. */
  at(name: Buffer): Buffer;
  /** A directory in it. Rejects with `ELOOP` for a link, and with `ENOTDIR`, `ENOENT`, `EACCES`. */
  open(name: Buffer): Promise<HeldDirectory>;
  /** Rejects with `ELOOP` or `ENOTDIR` when it is not where it was opened. Held by descriptor it always is. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** `root` is a real path: links that lead to it were followed by whoever chose it. */
export async function holdRoot(root: string, access: DirectoryAccess): Promise<HeldDirectory> {
  return access === 'descriptor'
    ? new DirectoryByDescriptor(await fs.open(root, directoryFlags))
    : checked(new DirectoryByPath([Buffer.from(root)]));
}

/** Needs no right to list the directory. Source: open(2), `O_PATH`. */
const pathOnly = 0o10_000_000;
const directoryFlags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;

class DirectoryByDescriptor implements HeldDirectory {
  readonly self: Buffer;
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
    this.self = Buffer.from(`/proc/self/fd/${String(handle.fd)}/`);
  }
  at(name: Buffer): Buffer {
    return Buffer.concat([this.self, name]);
  }
  async open(name: Buffer): Promise<HeldDirectory> {
    try {
      return new DirectoryByDescriptor(await fs.open(this.at(name), directoryFlags));
    } catch (error) {
      if (errorCode(error) === 'ENOTDIR' && (await isLink(this.at(name)))) throw linkError(error);
      throw error;
    }
  }
  async verify(): Promise<void> {}
  close(): Promise<void> {
    return this.#handle.close();
  }
}

class DirectoryByPath implements HeldDirectory {
  readonly self: Buffer;
  /** The root and every directory from there down to this one. */
  readonly #way: readonly Buffer[];

  constructor(way: readonly Buffer[]) {
    this.#way = way;
    this.self = way.at(-1) ?? Buffer.from(path.sep);
  }
  at(name: Buffer): Buffer {
    return Buffer.concat([this.self, Buffer.from(path.sep), name]);
  }
  open(name: Buffer): Promise<HeldDirectory> {
    return checked(new DirectoryByPath([...this.#way, this.at(name)]));
  }
  async verify(): Promise<void> {
    for (const one of this.#way) {
      const found = await fs.lstat(one);
      if (found.isSymbolicLink()) throw linkError();
      if (!found.isDirectory()) throw Object.assign(new Error('no directory'), { code: 'ENOTDIR' });
    }
  }
  async close(): Promise<void> {}
}

async function checked(directory: HeldDirectory): Promise<HeldDirectory> {
  await directory.verify();
  return directory;
}

function isLink(at: Buffer): Promise<boolean> {
  return fs.lstat(at).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

function linkError(cause?: unknown): Error {
  return Object.assign(new Error('a link is in the way', { cause }), { code: 'ELOOP' });
}
