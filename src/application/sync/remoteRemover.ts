import type { ClockPort } from '../../agentkit/index.ts';
import { hasCode } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import type { SyncPath } from '../../domain/sync/syncEntry.ts';
import { findTrash, TrashFolder } from '../files/remoteTrash.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import type { RemotePlace } from '../transfer/engine/transfer.ts';
import type { DeletionWay } from './folderSync.ts';
import { placeAt } from './plannedEntry.ts';
import type { Remover } from './remover.ts';

/** Over files that the caller has open. */
export class RemoteRemover implements Remover {
  readonly #files: RemoteFiles;
  readonly #root: RemotePlace;
  readonly #way: DeletionWay;
  readonly #clock: ClockPort;
  #making: Promise<TrashFolder> | undefined;
  #trash: TrashFolder | undefined;

  constructor(
    { files, root }: { readonly files: RemoteFiles; readonly root: RemotePlace },
    way: DeletionWay,
    clock: ClockPort,
  ) {
    this.#files = files;
    this.#root = root;
    this.#way = way;
    this.#clock = clock;
  }

  get trash(): string | undefined {
    return this.#trash === undefined ? undefined : showPath(this.#trash.path);
  }

  async file(path: SyncPath, signal: AbortSignal): Promise<void> {
    const from = this.#at(path);
    if (this.#way === 'permanent') return this.#files.remove(from, signal);
    this.#making ??= this.#makeTrash(signal);
    this.#trash = await this.#making;
    await this.#trash.take(from, path, signal);
  }

  async directory(path: SyncPath, signal: AbortSignal): Promise<void> {
    const at = this.#at(path);
    try {
      await this.#files.rmdir(at, signal);
    } catch (error) {
      throw hasCode(error, 'not-empty')
        ? fileError('conflict', { path: showPath(at) }, { cause: error })
        : error;
    }
  }

  async #makeTrash(signal: AbortSignal): Promise<TrashFolder> {
    const trash = await findTrash(this.#files, this.#root.path, signal);
    if (trash === undefined)
      throw fileError('other-filesystem', { path: showPath(this.#root.path) }, { outcome: 'not-sent' });
    return TrashFolder.make(this.#files, { trash, at: this.#clock.now() }, signal);
  }

  #at(path: SyncPath): RemotePlace['path'] {
    const place = placeAt(this.#root, path);
    if (place.k !== 'remote') throw new RangeError('a place of another end');
    return place.path;
  }
}
