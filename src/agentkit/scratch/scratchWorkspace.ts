import { AgentError } from '../agentError.ts';
import type { ClockPort } from '../clock.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { scratchPlace, withScratch, type HeldScratch, type ScratchPlace } from './heldScratch.ts';
import { errorCode, scratchError } from './ioError.ts';
import { scratchLimits, type ScratchUsage } from './limits.ts';
import type { LockOwnerPort } from './lockOwner.ts';
import { nativeFolderAccess, type FolderAccess } from './safeFolder.ts';
import { emptyFolder, removeFolder } from './scratchFiles.ts';
import { scratchFolderPath, scratchPath, scratchRoot, type ScratchPath } from './scratchPath.ts';
import { measure, visitTree, type ScratchEntry, type ScratchKind } from './scratchTree.ts';
import { SerialQueue } from '../serialQueue.ts';
import { copyWithin, moveWithin, type TransferDone } from './transfers.ts';

export interface ScratchOptions {
  /** Folder of all scratch files, created with mode 0700 when missing. Lock, ledger and staging folder stand beside it. */
  readonly root: string;
  readonly clock: ClockPort;
  readonly lockOwner: LockOwnerPort;
  readonly log?: (message: string) => void;
  /** Default: the strictest this system has. */
  readonly folderAccess?: FolderAccess;
}

/** Something this process changed; changes of other windows are found by watching the root. */
export interface ScratchChange {
  readonly path: ScratchPath;
  readonly kind: 'created' | 'changed' | 'deleted';
}

/** How full scratch is behind an operation, with its quotas. */
export interface ScratchTotals extends ScratchUsage {
  readonly byteQuota: number;
  readonly fileQuota: number;
}

export interface ScratchListing {
  /** In order of paths. */
  readonly entries: readonly ScratchEntry[];
  readonly totals: ScratchTotals;
}

export interface ScratchWritten {
  readonly path: ScratchPath;
  readonly bytes: number;
  readonly created: boolean;
  readonly totals: ScratchTotals;
}

export interface ScratchTransfer {
  readonly from: string;
  readonly to: string;
  /** Of a file by a file; nothing else is ever replaced. */
  readonly overwrite: boolean;
}

export interface ScratchTransferred {
  readonly from: ScratchPath;
  readonly to: ScratchPath;
  readonly kind: ScratchKind;
  readonly files: number;
  readonly bytes: number;
  readonly overwritten: boolean;
  readonly totals: ScratchTotals;
}

/**
 * The files that all conversations and windows of this device share. Paths are checked, links are refused on every component, a
 * file appears whole or not at all, quotas are exact across processes. Operations of one instance run one after another, each under
 * the lock that all processes share; a process has one instance per root.
 *
 * Every method rejects with an `AgentError` (`scratch…`) or the signal's reason. An abort ends waiting only: an operation that has
 * begun to change something ends first. Source: seed 0; agent runtime contract, section 10.
 */
export class ScratchWorkspace implements Disposable {
  readonly #options: ScratchOptions;
  readonly #queue = new SerialQueue();
  readonly #changes: Emitter<readonly ScratchChange[]>;
  #place: Promise<ScratchPlace> | undefined;

