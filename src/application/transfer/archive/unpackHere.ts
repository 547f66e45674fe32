import { isAborted } from '../../../agentkit/index.ts';
import { TarReader, type TarRead } from '../../../domain/transfer/tarReader.ts';
import { commandWord } from '../../files/save/commandWord.ts';
import type { HostProgram } from '../../ports/hostCommands.ts';
import type { EntryFacts, OpenSource } from '../engine/end.ts';
import { isSameFile } from '../engine/existingTarget.ts';
import type { FileContext } from '../engine/fileContext.ts';
import { transferFiles, type PoolRequest } from '../engine/filePool.ts';
import { mostArchivedBytes, type ArchivableFile } from './archivableFile.ts';
import type { ArchiveOrder, Moved } from './moved.ts';
import { Places } from './places.ts';

/**
 * `$1`: the folder. Names come as lines, which GNU, BSD and BusyBox read alike. The `tar` of macOS adds entries of its own for attributes of
 * files unless it is told not to. Source: macOS `tar(1)`, "ENVIRONMENT"; `copyfile(3)`.
 */
const script =
  'unset TAR_OPTIONS; COPYFILE_DISABLE=1; export COPYFILE_DISABLE; ' +
  'command -v tar >/dev/null 2>&1 && cd "$1" && exec tar -c -f - -T -';
/** Files that are held; each waits for one answer of the host. Together at most 16 MiB. */
const mostHeld = 256;
/** Bytes behind the end of an archive: programs fill up what they write at once, which is 10 KiB as a rule. */
const mostBehind = 1024 * 1024;
const lineEnd = Buffer.from('\n');

/**
 * Small files of a host as one archive. What arrives is taken only when it is a plain file that was asked for, once, and of the size that was
 * listed; then the host is asked whether the file is still the one that was listed, because an archive is filled up when a file shrinks.
 * Each goes into its place like any other file. An archive with anything else in it, or with a file that has grown beyond what an archive
 * may hold, is not read further. Rejects when the signal aborts or
 * an end is over, after everything under way has settled. Source: ssh.md 8.7, 6.
 */
export async function unpackHere(
  context: FileContext,
  order: ArchiveOrder,
  signal: AbortSignal,
): Promise<Moved> {
  return new Unpacking(context, order, signal).run();
}

class Unpacking {
  readonly #context: FileContext;
  readonly #order: ArchiveOrder;
  readonly #signal: AbortSignal;
  readonly #wanted: Map<string, ArchivableFile>;
  readonly #left: PoolRequest[] = [];
  readonly #landing: Promise<void>[] = [];
  readonly #held = new Places(mostHeld);
  readonly #open: Places;

  constructor(context: FileContext, order: ArchiveOrder, signal: AbortSignal) {
    this.#context = context;
    this.#order = order;
    this.#signal = signal;
    this.#open = new Places(Math.max(1, context.target.maxOpen));
    this.#wanted = new Map(order.files.map((file) => [keyOf(file.line), file]));
  }

  async run(): Promise<Moved> {
    const isUsable = await this.#receive().catch(() => false);
    const landed = await Promise.allSettled(this.#landing);
    this.#signal.throwIfAborted();
    for (const one of landed) if (one.status === 'rejected') throw one.reason;
    this.#left.push(...[...this.#wanted.values()].map(({ request }) => request));
    return { left: this.#left, isUsable };
  }

  /** False when nothing has come. Rejects when the archive broke off or is none. */
  async #receive(): Promise<boolean> {
    const { folder, archives, files } = this.#order;
    const word = commandWord(folder.path);
    if (word === undefined) return false;
    const program = await archives.start({ script, arguments: [word] }, this.#signal);
    try {
      void feed(program, Buffer.concat(files.flatMap(({ line }) => [line, lineEnd])));
      const reader = new TarReader(mostArchivedBytes);
      let behind = 0;
      for await (const bytes of program.output) {
        for (const entry of reader.push(bytes)) await this.#take(entry);
        behind += reader.isOver ? bytes.length : 0;
        if (behind > mostBehind) break;
      }
      return this.#wanted.size < files.length;
    } finally {
      program.close();
    }
  }

  async #take({ name, kind, size, content }: TarRead): Promise<void> {
    const key = keyOf(name);
    const file = this.#wanted.get(key);
    if (file === undefined) throw new RangeError('an entry that was not asked for');
    if (size > mostArchivedBytes) throw new RangeError('a file that has become too large');
    this.#wanted.delete(key);
    if (kind !== 'file' || size !== file.size || content === undefined) {
      this.#left.push(file.request);
      return;
    }
    const leave = await this.#held.enter();
    const landing = this.#land(file, content).finally(leave);
    landing.catch(() => {}); // told when all have settled
    this.#landing.push(landing);
  }

  async #land(file: ArchivableFile, content: Uint8Array): Promise<void> {
    const { request } = file;
    const now = await this.#lookAt(file);
    if (now === undefined) {
      this.#left.push(request);
      return;
    }
    const leave = await this.#open.enter();
    try {
      const { onResult } = this.#order;
      const held = { ...request, held: new HeldSource(content, now) };
      await transferFiles(this.#context, { requests: [held], onResult }, this.#signal);
    } finally {
      leave();
    }
  }

  /** Undefined when it is not the one that was listed, or nobody can say. */
  async #lookAt({ request, source: listed }: ArchivableFile): Promise<EntryFacts | undefined> {
    const { source } = this.#context;
    try {
      const now = await source.look(request.from, this.#signal);
      return now?.kind === 'file' && isSameFile(listed, now) ? now : undefined;
    } catch (error) {
      if (isAborted(this.#signal) || source.isEnded) throw error;
      return undefined;
    }
  }
}

/** A file whose bytes are here. */
class HeldSource implements OpenSource {
  readonly isEnded = false;
  readonly #content: Uint8Array;
  readonly #facts: EntryFacts;

  constructor(content: Uint8Array, facts: EntryFacts) {
    this.#content = content;
    this.#facts = facts;
  }
  async read(offset: number, length: number): Promise<Uint8Array> {
    return this.#content.slice(offset, offset + length);
  }
  async facts(): Promise<EntryFacts> {
    return this.#facts;
  }
  async more(): Promise<undefined> {
    return undefined;
  }
  async close(): Promise<void> {}
}

/** A command that reads no more tells by what it prints. */
async function feed(program: HostProgram, lines: Uint8Array): Promise<void> {
  try {
    await program.write(lines);
    program.end();
  } catch {
    // Its channel is closed.
  }
}

/** Some programs leave out the `./` in front. */
function keyOf(name: Uint8Array): string {
  const text = Buffer.from(name).toString('latin1');
  return text.startsWith('./') ? text.slice(2) : text;
}
