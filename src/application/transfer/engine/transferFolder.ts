import { fileError, fileFaultOf } from '../../../domain/files/fileFault.ts';
import type { Fault } from '../../../domain/fault.ts';
import type { EntryFacts } from './end.ts';
import type { FolderFile } from '../archive/archivableFile.ts';
import { transferFolderFiles } from '../archive/transferFolderFiles.ts';
import { isAtOrWithin } from './nestedPlaces.ts';
import { childOf, showPlace } from './place.ts';
import { scanFolder, type ScannedEntry } from './scanFolder.ts';
import { WatchedFiles } from './watchedFiles.ts';
import { keptMode, usualMode, type FileContext } from './fileContext.ts';
import type { FileResult, FolderOutcome, FolderRequest, Place, TransferWarning } from './transfer.ts';

/** Directories that are made or dressed together. */
const directoriesAhead = 16;
const mostTold = 1_000;

/** A directory of the target that can be filled. */
interface ReadyDirectory {
  readonly place: Place;
  /** What is in it, by name; undefined: it was made by us, so nothing. */
  readonly entries: ReadonlyMap<string, EntryFacts> | undefined;
}

/** A folder over two ends that are open. Rejects as `TransferEngine.folder`, and with `nested-folders` for a copy into the folder itself. */
export async function transferFolder(
  context: FileContext,
  request: FolderRequest,
  signal: AbortSignal,
): Promise<FolderOutcome> {
  return new FolderTransfer(context, request, signal).run();
}

class FolderTransfer {
  readonly #context: FileContext;
  readonly #request: FolderRequest;
  readonly #signal: AbortSignal;
  readonly #ready = new Map<string, ReadyDirectory>();
  readonly #refused = new Map<string, Fault>();
  readonly #warnings: TransferWarning[] = [];
  readonly #failures: { readonly path: string; readonly fault: Fault }[] = [];
  #watch: WatchedFiles | undefined;
  readonly #count = { doneFiles: 0, skippedFiles: 0, failed: 0, bytes: 0, changedDuringTransfer: 0 };

  constructor(context: FileContext, request: FolderRequest, signal: AbortSignal) {
    this.#context = context;
    this.#request = request;
    this.#signal = signal;
  }

