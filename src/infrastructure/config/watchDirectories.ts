import { watch, type FSWatcher } from 'node:fs';
import type { ClockPort, Disposable } from '../../agentkit/index.ts';

/** Editors write in several steps; one change is told once. Source: ssh.md 4.1. */
const debounceMs = 200;

/**
 * Tells when something in a set of directories changes. Directories and not files are watched, because editors replace files.
 * One that cannot be watched is left out: readers compare time stamps anyway. The owner disposes it.
 */
export class DirectoryWatch implements Disposable {
  readonly #clock: ClockPort;
  readonly #onChange: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #pending: Disposable | undefined;

  constructor(clock: ClockPort, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** From now on exactly these are watched. */
  set(directories: readonly string[]): void {
    const wanted = new Set(directories);
    for (const [directory, watcher] of this.#watchers)
      if (!wanted.has(directory)) this.#stop(directory, watcher);
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#start(directory);
  }

  dispose(): void {
    this.set([]);
    this.#pending?.dispose();
    this.#pending = undefined;
  }

  #start(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#note());
      watcher.on('error', () => this.#stop(directory, watcher));
      this.#watchers.set(directory, watcher);
    } catch {
      // it does not exist yet, or the system has no watchers left
    }
  }

  #stop(directory: string, watcher: FSWatcher): void {
    if (this.#watchers.get(directory) === watcher) this.#watchers.delete(directory);
    watcher.close();
  }

  #note(): void {
    this.#pending?.dispose();
    this.#pending = this.#clock.after(debounceMs, () => {
      this.#pending = undefined;
      this.#onChange();
    });
  }
}
