import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { ClockPort, Disposable } from '../../../agentkit/index.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';
import { childEnvironment } from '../../config/childEnvironment.ts';

export interface ProxyProgramOptions {
  /** Percent tokens are replaced already. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: ClockPort;
  /** A complete line of its error stream, made fit to be shown. */
  readonly onLine: (line: string) => void;
}

/** This much of the error stream is kept. Source: ssh.md 1.2. */
const keptBytes = 64 * 1024;
/** What a program says after it has closed its output is waited for this long. */
const lastWordsMs = 1_000;
/** How long the group may take to end after TERM. */
const insistMs = 2_000;

/**
 * A ProxyCommand: run as `exec <command>` by the user's shell, hidden, in a process group of its own. What it prints is read from the
 * stream, what is written goes to its input. Its end is told when it and its error stream are over, so that its last words are known by
 * then. Destroying the stream ends the whole group. Source: ssh.md 1.2; ssh_config(5), ProxyCommand.
 */
export class ProxyProgram extends Duplex {
  readonly #options: ProxyProgramOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  #errors = '';
  #unfinished = '';
  #end: string | undefined;
  #hasFailed = false;
  #lastWords: Disposable | undefined;

  constructor(options: ProxyProgramOptions) {
    super({ allowHalfOpen: true });
    this.#options = options;
    this.on('error', () => {}); // its end tells
    const child = startShell(options);
    this.#child = child;
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.#ended(`it could not be started (${error.code ?? error.message})`, true);
      this.push(null);
    });
    child.on('close', (code, signal) => {
      this.#ended(signal === null ? `exit status ${String(code)}` : `ended by ${signal}`, code !== 0);
      this.#finish();
    });
    child.stdin.on('error', () => {}); // it closes its input when it ends
    child.stdout.on('error', () => {});
    child.stdout.on('data', (bytes: Buffer) => {
      if (!this.destroyed && !this.push(bytes)) child.stdout.pause();
    });
    child.stdout.once('end', () => {
      this.#lastWords ??= options.clock.after(lastWordsMs, () => this.#finish());
    });
    child.stderr.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#said(text));
  }

  /** Its last line on the error stream, or how it ended; undefined while it runs and has said nothing. */
  get lastWords(): string | undefined {
    const line = this.#errors.trimEnd().split('\n').at(-1)?.trim();
    return line === undefined || line === '' ? this.#end : showUntrusted(line);
  }

  /** True when it ended and was not satisfied. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(bytes, () => done()); // a closed input is told by its end
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#lastWords?.dispose();
    this.#endGroup();
    done(error);
  }

  #said(text: string): void {
    this.#errors = (this.#errors + text).slice(-keptBytes);
    const lines = (this.#unfinished + text).slice(-keptBytes).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) this.#options.onLine(showUntrusted(line.replace(/\r$/, '')));
  }

  #ended(how: string, hasFailed: boolean): void {
    this.#end ??= how;
    this.#hasFailed ||= hasFailed;
    if (this.#unfinished === '') return;
    this.#options.onLine(showUntrusted(this.#unfinished));
    this.#unfinished = '';
  }

  #finish(): void {
    this.#lastWords?.dispose();
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  #endGroup(): void {
    const { pid } = this.#child;
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    if (pid === undefined) return;
    if (!signalGroup(this.#child, 'SIGTERM')) return;
    const insist = this.#options.clock.after(insistMs, () => signalGroup(this.#child, 'SIGKILL'));
    this.#child.once('close', () => {
      if (!signalGroup(this.#child, 0)) insist.dispose();
    });
  }
}

function startShell({ command, environment }: ProxyProgramOptions): ChildProcessWithoutNullStreams {
  const options = { env: childEnvironment(environment), windowsHide: true, stdio: 'pipe' as const };
  if (process.platform === 'win32') {
    const words = ['/d', '/s', '/c', `"${command}"`];
    return spawn('cmd.exe', words, { ...options, windowsVerbatimArguments: true });
  }
  const own = environment['SHELL'];
  const shell = own === undefined || own === '' ? '/bin/sh' : own;
  return spawn(shell, ['-c', `exec ${command}`], { ...options, detached: true });
}

/** True when there was a group to signal. Windows has no groups: the tree is ended instead. */
function signalGroup(child: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  if (process.platform === 'win32') {
    if (child.exitCode !== null || signal === 0) return false;
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true, stdio: 'ignore' }).on(
      'error',
      () => {},
    );
    return false;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