  async run(): Promise<FolderOutcome> {
    const { source, meter } = this.#context;
    checkApart(this.#request);
    const scanned = await scanFolder(source, { root: this.#request.from }, this.#signal);
    for (const warning of scanned.warnings) this.#warn(warning);
    for (const { names, fault } of scanned.failures) this.#failed(names, fault);
    const bytes = scanned.files.reduce((sum, { facts }) => sum + (facts.size ?? 0), 0);
    meter.expect(scanned.files.length);
    meter.sized(bytes, scanned.files.length);
    await this.#makeDirectories(scanned.directories);
    const files = scanned.files.flatMap((file) => this.#fileOf(file));
    const { from } = this.#request;
    const folders = { from, to: this.#ready.get(keyOf([]))?.place ?? this.#request.to };
    const onResult = (result: FileResult): void => this.#told(result);
    const context = this.#watched(files.map(({ request }) => request.from));
    await transferFolderFiles(context, { ...folders, files, onResult }, this.#signal);
    await this.#dress(scanned.directories);
    return { ...this.#count, failures: this.#failures, warnings: this.#warnings };
  }

  #watched(files: readonly Place[]): FileContext {
    const { from, onFiles } = this.#request;
    if (onFiles === undefined) return this.#context;
    this.#watch = new WatchedFiles(from, files);
    onFiles(this.#watch);
    return { ...this.#context, watch: this.#watch };
  }

  async #makeDirectories(directories: readonly ScannedEntry[]): Promise<void> {
    const [root, ...below] = directories;
    if (root === undefined) return;
    this.#ready.set(keyOf([]), await this.#makeDirectory(root));
    for (let from = 0; from < below.length;) {
      const depth = below[from]?.names.length;
      const level = below.slice(from, from + directoriesAhead).filter(({ names }) => names.length === depth);
      await Promise.all(level.map((directory) => this.#tryDirectory(directory)));
      from += level.length;
    }
  }

  async #tryDirectory(directory: ScannedEntry): Promise<void> {
    const { names } = directory;
    try {
      const above = this.#refused.get(keyOf(names.slice(0, -1)));
      if (above !== undefined) this.#refuse(names, above);
      else this.#ready.set(keyOf(names), await this.#makeDirectory(directory));
    } catch (error) {
      if (this.#signal.aborted || this.#context.target.isEnded) throw error;
      this.#refuse(names, fileFaultOf(error, this.#signal));
    }
  }

  async #makeDirectory({ names, facts }: ScannedEntry): Promise<ReadyDirectory> {
    const { target } = this.#context;
    let place = this.#target(names);
    const above = names.length === 0 ? undefined : this.#ready.get(keyOf(names.slice(0, -1)));
    const isNew = above !== undefined && above.entries === undefined;
    let there = isNew ? undefined : await target.look(place, this.#signal);
    if (there?.kind === 'symlink' && names.length === 0) {
      place = await target.resolve(place, this.#signal); // this one was chosen
      there = await target.look(place, this.#signal);
    }
    if (there === undefined) {
      await target.mkdir(place, (facts.mode ?? usualMode.directory) & keptMode, this.#signal);
      return { place, entries: undefined };
    }
    const path = showPlace(place);
    if (there.kind === 'symlink') throw fileError('outside-folder', { path }, { outcome: 'not-sent' });
    if (there.kind !== 'directory') throw fileError('not-directory', { path }, { outcome: 'not-sent' });
    const entries = new Map<string, EntryFacts>();
    for await (const page of target.list(place, this.#signal))
      for (const entry of page.entries) entries.set(entry.name, entry.facts);
    return { place, entries };
  }

  /** None for a file whose directory failed, which is told here. */
  #fileOf({ names, facts }: ScannedEntry): readonly FolderFile[] {
    const above = keyOf(names.slice(0, -1));
    const directory = this.#ready.get(above);
    const name = names.at(-1);
    const refused = this.#refused.get(above);
    if (directory === undefined || name === undefined) {
      if (refused !== undefined) this.#failed(names, refused);
      return [];
    }
    const { existing, keepsAttributes } = this.#request;
    const request = {
      from: this.#source(names),
      to: childOf(directory.place, name),
      existing,
      ...(keepsAttributes === undefined ? {} : { keepsAttributes }),
      known: { source: facts, target: directory.entries?.get(name) },
    };
    return [{ request, names, isNew: this.#isMade(names.slice(0, -1)) }];
  }

  /** Whether this directory and all between it and the folder were made by us. */
  #isMade(names: readonly string[]): boolean {
    if (names.length === 0) return true;
    const directory = this.#ready.get(keyOf(names));
    return directory?.entries === undefined && directory !== undefined && this.#isMade(names.slice(0, -1));
  }

  /** What we have made gets its permissions and time when it is filled, inner ones first. Source: ssh.md 8.7, 5. */
  async #dress(directories: readonly ScannedEntry[]): Promise<void> {
    if (this.#request.keepsAttributes === false) return;
    const made = directories.filter(({ names }) => {
      const directory = this.#ready.get(keyOf(names));
      return directory !== undefined && directory.entries === undefined;
    });
    const inner = [...made].reverse();
    for (let from = 0; from < inner.length; from += directoriesAhead)
      await Promise.all(inner.slice(from, from + directoriesAhead).map((one) => this.#dressOne(one)));
  }

  async #dressOne({ names, facts }: ScannedEntry): Promise<void> {
    const { target } = this.#context;
    const place = this.#ready.get(keyOf(names))?.place ?? this.#target(names);
    const { modified, accessed, mode } = facts;
    const times = modified === undefined ? undefined : { accessed: accessed ?? modified, modified };
    try {
      await target.dress(place, { mode: (mode ?? usualMode.directory) & keptMode, times }, this.#signal);
    } catch (error) {
      if (this.#signal.aborted || target.isEnded) throw error;
      this.#warn({ code: 'attributes-not-kept', path: showPlace(place) });
    }
  }

  #told(result: FileResult): void {
    if ('fault' in result) {
      this.#count.failed += 1;
      this.#note(showPlace(result.from), result.fault);
    } else {
      const { k, bytes, changedDuringTransfer, warnings } = result.outcome;
      if (k === 'skipped') this.#count.skippedFiles += 1;
      else {
        this.#count.doneFiles += 1;
        this.#count.bytes += bytes;
      }
      if (changedDuringTransfer) this.#count.changedDuringTransfer += 1;
      for (const warning of warnings) this.#warn(warning);
    }
    this.#watch?.ended(result);
    this.#request.onResult?.(result);
  }

  #refuse(names: readonly string[], fault: Fault): void {
    this.#refused.set(keyOf(names), fault);
    this.#failed(names, fault);
  }

  #failed(names: readonly string[], fault: Fault): void {
    this.#told({ from: this.#source(names), to: this.#target(names), fault });
  }

  #note(path: string, fault: Fault): void {
    if (this.#failures.length < mostTold) this.#failures.push({ path, fault });
  }

  #warn(warning: TransferWarning): void {
    if (this.#warnings.length < mostTold) this.#warnings.push(warning);
  }

  #source(names: readonly string[]): Place {
    return names.reduce(childOf, this.#request.from);
  }

  #target(names: readonly string[]): Place {
    return names.reduce(childOf, this.#request.to);
  }
}

function keyOf(names: readonly string[]): string {
  return names.join('/');
}

/** A copy in the folder that it is made from would be copied again with each time that it goes on. */
function checkApart({ from, to }: Pick<FolderRequest, 'from' | 'to'>): void {
  if (!isAtOrWithin(to, from)) return;
  const facts = { path: showPlace(to), folder: showPlace(from) };
  throw fileError('nested-folders', facts, { outcome: 'not-sent' });
}
