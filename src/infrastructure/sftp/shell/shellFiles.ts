import type { ClockPort } from '../../../agentkit/index.ts';
import type { Channels } from '../../../application/ports/connection.ts';
import type {
  DirectoryPage,
  FilesCapabilities,
  FileSystemSpace,
  OpenMode,
  OptionalOperation,
  RemoteFile,
  RemoteFiles,
} from '../../../application/ports/remoteFiles.ts';
import { isTermindError, type Fault } from '../../../domain/fault.ts';
import type { AttributeChange, FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError, fileFault } from '../../../domain/files/fileFault.ts';
import { octalMode } from '../../../domain/files/permissions.ts';
import {
  parentOf,
  remotePath,
  showPath,
  textOfPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';
import { attributesOfLine, faultOfCommand, pageOfListing } from './shellAnswers.ts';
import { ShellFile } from './shellFile.ts';
import { ShellRunner, type ShellAnswer, type ShellCommand } from './shellRunner.ts';
import { shellScripts } from './shellScripts.ts';
import { withoutAnswer } from '../withoutAnswer.ts';

interface ShellFilesBasics {
  /** As `Lease.lost`. */
  readonly lost: Promise<Fault>;
  /** The user allows writing this way. */
  readonly mayWrite: boolean;
}

/** Commands on channels of their own. */
interface OwnChannels extends ShellFilesBasics {
  readonly channels: Pick<Channels, 'exec'>;
  readonly clock: ClockPort;
}

/** Commands by a shell that takes no input for them. Content reaches them by way of a file, and the server copies by itself. */
interface OneShell extends ShellFilesBasics {
  /** Its words may hold any bytes, spelt as `textOfPath`. */
  readonly runner: Pick<ShellRunner, 'run'>;
  readonly staged: StagedContent;
}

export type ShellFilesOptions = OwnChannels | OneShell;

/** Leaves what a command is to write in a file that it can read, for as long as `work` runs. */
export interface StagedContent {
  hold<T>(bytes: Uint8Array, work: (file: RemotePath) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** What one operation runs. */
export interface ShellOperation {
  readonly name: keyof typeof shellScripts;
  readonly path: RemotePath;
  /** Behind the path. */
  readonly more?: readonly string[];
  readonly input?: Uint8Array;
  /** Anything but reading; refused where writing is not allowed. */
  readonly isChange?: boolean;
}

const maxRead = 1024 * 1024;
/** Each byte costs the host a write of its own. */
const maxWrite = 32 * 1024;
/** By way of a file it costs a file: whatever is saved from an editor goes in one. */
const maxStaged = 64 * 1024 * 1024;

/**
 * Files by plain commands of a POSIX shell, for hosts without SFTP: slow, names in UTF-8 only, no finer steps than the commands have, and
 * read-only until the user allows writing. It holds no channel between its commands, and ends with the connection. Source: ssh.md 8.4;
 * SFTP-2.
 */
export class ShellFiles implements RemoteFiles {
  readonly ended: Promise<Fault>;
  readonly capabilities: FilesCapabilities;
  readonly #runner: Pick<ShellRunner, 'run'>;
  readonly #staged: StagedContent | undefined;
  readonly #over = new AbortController();
  #tellEnded: (fault: Fault) => void = () => {};
  #fault: Fault | undefined;

  constructor(options: ShellFilesOptions) {
    const { lost, mayWrite } = options;
    const isOneShell = 'runner' in options;
    void lost.then((fault) => this.#end(fault));
    this.#runner = isOneShell ? options.runner : new ShellRunner(options.channels, options.clock);
    this.#staged = isOneShell ? options.staged : undefined;
    this.ended = new Promise((resolve) => (this.#tellEnded = resolve));
    this.capabilities = {
      way: 'shell',
      operations: new Set<OptionalOperation>([
        'readlink',
        ...(mayWrite ? (['symlink', 'setstat'] as const) : []),
        ...(mayWrite && isOneShell ? (['copyData'] as const) : []),
      ]),
      maxRead,
      maxWrite: isOneShell ? maxStaged : maxWrite,
      maxOpen: undefined,
      isReadOnly: !mayWrite,
    };
  }

  get isEnded(): boolean {
    return this.#fault !== undefined;
  }

  async open(path: RemotePath, mode: OpenMode, signal: AbortSignal): Promise<RemoteFile> {
    if (mode.access === 'read') await this.run({ name: 'readable', path }, signal);
    else await this.#openForWriting(path, mode, signal);
    return new ShellFile(path, this);
  }

  stat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes> {
    return this.#attributes('stat', path, signal);
  }

  lstat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes> {
    return this.#attributes('lstat', path, signal);
  }

  async setstat(path: RemotePath, change: AttributeChange, signal: AbortSignal): Promise<void> {
    const { size, owner, mode, times } = change;
    const set = (name: ShellOperation['name'], ...more: readonly string[]): Promise<ShellAnswer> =>
      this.run({ name, path, more, isChange: true }, signal);
    if (size !== undefined) await set('size', String(size));
    if (owner !== undefined) await set('chown', `${String(owner.uid)}:${String(owner.gid)}`);
    if (mode !== undefined) await set('chmod', octalMode(mode));
    if (times !== undefined) await set('touch', String(times.accessed), String(times.modified));
  }

  lsetstat(): Promise<void> {
    return lacks('lsetstat');
  }

  async *list(path: RemotePath, signal: AbortSignal): AsyncGenerator<DirectoryPage, void, undefined> {
    const { stdout } = await this.run({ name: 'list', path }, signal);
    try {
      yield pageOfListing(stdout);
    } catch (error) {
      if (error instanceof RangeError) throw fileError('sftp-broken', { reason: error.message });
      throw error;
    }
  }

  realpath(path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    return this.#path('realpath', path, signal);
  }

  readlink(path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    return this.#path('readlink', path, signal);
  }

  async symlink(
    { at, to }: { readonly at: RemotePath; readonly to: RemotePath },
    signal: AbortSignal,
  ): Promise<void> {
    await this.run({ name: 'symlink', path: at, more: [this.#word(to)], isChange: true }, signal);
  }

  hardlink(): Promise<void> {
    return lacks('hardlink');
  }

  /** `mv` replaces in one step on one file system, which is checked. */
  async rename(
    move: { readonly from: RemotePath; readonly to: RemotePath; readonly replace: boolean },
    signal: AbortSignal,
  ): Promise<'posixRename' | 'rename'> {
    const { from, to, replace } = move;
    const more = [to, parentOf(from), parentOf(to)].map((one) => this.#word(one));
    await this.run({ name: replace ? 'replace' : 'rename', path: from, more, isChange: true }, signal);
    return replace ? 'posixRename' : 'rename';
  }

  async mkdir(path: RemotePath, mode: number | undefined, signal: AbortSignal): Promise<void> {
    await this.run({ name: 'mkdir', path, isChange: true }, signal);
    if (mode !== undefined)
      await this.run({ name: 'chmod', path, more: [octalMode(mode)], isChange: true }, signal);
  }

  async rmdir(path: RemotePath, signal: AbortSignal): Promise<void> {
    await this.run({ name: 'rmdir', path, isChange: true }, signal);
  }

  async remove(path: RemotePath, signal: AbortSignal): Promise<void> {
    await this.run({ name: 'remove', path, isChange: true }, signal);
  }

  statvfs(): Promise<FileSystemSpace> {
    return lacks('statvfs');
  }

  expandPath(): Promise<RemotePath> {
    return lacks('expandPath');
  }

  homeDirectory(): Promise<RemotePath> {
    return lacks('homeDirectory');
  }

  namesById(): Promise<never> {
    return lacks('namesById');
  }

  /** Of whole files only. */
  async copyData(
    { from, fromOffset, length, to, toOffset }: Parameters<RemoteFiles['copyData']>[0],
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#staged === undefined || fromOffset !== 0 || length !== 0 || toOffset !== 0)
      return lacks('copyData');
    await this.run({ name: 'copy', path: from.path, more: [this.#word(to.path)], isChange: true }, signal);
  }

  /** At most `maxWrite` bytes into a file that exists. */
  async write(
    path: RemotePath,
    { offset, bytes }: { readonly offset: number; readonly bytes: Uint8Array },
    signal: AbortSignal,
  ): Promise<void> {
    const at = String(offset);
    if (this.#staged === undefined) {
      await this.run({ name: 'write', path, more: [at], input: bytes, isChange: true }, signal);
      return;
    }
    const order = { name: 'writeFrom', path, isChange: true } as const;
    await this.#staged.hold(
      bytes,
      (file) => this.run({ ...order, more: [at, this.#word(file)] }, signal),
      signal,
    );
  }

  close(): void {
    this.#end(fileFault('cancelled'));
  }

  /** What the command printed. Rejects with the reason in its words when it failed. */
  async run(operation: ShellOperation, signal: AbortSignal): Promise<ShellAnswer> {
    const { name, path, more = [], input, isChange = false } = operation;
    if (this.#fault !== undefined) throw faultError({ ...this.#fault, outcome: 'not-sent' });
    if (isChange && this.capabilities.isReadOnly)
      throw fileError('read-only', { path: showPath(path) }, { outcome: 'not-sent' });
    const command = {
      script: shellScripts[name],
      arguments: [this.#word(path), ...more],
      isChange,
      ...(input === undefined ? {} : { input }),
    };
    const answer = await this.#answer(command, signal);
    if (answer.code === 0) return answer;
    throw faultOfCommand(name, path, answer.stderr);
  }

  /** A path as a word of a command line; never an option. Throws `bad-name` for one that no channel of its own carries. */
  #word(path: RemotePath): string {
    return asOperand(this.#staged === undefined ? strictText(path) : textOfPath(path));
  }

  async #answer(command: ShellCommand, signal: AbortSignal): Promise<ShellAnswer> {
    try {
      return await this.#runner.run(command, AbortSignal.any([signal, this.#over.signal]));
    } catch (error) {
      if (this.#fault === undefined) throw error;
      const wasSent = !isTermindError(error) || error.fault.outcome !== 'not-sent';
      throw faultError(
        wasSent ? withoutAnswer(this.#fault, command) : { ...this.#fault, outcome: 'not-sent' },
        error,
      );
    }
  }

  #end(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    this.#over.abort();
    this.#tellEnded(fault);
  }

  async #openForWriting(path: RemotePath, mode: OpenMode, signal: AbortSignal): Promise<void> {
    const { create, truncate = false } = mode;
    const change = (name: ShellOperation['name'], ...more: readonly string[]): Promise<ShellAnswer> =>
      this.run({ name, path, more, isChange: true }, signal);
    if (create === 'new') await change('createNew', octalMode(mode.mode ?? 0o644));
    else if (create === 'ifMissing') await change(truncate ? 'truncate' : 'append');
    else {
      await change('writable');
      if (truncate) await change('truncate');
    }
  }

  async #attributes(name: 'stat' | 'lstat', path: RemotePath, signal: AbortSignal): Promise<FileAttributes> {
    const { stdout } = await this.run({ name, path }, signal);
    const attributes = attributesOfLine(stdout.toString('latin1'));
    if (attributes === undefined) throw fileError('sftp-broken', { reason: 'it told no attributes' });
    return attributes;
  }

  async #path(name: 'realpath' | 'readlink', path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    const { stdout } = await this.run({ name, path }, signal);
    return remotePath(stdout.at(-1) === 0x0a ? stdout.subarray(0, -1) : stdout);
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a command line can carry: UTF-8 only. Throws `bad-name`. */
function strictText(path: RemotePath): string {
  try {
    return strict.decode(path);
  } catch {
    throw fileError('bad-name', { path: showPath(path) }, { outcome: 'not-sent' });
  }
}

function asOperand(text: string): string {
  return text.startsWith('/') ? text : `./${text}`;
}

function lacks(operation: OptionalOperation): Promise<never> {
  return Promise.reject(fileError('unsupported', { operation }, { outcome: 'not-sent' }));
}
