import { z } from 'zod';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { pathOfText, textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { FilesMemories } from './filesPorts.ts';

const memoryKey = 'termind.files.bookmarks';
const stored = z.record(z.string(), z.array(z.string()));

/** Folders that a person wants at hand, by host, in the order they were added. Paths are spelt by `textOfPath`. */
export class Bookmarks {
  readonly #memory: FilesMemories['everywhere'];

  constructor(memory: FilesMemories['everywhere']) {
    this.#memory = memory;
  }

  of(host: HostId): readonly RemotePath[] {
    return (this.#all()[host] ?? []).flatMap((text) => {
      try {
        return [pathOfText(text)];
      } catch (error) {
        if (isTermindError(error)) return [];
        throw error;
      }
    });
  }

  async add(at: DocumentAt): Promise<void> {
    const isKnown = this.of(at.host).some((path) => documentKey({ ...at, path }) === documentKey(at));
    if (!isKnown) await this.#put(at.host, [...this.of(at.host), at.path]);
  }

  async remove(at: DocumentAt): Promise<void> {
    await this.#put(
      at.host,
      this.of(at.host).filter((path) => documentKey({ ...at, path }) !== documentKey(at)),
    );
  }

  #all(): Readonly<Record<string, readonly string[]>> {
    const { success, data } = stored.safeParse(this.#memory.get(memoryKey));
    return success ? data : {};
  }

  async #put(host: HostId, paths: readonly RemotePath[]): Promise<void> {
    await this.#memory.update(memoryKey, { ...this.#all(), [host]: paths.map(textOfPath) });
  }
}
