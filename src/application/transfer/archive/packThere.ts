import { isAborted } from '../../../agentkit/index.ts';
import { kindOf } from '../../../domain/files/fileAttributes.ts';
import { textOfBytes } from '../../../domain/files/nameText.ts';
import { joinPath, remoteName, type RemotePath } from '../../../domain/files/remotePath.ts';
import { tarEnd, tarEntry } from '../../../domain/transfer/writeTar.ts';
import { commandWord } from '../../files/save/commandWord.ts';
import type { HostProgram } from '../../ports/hostCommands.ts';
import type { DirectoryEntry } from '../../ports/remoteFiles.ts';
import { inTurns } from '../../sync/inTurns.ts';
import { isSameFile } from '../engine/existingTarget.ts';
import { keptMode, usualMode, type FileContext } from '../engine/fileContext.ts';
import type { PoolRequest } from '../engine/filePool.ts';
import { showPlace } from '../engine/place.ts';
import type { RemoteEnd } from '../engine/remoteEnd.ts';
import type { TransferWarning } from '../engine/transfer.ts';
import type { ArchivableFile } from './archivableFile.ts';
import type { ArchiveOrder, Moved } from './moved.ts';
import type { UnpackedFolder } from './unpackedFolder.ts';

/**
 * `$1`: the folder, which was made by way of the files, so that it is none where commands see other folders than these. When the archive
 * breaks off, nothing stays of it. What is whole is on the disk when the script ends; `sync` takes no file system where it is older.
 */
const script =
  'unset TAR_OPTIONS; command -v tar >/dev/null 2>&1 || exit 127; umask 077; cd "$1" || exit 1; ' +
  'if tar -x -p -o -f -; then sync -f . 2>/dev/null || sync; else cd /; rm -rf "$1"; exit 1; fi';
const ownerOnly = 0o700;
/** Small requests that are on their way together. */
const mostAsked = 256;
const filesAhead = 16;

/** A file as it is in the archive, under the number that is its name there. */
interface SentFile {
  readonly file: ArchivableFile;
  readonly to: RemotePath;
  readonly name: string;
  readonly mode: number;
  readonly modified: number;
}

export interface PackRequest {
  readonly target: RemoteEnd;
  /** Where the archive is unpacked. Whoever made it removes it. */
  readonly unpacked: UnpackedFolder;
}

/**
 * Small files to a host as one archive, which is unpacked in a folder of its own on the way. A file leaves that folder for its place when the
 * whole archive has arrived, is on the disk and the file has its size; nothing that has a place is replaced. A file that changes while it is
 * read is not in it. Rejects when the signal aborts, and when the connection ends while files are put into their places.
 * Source: ssh.md 8.7, 6.
 */
export async function packThere(
  context: FileContext,
  { target, unpacked, ...order }: ArchiveOrder & PackRequest,
  signal: AbortSignal,
): Promise<Moved> {
  return new Packing(context, { target, unpacked, ...order }, signal).run();
}

class Packing {
  readonly #context: FileContext;
  readonly #order: ArchiveOrder & PackRequest;
  readonly #signal: AbortSignal;
  readonly #left: PoolRequest[] = [];

  constructor(context: FileContext, order: ArchiveOrder & PackRequest, signal: AbortSignal) {
    this.#context = context;
    this.#order = order;
    this.#signal = signal;
  }

