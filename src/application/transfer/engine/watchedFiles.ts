import { showPlace } from './place.ts';
import type { FileMeter } from './progressMeter.ts';
import type { FileResult, FolderFiles, FolderFileState, ListedFile, Place, RunningFile } from './transfer.ts';

const states = ['waiting', 'running', 'done', 'skipped', 'failed'] as const satisfies FolderFileState[];

/**
 * Keeps how far each file of a folder is: one byte for each, and more only for those that are under way. Places are known by identity, as
 * requests and results carry them.
 */
export class WatchedFiles implements FolderFiles {
  readonly #root: Place;
  readonly #files: readonly Place[];
  readonly #numbers: ReadonlyMap<Place, number>;
  readonly #states: Uint8Array;
  readonly #running = new Map<number, { doneBytes: number; readonly totalBytes: number | undefined }>();
  readonly #counts: Record<FolderFileState, number>;

  /** `files`: sources below `root`. */
  constructor(root: Place, files: readonly Place[]) {
    this.#root = root;
    this.#files = files;
    this.#numbers = new Map(files.map((file, number) => [file, number]));
    this.#states = new Uint8Array(files.length);
    this.#counts = { waiting: files.length, running: 0, done: 0, skipped: 0, failed: 0 };
  }

  get counts(): Readonly<Record<FolderFileState, number>> {
    return { ...this.#counts };
  }

  get running(): readonly RunningFile[] {
    return [...this.#running].map(([number, bytes]) => ({ ...this.#listed(number), ...bytes }));
  }

  list(state: FolderFileState, most: number): readonly ListedFile[] {
    const wanted = states.indexOf(state);
    const found: ListedFile[] = [];
    for (let at = this.#states.indexOf(wanted); at !== -1 && found.length < most;) {
      found.push(this.#listed(at));
      at = this.#states.indexOf(wanted, at + 1);
    }
    return found;
  }

  /** It is under way: what `meter` hears of it is kept, and goes on to it. Nothing is kept of one that is no file of the folder. */
  started(from: Place, totalBytes: number | undefined, meter: FileMeter): FileMeter {
    const number = this.#numbers.get(from);
    if (number === undefined) return meter;
    this.#set(number, 'running');
    const bytes = { doneBytes: 0, totalBytes };
    this.#running.set(number, bytes);
    return {
      sized: (size, files) => meter.sized(size, files),
      moved: (count) => {
        bytes.doneBytes += count;
        meter.moved(count);
      },
      had: (count) => {
        bytes.doneBytes += count;
        meter.had(count);
      },
    };
  }

  ended(result: FileResult): void {
    const number = this.#numbers.get(result.from);
    if (number === undefined) return;
    if ('fault' in result) this.#set(number, 'failed');
    else this.#set(number, result.outcome.k);
    this.#running.delete(number);
  }

  #set(number: number, state: FolderFileState): void {
    const before = states[this.#states[number] ?? 0];
    if (before !== undefined) this.#counts[before] -= 1;
    this.#counts[state] += 1;
    this.#states[number] = states.indexOf(state);
  }

  #listed(number: number): ListedFile {
    const file = this.#files[number];
    const root = showPlace(this.#root);
    const path =
      file === undefined
        ? ''
        : showPlace(file)
            .slice(root.length)
            .replace(/^[/\\]/, '');
    return { number, path };
  }
}