  constructor(options: ScratchOptions) {
    this.#options = options;
    this.#changes = new Emitter((error) =>
      options.log?.(`a listener of scratch changes failed: ${String(error)}`),
    );
  }

  /** Fires after each change of this process. */
  get onDidChange(): Event<readonly ScratchChange[]> {
    return this.#changes.event;
  }

  /** What a folder holds, or everything below it. Omits links, special nodes and names that no path can have. */
  list(
    folder: string,
    options: { readonly recursive: boolean },
    signal: AbortSignal,
  ): Promise<ScratchListing> {
    const path = scratchFolderPath(folder);
    return this.#read(path, signal, async (held) => {
      const opened = await held.folder(path);
      const entries: ScratchEntry[] = [];
      await visitTree(opened, { path, recursive: options.recursive }, (entry) => {
        const { path: at, kind, bytes, modifiedAt } = entry;
        if (at !== undefined && kind !== 'other') entries.push({ path: at, kind, bytes, modifiedAt });
      });
      entries.sort((a, b) => (a.path < b.path ? -1 : 1));
      return { entries, totals: totals(await held.usage()) };
    });
  }

  stat(at: string, signal: AbortSignal): Promise<ScratchEntry> {
    const path = scratchFolderPath(at);
    return this.#read(path, signal, async (held) => {
      if (path === scratchRoot) return { path, kind: 'directory', bytes: 0, modifiedAt: 0 };
      const { kind, bytes, modifiedAt } = await held.entry(path);
      return { path, kind, bytes, modifiedAt };
    });
  }

  read(file: string, signal: AbortSignal): Promise<Buffer> {
    const path = scratchPath(file);
    return this.#read(path, signal, (held) => held.read(path));
  }

  usage(signal: AbortSignal): Promise<ScratchTotals> {
    return this.#read(scratchRoot, signal, async (held) => totals(await held.usage()));
  }

  /** Writes a whole file and creates its folders. `createOnly` rejects with `scratchExists` when there is one. */
  write(
    file: string,
    content: { readonly bytes: Uint8Array; readonly createOnly?: boolean },
    signal: AbortSignal,
  ): Promise<ScratchWritten> {
    const path = scratchPath(file);
    const { bytes, createOnly = false } = content;
    return this.#change(path, signal, async (held) => {
      const created = (await held.file(path)) === undefined;
      const usage = await (createOnly ? held.create(path, bytes) : held.replace(path, bytes));
      return written(path, { bytes: bytes.length, created, usage });
    });
  }

  /** Replaces a file by what `change` makes of its present bytes (undefined when there is none); nothing comes in between. */
  update(
    file: string,
    change: (current: Buffer | undefined) => Uint8Array,
    signal: AbortSignal,
  ): Promise<ScratchWritten> {
    const path = scratchPath(file);
    return this.#change(path, signal, async (held) => {
      const current = (await held.file(path)) === undefined ? undefined : await held.read(path);
      const bytes = change(current);
      const usage = await held.replace(path, bytes);
      return written(path, { bytes: bytes.length, created: current === undefined, usage });
    });
  }

  /** Adds to a file of exactly `expectedBytes`; rejects when somebody changed or removed it. */
  append(
    file: string,
    addition: { readonly bytes: Uint8Array; readonly expectedBytes: number },
    signal: AbortSignal,
  ): Promise<ScratchWritten> {
    const path = scratchPath(file);
    const { bytes, expectedBytes } = addition;
    return this.#change(path, signal, async (held) => {
      const usage = await held.append(path, bytes, expectedBytes);
      return written(path, { bytes: expectedBytes + bytes.length, created: false, usage });
    });
  }

  /** Creates a folder and those above it; rejects with `scratchExists` when something has that name. */
  makeDirectory(folder: string, signal: AbortSignal): Promise<void> {
    const path = scratchPath(folder);
    return this.#change(path, signal, async (held) => {
      if ((await held.found(path)) !== undefined) throw new AgentError('scratchExists', { path });
      await held.folder(path, { create: true });
      return { value: undefined, changes: [{ path, kind: 'created' }] };
    });
  }

  /** A file or a whole tree, checked before anything is written; the copy appears at once. */
  copy(transfer: ScratchTransfer, signal: AbortSignal): Promise<ScratchTransferred> {
    return this.#transfer(transfer, signal, copyWithin);
  }

  /** As `copy`, also where the quota is used up. */
  move(transfer: ScratchTransfer, signal: AbortSignal): Promise<ScratchTransferred> {
    return this.#transfer(transfer, signal, moveWithin);
  }

  /** A file or an empty folder; with `recursive` a folder with all it holds. `kind`, when given, must be what is there. */
  delete(
    at: string,
    options: { readonly kind?: ScratchKind; readonly recursive?: boolean },
    signal: AbortSignal,
  ): Promise<ScratchTotals> {
    const path = scratchPath(at);
    return this.#change(path, signal, async (held) => {
      const found = await held.entry(path);
      if (options.kind !== undefined && options.kind !== found.kind)
        throw new AgentError('scratchKindDiffers', { path, actual: found.kind, asked: options.kind });
      const changes = [{ path, kind: 'deleted' }] as const;
      if (found.kind === 'file') return { value: totals(await held.removeFile(path, found.bytes)), changes };
      if (options.recursive !== true) return { value: totals(await held.removeEmptyFolder(path)), changes };
      return { value: totals(await removeTree(held, path)), changes };
    });
  }

  /** Deletes everything. */
  clear(signal: AbortSignal): Promise<ScratchTotals> {
    return this.#change(scratchRoot, signal, async (held) => {
      const { bytes, files } = await held.usage();
      const usage = await held.commit({ bytes: -bytes, files: -files }, () => emptyFolder(held.root));
      return { value: totals(usage), changes: [{ path: scratchRoot, kind: 'changed' }] };
    });
  }

  dispose(): void {
    this.#changes.dispose();
  }

  #transfer(
    transfer: ScratchTransfer,
    signal: AbortSignal,
    run: (
      held: HeldScratch,
      paths: { from: ScratchPath; to: ScratchPath; overwrite: boolean },
    ) => Promise<TransferDone>,
  ): Promise<ScratchTransferred> {
    const paths = {
      from: scratchPath(transfer.from),
      to: scratchPath(transfer.to),
      overwrite: transfer.overwrite,
    };
    const { from, to } = paths;
    return this.#change(from, signal, async (held) => {
      const { usage, ...done } = await run(held, paths);
      const target: ScratchChange = { path: to, kind: done.overwritten ? 'changed' : 'created' };
      return {
        value: { from, to, ...done, totals: totals(usage) },
        changes: run === moveWithin ? [{ path: from, kind: 'deleted' }, target] : [target],
      };
    });
  }

  /** Reading works without a lock too where none can be made, for example on a full or read-only disk: files appear whole. */
  #read<T>(path: ScratchPath, signal: AbortSignal, action: (held: HeldScratch) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const place = await this.#resolved(path);
      const lock = await place.lock.acquire(signal).catch((error: unknown) => {
        if (unwritable.has(errorCode(error) ?? '')) return undefined;
        throw scratchError(error, path);
      });
      return withScratch(place, lock, { path, run: action });
    }, signal);
  }

  async #change<T>(
    path: ScratchPath,
    signal: AbortSignal,
    action: (held: HeldScratch) => Promise<Changed<T>>,
  ): Promise<T> {
    const { value, changes } = await this.#queue.run(async () => {
      const place = await this.#resolved(path);
      const lock = await place.lock.acquire(signal).catch((error: unknown) => {
        throw scratchError(error, path);
      });
      return withScratch(place, lock, { path, run: action });
    }, signal);
    if (changes.length > 0) this.#changes.fire(changes);
    return value;
  }

  async #resolved(path: ScratchPath): Promise<ScratchPlace> {
    const {
      root,
      clock,
      lockOwner: owner,
      log = () => {},
      folderAccess: access = nativeFolderAccess,
    } = this.#options;
    this.#place ??= scratchPlace({ root, clock, owner, log, access });
    try {
      return await this.#place;
    } catch (error) {
      this.#place = undefined;
      throw scratchError(error, path);
    }
  }
}

const unwritable: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']);

interface Changed<T> {
  readonly value: T;
  readonly changes: readonly ScratchChange[];
}

function written(
  path: ScratchPath,
  file: { readonly bytes: number; readonly created: boolean; readonly usage: ScratchUsage },
): Changed<ScratchWritten> {
  const { bytes, created, usage } = file;
  return {
    value: { path, bytes, created, totals: totals(usage) },
    changes: [{ path, kind: created ? 'created' : 'changed' }],
  };
}

async function removeTree(held: HeldScratch, path: ScratchPath): Promise<ScratchUsage> {
  const { bytes, files } = await measure(await held.folder(path));
  return held.commit({ bytes: -bytes, files: -files }, async () => {
    const { folder, name } = await held.parent(path);
    await removeFolder(folder, name);
  });
}

function totals(usage: ScratchUsage): ScratchTotals {
  return { ...usage, byteQuota: scratchLimits.totalBytes, fileQuota: scratchLimits.files };
}
