import { randomBytes } from 'node:crypto';
import { hasCode, ignoring } from '../../../domain/fault.ts';
import { bytesOfText } from '../../../domain/files/nameText.ts';
import { joinPath, remoteName, type RemotePath } from '../../../domain/files/remotePath.ts';
import { isPartName, partName } from '../../../domain/transfer/partName.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { inTurns } from '../../sync/inTurns.ts';
import type { FileContext } from '../engine/fileContext.ts';
import type { RemotePlace } from '../engine/transfer.ts';

const removedTogether = 64;
/** How long it takes at most to remove one, and how long to wait for a command that still fills it. */
const removeMs = 10_000;
const againMs = 100;

export interface UnpackedFolderOptions {
  /** In which it lies. */
  readonly folder: RemotePlace;
  readonly files: RemoteFiles;
  /** Names the transfer in its journal. */
  readonly key: string;
}

/**
 * The folder on a host in which archives of one transfer are unpacked. Its name is noted before it can exist, so that the next transfer of
 * the same folder removes what a lost connection left. Nothing else makes or removes entries in it. Source: ssh.md 8.7, 4 and 6.
 */
export class UnpackedFolder {
  readonly path: RemotePath;
  readonly #context: Pick<FileContext, 'journals' | 'clock'>;
  readonly #options: UnpackedFolderOptions;

  /** Notes a new name; makes nothing on the host. */
  static async start(
    context: Pick<FileContext, 'journals' | 'clock'>,
    options: UnpackedFolderOptions,
  ): Promise<UnpackedFolder> {
    const part = partName('transfer', randomBytes(6).toString('hex'));
    const source = { size: 0, modified: 0 };
    await context.journals.save(options.key, { version: 1, source, part, blocks: [] }).catch(() => {}); // then it may stay there
    return new UnpackedFolder(context, options, part);
  }

  /** The one that an earlier transfer has noted; undefined when there is none. */
  static async left(
    context: Pick<FileContext, 'journals' | 'clock'>,
    options: UnpackedFolderOptions,
  ): Promise<UnpackedFolder | undefined> {
    const part = (await context.journals.load(options.key))?.part;
    return part !== undefined && isPartName(part) ? new UnpackedFolder(context, options, part) : undefined;
  }

  private constructor(
    context: Pick<FileContext, 'journals' | 'clock'>,
    options: UnpackedFolderOptions,
    part: string,
  ) {
    this.#context = context;
    this.#options = options;
    this.path = joinPath(options.folder.path, remoteName(bytesOfText(part)));
  }

  /** With everything in it, and the note of it when it is gone. Never rejects; also works for a transfer that was stopped. */
  async remove(): Promise<void> {
    const { journals, clock } = this.#context;
    const bound = new AbortController();
    const timer = clock.after(removeMs, () => bound.abort(new Error('it took too long')));
    try {
      while (!(await this.#isRemoved(bound.signal))) await clock.sleep(againMs, bound.signal);
      await journals.remove(this.#options.key);
    } catch {
      // The connection is going, or the host does not let us: the note of it stays.
    } finally {
      timer.dispose();
    }
  }

  /** False when something came into it meanwhile. */
  async #isRemoved(signal: AbortSignal): Promise<boolean> {
    const { files } = this.#options;
    try {
      const paths: RemotePath[] = [];
      for await (const { entries } of files.list(this.path, signal))
        for (const { name } of entries) paths.push(joinPath(this.path, name));
      await inTurns(paths, removedTogether, (path) =>
        files.remove(path, signal).catch(ignoring('not-found')),
      );
      await files.rmdir(this.path, signal);
      return true;
    } catch (error) {
      if (hasCode(error, 'not-found')) return true;
      if (hasCode(error, 'not-empty')) return false;
      throw error;
    }
  }
}
