import { realpath, rmdir, unlink } from 'node:fs/promises';
import { AgentError } from '../agentError.ts';
import type { ClockPort } from '../clock.ts';
import { errorCode, linkRefused, scratchError } from './ioError.ts';
import { checkFileSize, plus, type ScratchUsage, type UsageChange } from './limits.ts';
import type { LockOwnerPort } from './lockOwner.ts';
import { makeRoot, openPath, openRoot, type FolderAccess, type SafeFolder } from './safeFolder.ts';
import { appendRegular, createRegular, readRegular, StagingFolder } from './scratchFiles.ts';
import { ScratchLock, type HeldLock } from './scratchLock.ts';
import { componentsOf, splitPath, type ScratchPath } from './scratchPath.ts';
import { find, measure, type FoundEntry } from './scratchTree.ts';
import { UsageLedger } from './usageLedger.ts';

/** One scratch root with what stands beside it. */
export interface ScratchPlace {
  /** A real path. */
  readonly root: string;
  readonly access: FolderAccess;
  readonly lock: ScratchLock;
  readonly ledger: UsageLedger;
  readonly staging: StagingFolder;
}

export async function scratchPlace(options: {
  readonly root: string;
  readonly access: FolderAccess;
  readonly clock: ClockPort;
  readonly owner: LockOwnerPort;
  readonly log: (message: string) => void;
}): Promise<ScratchPlace> {
  const { access, clock, owner, log } = options;
  await makeRoot(options.root);
  const root = await realpath(options.root);
  const ledger = new UsageLedger({ path: `${root}.usage`, clock });
  const staging = new StagingFolder(`${root}.tmp`);
  const onAbandoned = async (): Promise<void> => {
    await ledger.forget();
    await staging.drop();
  };
  return {
    root,
    access,
    ledger,
    staging,
    lock: new ScratchLock({ path: `${root}.lock`, clock, owner, onAbandoned, log }),
  };
}

/** Runs `action` on the opened root, closes what it opened and gives the lock back. Errors of the file system become ours. */
export async function withScratch<T>(
  place: ScratchPlace,
  lock: HeldLock | undefined,
  operation: { readonly path: ScratchPath; readonly run: (held: HeldScratch) => Promise<T> },
): Promise<T> {
  let held: HeldScratch | undefined;
  try {
    held = new HeldScratch(place, await openRoot(place.root, place.access), lock);
    return await operation.run(held);
  } catch (error) {
    throw scratchError(error, operation.path);
  } finally {
    await held?.close();
    await lock?.release();
  }
}

/** Scratch while the lock is held: what an operation looks at stays so until it ends. */
export class HeldScratch {
  readonly root: SafeFolder;
  readonly #place: ScratchPlace;
  readonly #lock: HeldLock | undefined;
  readonly #opened: SafeFolder[];

  constructor(place: ScratchPlace, root: SafeFolder, lock: HeldLock | undefined) {
    this.root = root;
    this.#place = place;
    this.#lock = lock;
    this.#opened = [root];
  }

  get staging(): StagingFolder {
    return this.#place.staging;
  }

