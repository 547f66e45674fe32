import { fileError } from '../../domain/files/fileFault.ts';
import { bytesOfText, piecesOf } from '../../domain/files/nameText.ts';
import { showLocalPath } from '../../domain/transfer/showPlace.ts';
import type { SyncPath } from '../../domain/sync/syncEntry.ts';
import type { LocalTrashPort } from '../ports/localTrash.ts';
import type { End } from '../transfer/engine/end.ts';
import type { LocalPlace } from '../transfer/engine/transfer.ts';
import { placeAt } from './plannedEntry.ts';
import type { Remover } from './remover.ts';

/** By the trash of this machine, never for good. */
export class LocalRemover implements Remover {
  readonly trash = undefined;
  readonly #end: End;
  readonly #root: LocalPlace;
  readonly #machine: LocalTrashPort;

  constructor({ end, root }: { readonly end: End; readonly root: LocalPlace }, machine: LocalTrashPort) {
    this.#end = end;
    this.#root = root;
    this.#machine = machine;
  }

  async file(path: SyncPath): Promise<void> {
    await this.#machine.take(this.#textOf(path));
  }

  async directory(path: SyncPath, signal: AbortSignal): Promise<void> {
    const text = this.#textOf(path);
    for await (const { entries } of this.#end.list(placeAt(this.#root, path), signal))
      if (entries.length > 0) throw fileError('conflict', { path: text }, { outcome: 'not-sent' });
    await this.#machine.take(text);
  }

  #textOf(path: SyncPath): string {
    const { folder } = this.#root;
    const text = showLocalPath(folder, [...this.#root.path, ...path]);
    if (!path.every(isText)) throw fileError('bad-name', { path: text }, { outcome: 'not-sent' });
    const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
    return [folder, ...this.#root.path, ...path].join(folder.endsWith(separator) ? '' : separator);
  }
}

function isText(name: string): boolean {
  return piecesOf(bytesOfText(name)).every((piece) => typeof piece === 'string');
}
