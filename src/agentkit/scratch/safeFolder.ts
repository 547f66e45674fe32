import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { AgentError } from '../agentError.ts';
import { errorCode, linkRefused } from './ioError.ts';

/**
 * A folder inside scratch that was reached without following a link. `at` names an entry of exactly this folder, so that a link
 * put in the place of a parent meanwhile leads nowhere. Whoever opens one closes it. Source: agent runtime contract, section 10.
 */
export interface SafeFolder {
  at(name: string): string;
  /** Rejects for a link (`scratchPathRefused`), another kind (`ENOTDIR`) and nothing (`ENOENT`). */
  open(name: string): Promise<SafeFolder>;
  /** Moves a file or tree of the same file system into this folder, over a file of that name. Rejects unless it is here then. */
  place(source: string, name: string): Promise<void>;
  /** Rejects when the folder is no longer where it was opened. Held by descriptor it always is. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** How folders are held: by descriptor where `/proc` shows it as a path, else by path with checks on both sides. */
export type FolderAccess = 'descriptor' | 'path';

export const nativeFolderAccess: FolderAccess =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'descriptor' : 'path';

/** The root, created when missing. `root` is a real path: it has no links in it. */
export async function openRoot(root: string, access: FolderAccess): Promise<SafeFolder> {
  try {
    return await openFolder(root, access);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    await makeRoot(root);
    return openFolder(root, access);
  }
}

/** Creates the root where it is missing. Throws `scratchIo` when something else has its place. */
export async function makeRoot(root: string): Promise<void> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    throw new AgentError('scratchIo', { reason: 'something that is no folder has its place' }, error);
  }
}

async function openFolder(root: string, access: FolderAccess): Promise<SafeFolder> {
  if (access === 'descriptor') return openByDescriptor(root, 'scratch');
  const folder = new FolderByPath(root, root);
  await folder.verify();
  return folder;
}

/** The folder of that path, opened component by component; missing ones are created when `create` is set. The caller closes it. */
export async function openPath(
  root: SafeFolder,
  components: readonly string[],
  options: { readonly create: boolean },
): Promise<SafeFolder> {
  let folder = root;
  for (const component of components) {
    try {
      if (options.create) await makeFolder(folder, component);
      const child = await folder.open(component);
      if (folder !== root) await folder.close();
      folder = child;
    } catch (error) {
      if (folder !== root) await folder.close();
      throw error;
    }
  }
  return folder;
}

async function makeFolder(folder: SafeFolder, name: string): Promise<void> {
  try {
    await folder.verify();
    await mkdir(folder.at(name), { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

async function openByDescriptor(folder: string, shown: string): Promise<SafeFolder> {
  try {
    return new FolderByDescriptor(await open(folder, directoryFlags));
  } catch (error) {
    const isLink =
      errorCode(error) === 'ELOOP' || (errorCode(error) === 'ENOTDIR' && (await isSymlink(folder)));
    throw isLink ? linkRefused(shown) : error;
  }
}

class FolderByDescriptor implements SafeFolder {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }
  at(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }
  open(name: string): Promise<SafeFolder> {
    return openByDescriptor(this.at(name), name);
  }
  place(source: string, name: string): Promise<void> {
    return rename(source, this.at(name));
  }
  async verify(): Promise<void> {}
  close(): Promise<void> {
    return this.#handle.close();
  }
}

class FolderByPath implements SafeFolder {
  readonly #root: string;
  readonly #path: string;

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#path = folder;
  }
  at(name: string): string {
    return path.join(this.#path, name);
  }
  async open(name: string): Promise<SafeFolder> {
    const child = new FolderByPath(this.#root, this.at(name));
    await child.verify();
    return child;
  }
  async place(source: string, name: string): Promise<void> {
    const moved = await lstat(source, { bigint: true });
    await this.verify();
    await rename(source, this.at(name));
    await this.verify();
    const found = await lstat(this.at(name), { bigint: true });
    if (found.ino !== moved.ino || found.dev !== moved.dev) throw linkRefused(name);
  }
  async verify(): Promise<void> {
    const name = path.basename(this.#path);
    const found = await lstat(this.#path);
    if (found.isSymbolicLink()) throw linkRefused(name);
    if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    const inside = path.relative(this.#root, await realpath(this.#path));
    if (inside === '..' || inside.startsWith(`..${path.sep}`) || path.isAbsolute(inside))
      throw linkRefused(name);
  }
  async close(): Promise<void> {}
}

async function isSymlink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