  async close(): Promise<void> {
    for (const folder of this.#opened.splice(0)) await folder.close();
  }

  /** Closed with this. */
  async folder(path: ScratchPath, options = { create: false }): Promise<SafeFolder> {
    const folder = await openPath(this.root, componentsOf(path), options);
    if (folder !== this.root) this.#opened.push(folder);
    return folder;
  }

  async parent(
    path: ScratchPath,
    options = { create: false },
  ): Promise<{ folder: SafeFolder; name: string }> {
    const { folder, name } = splitPath(path);
    return { folder: await this.folder(folder, options), name };
  }

  /** Undefined when there is nothing, a missing folder included. Throws for a link or special node. */
  async found(path: ScratchPath): Promise<FoundEntry | undefined> {
    try {
      const { folder, name } = await this.parent(path);
      const entry = await find(folder, name);
      if (entry === undefined) return undefined;
      const { kind } = entry;
      if (kind === 'other') throw linkRefused(path);
      return { ...entry, kind };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Throws `scratchNotFound`. */
  async entry(path: ScratchPath): Promise<FoundEntry> {
    const entry = await this.found(path);
    if (entry === undefined) throw new AgentError('scratchNotFound', { path });
    return entry;
  }

  /** What is at the place of a file; a folder is refused. */
  async file(path: ScratchPath): Promise<FoundEntry | undefined> {
    const entry = await this.found(path);
    if (entry?.kind === 'directory') throw new AgentError('scratchIsDirectory', { path });
    return entry;
  }

  /** By counting the tree. */
  usage(): Promise<ScratchUsage> {
    return measure(this.root);
  }

  async read(path: ScratchPath): Promise<Buffer> {
    const { folder, name } = await this.parent(path);
    return readRegular(folder, name);
  }

  /** Writes the whole file, over an old one, and creates its folders. Returns the usage behind it. */
  async replace(path: ScratchPath, bytes: Uint8Array): Promise<ScratchUsage> {
    checkFileSize(bytes.length);
    const old = await this.file(path);
    const change = { bytes: bytes.length - (old?.bytes ?? 0), files: old === undefined ? 1 : 0 };
    return this.commit(change, async () => {
      const { folder, name } = await this.parent(path, { create: true });
      await this.place(await this.staging.file(bytes), folder, name);
    });
  }

  /** A new file; throws `scratchExists`. */
  async create(path: ScratchPath, bytes: Uint8Array): Promise<ScratchUsage> {
    checkFileSize(bytes.length);
    if ((await this.found(path)) !== undefined) throw new AgentError('scratchExists', { path });
    return this.commit({ bytes: bytes.length, files: 1 }, async () => {
      const { folder, name } = await this.parent(path, { create: true });
      await createRegular(folder, name, bytes);
    });
  }

  async append(path: ScratchPath, bytes: Uint8Array, expectedBytes: number): Promise<ScratchUsage> {
    checkFileSize(expectedBytes + bytes.length);
    return this.commit({ bytes: bytes.length, files: 0 }, async () => {
      const { folder, name } = await this.parent(path);
      await appendRegular(folder, name, { bytes, expectedBytes });
    });
  }

  async removeFile(path: ScratchPath, bytes: number): Promise<ScratchUsage> {
    return this.commit({ bytes: -bytes, files: -1 }, async () => {
      const { folder, name } = await this.parent(path);
      await folder.verify();
      await unlink(folder.at(name));
    });
  }

  /** Rejects with `scratchNotEmpty`. */
  async removeEmptyFolder(path: ScratchPath): Promise<ScratchUsage> {
    return this.commit({ bytes: 0, files: 0 }, async () => {
      const { folder, name } = await this.parent(path);
      await folder.verify();
      await rmdir(folder.at(name)).catch((error: unknown) => {
        const code = errorCode(error);
        throw code === 'EEXIST' || code === 'ENOTEMPTY' ? new AgentError('scratchNotEmpty', { path }) : error;
      });
    });
  }

  /** Lets a staged file or tree appear, or removes it again. */
  async place(staged: string, folder: SafeFolder, name: string): Promise<void> {
    try {
      await this.#lock?.assertHeld();
      await folder.place(staged, name);
    } catch (error) {
      await this.staging.drop(staged);
      throw error;
    }
  }

  /**
   * Admits a change by the quotas, makes it and records the usage behind it. When anything fails in between, the next operation
   * counts the tree.
   */
  async commit(change: UsageChange, make: () => Promise<void>): Promise<ScratchUsage> {
    const { ledger } = this.#place;
    const before = await ledger.admit(change, () => this.usage());
    try {
      await this.#lock?.assertHeld();
      await make();
      const after = plus(before, change);
      await this.#lock?.assertHeld();
      await ledger.record(after);
      return after;
    } catch (error) {
      await ledger.forget();
      throw error;
    }
  }
}
