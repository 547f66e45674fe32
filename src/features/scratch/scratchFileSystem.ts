import * as vscode from 'vscode';
import {
  DisposableBag,
  neverAborted,
  type AgentErrorCode,
  type Disposable,
  type ScratchChange,
  type ScratchWorkspace,
} from '../../agentkit/index.ts';
import { Scheme } from '../../ids.ts';
import { scratchPathOf, scratchUriPath } from './scratchUri.ts';

export interface ScratchFileSystemOptions {
  readonly scratch: () => Promise<ScratchWorkspace>;
  readonly describeError: (error: unknown) => string;
  /** Where the files lie, to see what other windows change. */
  readonly root: vscode.Uri;
}

/**
 * `termind-scratch:/<relative path>`: the scratch root that all conversations share, under the checks and quotas of the tools. Files
 * open whole; a save that meets a quota says the numbers. Source: vscode.md 7.
 */
export class ScratchFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #options: ScratchFileSystemOptions;
  readonly #bag = new DisposableBag();
  readonly #changed = this.#bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.#changed.event;
  #scratch: Promise<ScratchWorkspace> | undefined;
  #watchers = 0;
  #otherWindows: vscode.Disposable | undefined;

  constructor(options: ScratchFileSystemOptions) {
    this.#options = options;
    this.#bag.add({ dispose: () => void this.#otherWindows?.dispose() });
  }

  /** What this window changes is told as it happens; what other windows change is seen while somebody watches. */
  watch(): vscode.Disposable {
    this.#watchers += 1;
    this.#otherWindows ??= this.#watchOtherWindows();
    return new vscode.Disposable(() => {
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      this.#otherWindows?.dispose();
      this.#otherWindows = undefined;
    });
  }

  stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.#run(uri, async (scratch, signal) => {
      const entry = await scratch.stat(scratchPathOf(uri), signal);
      const type = entry.kind === 'directory' ? vscode.FileType.Directory : vscode.FileType.File;
      return { type, ctime: entry.modifiedAt, mtime: entry.modifiedAt, size: entry.bytes };
    });
  }

  readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.#run(uri, async (scratch, signal) => {
      const { entries } = await scratch.list(scratchPathOf(uri), { recursive: false }, signal);
      return entries.map(({ path, kind }): [string, vscode.FileType] => [
        path.slice(path.lastIndexOf('/') + 1),
        kind === 'directory' ? vscode.FileType.Directory : vscode.FileType.File,
      ]);
    });
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#run(uri, (scratch, signal) => scratch.read(scratchPathOf(uri), signal));
  }

  writeFile(
    uri: vscode.Uri,
    bytes: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    return this.#run(uri, async (scratch, signal) => {
      const path = scratchPathOf(uri);
      if (!options.create) await scratch.stat(path, signal);
      await scratch.write(path, { bytes, createOnly: options.create && !options.overwrite }, signal);
    });
  }

  createDirectory(uri: vscode.Uri): Promise<void> {
    return this.#run(uri, (scratch, signal) => scratch.makeDirectory(scratchPathOf(uri), signal));
  }

  delete(uri: vscode.Uri, options: { readonly recursive: boolean }): Promise<void> {
    return this.#run(uri, async (scratch, signal) => {
      await scratch.delete(scratchPathOf(uri), options, signal);
    });
  }

  rename(from: vscode.Uri, to: vscode.Uri, options: { readonly overwrite: boolean }): Promise<void> {
    return this.#run(from, async (scratch, signal) => {
      await scratch.move({ from: scratchPathOf(from), to: scratchPathOf(to), ...options }, signal);
    });
  }

  copy(from: vscode.Uri, to: vscode.Uri, options: { readonly overwrite: boolean }): Promise<void> {
    return this.#run(from, async (scratch, signal) => {
      await scratch.copy({ from: scratchPathOf(from), to: scratchPathOf(to), ...options }, signal);
    });
  }

  dispose(): void {
    this.#bag.dispose();
  }

  async #run<T>(
    uri: vscode.Uri,
    action: (scratch: ScratchWorkspace, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      this.#scratch ??= this.#open();
      return await action(await this.#scratch, neverAborted);
    } catch (error) {
      throw toFileSystemError(error, uri, this.#options.describeError);
    }
  }

  async #open(): Promise<ScratchWorkspace> {
    const scratch = await this.#options.scratch();
    this.#bag.add(scratch.onDidChange((changes) => this.#changed.fire(changes.map(toEvent))));
    return scratch;
  }

  #watchOtherWindows(): vscode.Disposable {
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(this.#options.root, '**'),
    );
    const tell = (type: vscode.FileChangeType) => (file: vscode.Uri) => {
      const path = file.path.slice(this.#options.root.path.length + 1);
      this.#changed.fire([{ type, uri: uriOf(path) }]);
    };
    const listeners = [
      watcher.onDidCreate(tell(vscode.FileChangeType.Created)),
      watcher.onDidChange(tell(vscode.FileChangeType.Changed)),
      watcher.onDidDelete(tell(vscode.FileChangeType.Deleted)),
    ];
    return vscode.Disposable.from(watcher, ...listeners);
  }
}

/** The document of a scratch file. */
export function uriOf(path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: Scheme.scratch, path: scratchUriPath(path) });
}

function toEvent({ path, kind }: ScratchChange): vscode.FileChangeEvent {
  const types = {
    created: vscode.FileChangeType.Created,
    changed: vscode.FileChangeType.Changed,
    deleted: vscode.FileChangeType.Deleted,
  } as const;
  return { type: types[kind], uri: uriOf(path) };
}

/** The editor knows six codes; the sentence carries the rest, numbers included. */
function toFileSystemError(
  error: unknown,
  uri: vscode.Uri,
  describe: (error: unknown) => string,
): vscode.FileSystemError {
  const code: AgentErrorCode | undefined =
    error instanceof Error && error.name === 'AgentError' && 'code' in error
      ? (error.code as AgentErrorCode)
      : undefined;
  switch (code) {
    case 'scratchNotFound':
      return vscode.FileSystemError.FileNotFound(uri);
    case 'scratchExists':
      return vscode.FileSystemError.FileExists(uri);
    case 'scratchIsDirectory':
      return vscode.FileSystemError.FileIsADirectory(uri);
    case 'scratchNotDirectory':
      return vscode.FileSystemError.FileNotADirectory(uri);
    case 'scratchBusy':
    case 'scratchIo':
      return vscode.FileSystemError.Unavailable(describe(error));
    default:
      return vscode.FileSystemError.NoPermissions(describe(error));
  }
}