  async run(): Promise<Moved> {
    const sent: SentFile[] = [];
    const isThere = await this.#send(sent).catch(() => false);
    this.#signal.throwIfAborted();
    if (isThere) await this.#putAll(sent);
    else for (const { file } of sent) this.#leave(file);
    return { left: this.#left, isUsable: isThere };
  }

  /** Fills `sent`. False when the host has not unpacked all of it. Rejects when it reads no more. */
  async #send(sent: SentFile[]): Promise<boolean> {
    const { archives, target, unpacked, files } = this.#order;
    const word = commandWord(unpacked.path);
    const unsent = new Set(files);
    let program: HostProgram | undefined;
    try {
      if (word === undefined) return false;
      await target.files.mkdir(unpacked.path, ownerOnly, this.#signal);
      program = await archives.start({ script, arguments: [word] }, this.#signal);
      void hear(program);
      for (let from = 0; from < files.length; from += filesAhead) {
        const ahead = files.slice(from, from + filesAhead);
        const contents = await Promise.all(ahead.map((file) => this.#read(file)));
        for (const [index, file] of ahead.entries()) {
          unsent.delete(file);
          await this.#sendOne(program, { file, content: contents[index] }, sent);
        }
      }
      await program.write(tarEnd);
      program.end();
      const exit = await program.exit;
      return exit.kind === 'code' && exit.code === 0;
    } finally {
      program?.close();
      for (const { request } of unsent) this.#left.push(request);
    }
  }

  async #sendOne(
    program: HostProgram,
    { file, content }: { readonly file: ArchivableFile; readonly content: Uint8Array | undefined },
    sent: SentFile[],
  ): Promise<void> {
    const { to } = file.request;
    if (content === undefined || to.k !== 'remote') {
      this.#left.push(file.request);
      return;
    }
    const name = String(sent.length);
    const mode = (file.source.mode ?? usualMode.file) & keptMode;
    const modified = Math.floor(file.modified);
    sent.push({ file, to: to.path, name, mode, modified });
    this.#context.meter.moved(file.size);
    await program.write(tarEntry({ name, mode, modified, content }));
  }

  /** Undefined for a file that is not the one that was listed, before it is read or after, and for one that cannot be read. */
  async #read({ request, source: listed, size }: ArchivableFile): Promise<Uint8Array | undefined> {
    try {
      const open = await this.#context.source.openSource(request.from, this.#signal);
      try {
        const content = await open.read(0, size + 1, this.#signal);
        const now = await open.facts(this.#signal);
        return content.length === size && isSameFile(listed, now) && listed.modified === now.modified
          ? content
          : undefined;
      } finally {
        await open.close();
      }
    } catch (error) {
      if (isAborted(this.#signal)) throw error;
      return undefined;
    }
  }

  async #putAll(sent: readonly SentFile[]): Promise<void> {
    const listed = await this.#list();
    await inTurns(sent, mostAsked, (one) => this.#put(one, listed.get(one.name)));
  }

  /** What was unpacked; nothing when that cannot be told. */
  async #list(): Promise<ReadonlyMap<string, DirectoryEntry>> {
    const { target, unpacked } = this.#order;
    const listed = new Map<string, DirectoryEntry>();
    try {
      for await (const { entries } of target.files.list(unpacked.path, this.#signal))
        for (const entry of entries) listed.set(textOfBytes(entry.name), entry);
      return listed;
    } catch (error) {
      if (isAborted(this.#signal) || target.isEnded) throw error;
      return new Map();
    }
  }

  async #put(one: SentFile, there: DirectoryEntry | undefined): Promise<void> {
    const { target, unpacked, onResult } = this.#order;
    const { from, to } = one.file.request;
    if (there === undefined || kindOf(there.attributes) !== 'file' || there.attributes.size !== one.file.size)
      return this.#leave(one.file);
    try {
      const path = joinPath(unpacked.path, remoteName(Buffer.from(one.name)));
      const warnings = await this.#dressed(one, path, there);
      await target.files.rename({ from: path, to: one.to, replace: false }, this.#signal);
      this.#context.meter.fileDone();
      onResult({ from, to, outcome: { ...done, to, bytes: one.file.size, warnings } });
    } catch (error) {
      if (isAborted(this.#signal) || target.isEnded) throw error;
      this.#leave(one.file);
    }
  }

  /** What the archive has not given to it. */
  async #dressed(
    { file, mode, modified }: SentFile,
    path: RemotePath,
    { attributes }: DirectoryEntry,
  ): Promise<readonly TransferWarning[]> {
    const { target } = this.#order;
    const isDressed =
      attributes.mode !== undefined &&
      (attributes.mode & keptMode) === mode &&
      attributes.times?.modified === modified;
    if (isDressed) return [];
    try {
      await target.files.setstat(path, { mode, times: { accessed: modified, modified } }, this.#signal);
      return [];
    } catch (error) {
      if (isAborted(this.#signal) || target.isEnded) throw error;
      return [{ code: 'attributes-not-kept', path: showPlace(file.request.to) }];
    }
  }

  /** It is moved in another way, all of it. */
  #leave({ request, size }: ArchivableFile): void {
    this.#left.push(request);
    this.#context.meter.had(-size);
  }
}

/** To its end, so that it is known when the command reads no more. */
async function hear(program: HostProgram): Promise<void> {
  try {
    for await (const _text of program.output);
  } catch {
    // Its channel is closed.
  }
}

const done = {
  k: 'done',
  resumedBytes: 0,
  sha256: undefined,
  changedDuringTransfer: false,
} as const;
