import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, rmdir, unlink, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { AgentError } from '../agentError.ts';
import { errorCode, linkRefused } from './ioError.ts';
import { checkFileSize, scratchLimits } from './limits.ts';
import type { SafeFolder } from './safeFolder.ts';
import { find, visitTree } from './scratchTree.ts';

/** No link is opened, and a pipe that took the place of a file does not hang. Windows has neither flag: they count as 0 there. */
const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The bytes of a regular file, at most 8 MiB. Rejects with an `AgentError` or a file system error. */
export async function readRegular(folder: SafeFolder, name: string): Promise<Buffer> {
  const handle = await openRegular(folder, name, constants.O_RDONLY);
  try {
    const { size } = await handle.stat();
    checkFileSize(size);
    const bytes = Buffer.alloc(scratchLimits.fileBytes + 1 < size + 1 ? size : size + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** Adds to the end of a file that has exactly `expectedBytes`. */
export async function appendRegular(
  folder: SafeFolder,
  name: string,
  addition: { readonly bytes: Uint8Array; readonly expectedBytes: number },
): Promise<void> {
  const handle = await openRegular(folder, name, constants.O_WRONLY | constants.O_APPEND);
  try {
    const { size } = await handle.stat();
    if (size !== addition.expectedBytes)
      throw new AgentError('scratchIo', { reason: `${name} was changed by someone else` });
    await handle.writeFile(addition.bytes);
  } finally {
    await handle.close();
  }
}

/** A new file; never replaces anything. */
export async function createRegular(folder: SafeFolder, name: string, bytes: Uint8Array): Promise<void> {
  await folder.verify();
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | careful;
  const handle = await open(folder.at(name), flags, 0o600);
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    await handle.close();
    await unlink(folder.at(name));
    throw error;
  }
  await handle.close();
  await folder.verify();
}

/** A place outside the tree, on the same file system, where files are made before they appear. One operation uses it at a time. */
export class StagingFolder {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = folder;
  }

  /** Writes a file; the path is the caller's to move away or to `drop`. */
  async file(bytes: Uint8Array): Promise<string> {
    const staged = path.join(this.#path, randomUUID());
    const write = (): Promise<void> => writeFile(staged, bytes, { flag: 'wx', mode: 0o600 });
    await write().catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await mkdir(this.#path, { recursive: true, mode: 0o700 });
      await write();
    });
    return staged;
  }

  /** Copies a tree that holds only files and folders. */
  async tree(source: SafeFolder): Promise<string> {
    const staged = path.join(this.#path, randomUUID());
    await mkdir(staged, { recursive: true, mode: 0o700 });
    await copyInto(source, staged);
    return staged;
  }

  /** Whatever a process that died left here, or one staged path. */
  async drop(staged = this.#path): Promise<void> {
    await rm(staged, { recursive: true, force: true });
  }
}

async function copyInto(source: SafeFolder, target: string): Promise<void> {
  const found: { name: string; kind: string }[] = [];
  await visitTree(source, { path: undefined, recursive: false }, (entry) => found.push(entry));
  for (const { name, kind } of found) {
    const to = path.join(target, name);
    if (kind === 'file') await writeFile(to, await readRegular(source, name), { flag: 'wx', mode: 0o600 });
    else if (kind === 'directory') {
      await mkdir(to, { mode: 0o700 });
      const child = await source.open(name);
      await copyInto(child, to).finally(() => child.close());
    } else throw linkRefused(name);
  }
}

/** Removes everything in a folder; links are removed, never followed. */
export async function emptyFolder(folder: SafeFolder): Promise<void> {
  const found: { name: string; kind: string }[] = [];
  await visitTree(folder, { path: undefined, recursive: false }, (entry) => found.push(entry));
  for (const { name, kind } of found) {
    await folder.verify();
    if (kind === 'directory') await removeFolder(folder, name);
    else await unlink(folder.at(name));
  }
}

/** Removes a folder with all it holds. */
export async function removeFolder(folder: SafeFolder, name: string): Promise<void> {
  const child = await folder.open(name);
  await emptyFolder(child).finally(() => child.close());
  await folder.verify();
  await rmdir(folder.at(name));
}

/** Opens a file that is proven to be this folder's and regular. The caller closes it. */
async function openRegular(folder: SafeFolder, name: string, flags: number): Promise<FileHandle> {
  const found = await find(folder, name);
  if (found === undefined) throw Object.assign(new Error('nothing there'), { code: 'ENOENT' });
  if (found.kind === 'directory') throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (found.kind === 'other') throw linkRefused(name);
  const handle = await open(folder.at(name), flags | careful);
  try {
    const opened = await handle.stat({ bigint: true });
    await folder.verify();
    const named = await lstat(folder.at(name), { bigint: true });
    if (!opened.isFile() || named.ino !== opened.ino || named.dev !== opened.dev) throw linkRefused(name);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
