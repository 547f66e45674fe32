import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { Emitter, isAborted, neverAborted, type ClockPort, type Event } from '../../../agentkit/index.ts';
import type {
  ByteKind,
  ByteOptions,
  ByteStream,
  Channels,
  DirectTarget,
  ExecOptions,
  ManagedChannel,
  NegotiatedFacts,
  Purpose,
  RemoteBind,
  RemoteClient,
  RemoteListener,
  ShellOptions,
} from '../../../application/ports/connection.ts';
import type { Liveness, Transport } from '../../../application/ports/transport.ts';
import type { Fault } from '../../../domain/fault.ts';
import { connectionFault, faultError } from '../../../domain/ssh/connectionFault.ts';
import { forwardRefused } from '../../../domain/ssh/openRefusal.ts';
import { ChannelBudget, type ChannelPlace, type ChannelWish } from '../channelBudget.ts';
import { ChildChannel, ChildStream } from './childChannel.ts';
import type { LocalPty } from './localPty.ts';
import { PtyChannel } from './ptyChannel.ts';
import { bracketed, placeText } from '../../../domain/host/placeText.ts';

export interface SystemConnectionOptions {
  /** The `ssh` that holds the control connection. */
  readonly master: ChildProcess;
  readonly program: string;
  /** Of the control connection. */
  readonly socket: string;
  /** Arguments in front of those of a channel. */
  readonly base: readonly string[];
  /** Arguments behind them: the destination. */
  readonly destination: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Gives terminals a size; without it they keep the one that `ssh` makes up. */
  readonly pty: LocalPty | undefined;
  /** Of mode 0700; sockets of remote listeners are in it. */
  readonly folder: string;
  readonly hop: string;
  readonly facts: NegotiatedFacts;
  /** What `ssh` wrote until it was signed in. */
  readonly banner: string;
  readonly clock: ClockPort;
  /** Names the end of the control connection that nobody asked for. */
  readonly nameEnd: () => Fault;
  /** It is over: folder and prompts go. */
  readonly onOver: () => void;
}

/** Until an `ssh` that was asked to end is ended. */
const goodbyeMs = 1_000;
const helperMs = 30_000;

/**
 * A connection that the system's own `ssh` holds; every channel is a child that goes through its control socket. Children end with it.
 * Whoever opened it closes it. Source: ssh.md 1.8.
 */
export class SystemConnection implements Transport {
  readonly facts: NegotiatedFacts;
  readonly acceptedKey = undefined;
  readonly banner: string;
  readonly lost: Promise<Fault>;
  readonly #options: SystemConnectionOptions;
  readonly #budget: ChannelBudget;
  readonly #end = new Emitter<Fault>();
  readonly #liveness = new Emitter<Liveness>();
  readonly #children = new Set<ChildProcess>();
  readonly #servers = new Set<net.Server>();
  #tellLost: (fault: Fault) => void = () => {};
  #fault: Fault | undefined;
  #listeners = 0;

  constructor(options: SystemConnectionOptions) {
    this.#options = options;
    this.facts = options.facts;
    this.banner = options.banner;
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
    this.#budget = new ChannelBudget({ hop: options.hop, clock: options.clock });
    options.master.once('exit', () => this.ended(options.nameEnd()));
  }

  get onEnd(): Event<Fault> {
    return this.#end.event;
  }

  /** `ssh` keeps its link alive by itself and ends when that fails. */
  get onLiveness(): Event<Liveness> {
    return this.#liveness.event;
  }

  check(): void {}

  as(purpose: Purpose): Channels {
    const budget = this.#budget;
    return {
      shell: (options, signal) => this.#shell(options, purpose, signal),
      exec: (command, signal) => this.#exec(command, purpose, signal),
      bytes: (kind, options, signal) => this.#bytes(kind, { options, purpose }, signal),
      direct: (to, signal) => this.direct(to, signal),
      listen: (bind, onClient, signal) => this.listen(bind, onClient, signal),
      get allowed() {
        return budget.allowed(purpose);
      },
      onAllowedChange: budget.onChange,
    };
  }

  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel> {
    return this.#shell(options, 'exec', signal);
  }

  exec(command: string | ExecOptions, signal: AbortSignal): Promise<ManagedChannel> {
    return this.#exec(command, 'exec', signal);
  }

  bytes<K extends ByteKind>(kind: K, options: ByteOptions[K], signal: AbortSignal): Promise<ByteStream> {
    return this.#bytes(kind, { options, purpose: 'exec' }, signal);
  }

  get allowed(): number {
    return this.#budget.allowed('exec');
  }

  get onAllowedChange(): Event<void> {
    return this.#budget.onChange;
  }

  async direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex> {
    const { hop } = this.#options;
    this.#usable(signal);
    if ('path' in to)
      throw faultError(
        forwardRefused({ hop, to: to.path }, { reason: 'unknownType', text: 'ssh -W takes no Unix socket' }),
      );
    const name = placeText(to.host, to.port);
    return new ChildStream(this.#start(['-W', name]), (words) =>
      faultError(forwardRefused({ hop, to: name }, { reason: 'other', text: words.trim() })),
    );
  }

  async listen(
    bind: RemoteBind,
    onClient: (client: RemoteClient) => void,
    signal: AbortSignal,
  ): Promise<RemoteListener> {
    const { hop, folder } = this.#options;
    this.#usable(signal);
    this.#listeners += 1;
    const local = path.join(folder, `l${String(this.#listeners)}`);
    const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      socket.on('error', () => {});
      onClient({ originator: undefined, accept: () => socket, reject: () => void socket.destroy() });
    });
    server.listen(local);
    await once(server, 'listening');
    this.#servers.add(server);
    const asked = 'path' in bind ? 0 : bind.port;
    const to = 'path' in bind ? bind.path : `${bindPrefix(bind.address)}${String(asked)}`;
    // Cancelled by the words of its asking, also where the server chose the port.
    const forward = `${to}:${local}`;
    try {
      const { status, stdout, stderr } = await this.#helper(['-O', 'forward', '-R', forward], signal);
      const port = 'path' in bind ? undefined : asked === 0 ? Number(/\d+/.exec(stdout)?.[0]) : asked;
      if (status !== 0 || Number.isNaN(port))
        throw faultError(forwardRefused({ hop, to }, { reason: 'prohibited', text: stderr.trim() }));
      return { port, close: () => this.#cancel(server, forward) };
    } catch (error) {
      this.#drop(server);
      throw error;
    }
  }

  ended(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    const { master, clock, onOver } = this.#options;
    this.#budget.end(fault);
    this.#end.fire(fault);
    this.#end.dispose();
    for (const server of this.#servers) server.close();
    master.kill('SIGTERM');
    const insist = clock.after(goodbyeMs, () => {
      master.kill('SIGKILL');
      for (const child of this.#children) child.kill('SIGKILL');
    });
    for (const child of this.#children) child.kill('SIGTERM');
    if (master.exitCode !== null || master.signalCode !== null) insist.dispose();
    else master.once('exit', () => insist.dispose());
    onOver();
    this.#tellLost(fault);
  }

  close(): void {
    this.ended(connectionFault('cancelled', { stage: 'link', hop: this.#options.hop, outcome: 'unknown' }));
  }

  /** Variables come from the configuration that `ssh` reads itself. */
  #shell({ rows, cols }: ShellOptions, purpose: Purpose, signal: AbortSignal): Promise<ManagedChannel> {
    const { pty } = this.#options;
    return this.#counted(
      { purpose, isExec: false },
      () => (pty === undefined ? this.#channel(['-tt']) : this.#ptyChannel(pty, { rows, cols })),
      signal,
    );
  }

  #ptyChannel(pty: LocalPty, size: Pick<ShellOptions, 'rows' | 'cols'>): PtyChannel {
    const { program, hop, environment } = this.#options;
    const [script, args] = pty.run([program, ...this.#argumentsOf(['-tt'])], size);
    // The shell that reads its command line is one that we quote for.
    const child = this.#spawn(args, { program: script, environment: { ...environment, SHELL: '/bin/sh' } });
    return new PtyChannel({
      child: new ChildChannel(child, hop),
      size,
      setSize: async (path, next) => {
        const [stty, words] = pty.resize(path, next);
        const changing = this.#spawn(words, { program: stty, environment });
        await new Promise<void>((resolve) => {
          changing.once('close', () => resolve());
          changing.once('error', () => resolve());
        });
      },
    });
  }

  #exec(command: string | ExecOptions, purpose: Purpose, signal: AbortSignal): Promise<ManagedChannel> {
    const options = typeof command === 'string' ? { command } : command;
    const { queueMs, isUrgent = false } = options;
    const wish = { purpose, isExec: true, isUrgent, ...(queueMs === undefined ? {} : { queueMs }) };
    return this.#counted(wish, () => this.#channel(['-T'], options.command), signal);
  }

  #bytes<K extends ByteKind>(
    kind: K,
    { options, purpose }: { readonly options: ByteOptions[K]; readonly purpose: Purpose },
    signal: AbortSignal,
  ): Promise<ByteStream> {
    const { queueMs } = options;
    const subsystem = 'name' in options ? options.name : 'sftp';
    const wish = { purpose, isExec: kind === 'exec', ...(queueMs === undefined ? {} : { queueMs }) };
    const place = { stage: 'channel', hop: this.#options.hop, outcome: 'failed' } as const;
    return this.#counted(
      wish,
      () =>
        'command' in options
          ? new ChildStream(this.#start(['-T'], options.command), () => undefined)
          : new ChildStream(this.#start(['-T', '-s'], subsystem), () =>
              faultError(connectionFault('sftp-missing', place, { subsystem })),
            ),
      signal,
    );
  }

  #channel(before: readonly string[], command?: string): ChildChannel {
    return new ChildChannel(this.#start(before, command), this.#options.hop);
  }

  /** The place is free again when the child has ended. */
  async #counted<T>(wish: ChannelWish, open: () => T, signal: AbortSignal): Promise<T> {
    this.#usable(signal);
    const place: ChannelPlace = this.#budget.tryTake(wish) ?? (await this.#budget.wait(wish, signal));
    place.granted();
    const before = new Set(this.#children);
    const opened = open();
    const child = [...this.#children].find((one) => !before.has(one));
    child?.once('close', () => place.giveBack());
    child?.once('error', () => place.giveBack());
    return opened;
  }

  #usable(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#fault !== undefined) throw faultError({ ...this.#fault, outcome: 'not-sent' });
  }

  #start(before: readonly string[], command?: string): ChildProcessWithoutNullStreams {
    return this.#spawn(this.#argumentsOf(before, command));
  }

  #argumentsOf(before: readonly string[], command?: string): readonly string[] {
    const { base, destination } = this.#options;
    return [...base, ...before, ...destination, ...(command === undefined ? [] : [command])];
  }

  #spawn(
    args: readonly string[],
    { program, environment }: Pick<SystemConnectionOptions, 'program' | 'environment'> = this.#options,
  ): ChildProcessWithoutNullStreams {
    const child = spawn(program, args, { env: environment, stdio: 'pipe', windowsHide: true });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    child.once('error', () => this.#children.delete(child));
    return child;
  }

  async #helper(
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
    const { socket, destination, clock } = this.#options;
    // Without a configuration, whose own forwards would be asked for as well.
    const child = this.#spawn(['-F', 'none', '-S', socket, ...args, ...destination]);
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (out[name] += text));
    child.stdin.on('error', () => {}).end();
    const stop = (): void => void child.kill('SIGKILL');
    const timer = clock.after(helperMs, stop);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [status] = (await once(child, 'close')) as [number | null];
      if (isAborted(signal))
        throw faultError(
          connectionFault('cancelled', { stage: 'channel', hop: this.#options.hop, outcome: 'unknown' }),
        );
      return { status, ...out };
    } finally {
      timer.dispose();
      signal.removeEventListener('abort', stop);
    }
  }

  async #cancel(server: net.Server, forward: string): Promise<void> {
    if (!this.#servers.has(server)) return;
    this.#drop(server);
    if (this.#fault !== undefined) return;
    await this.#helper(['-O', 'cancel', '-R', forward], neverAborted).catch(() => undefined);
  }

  #drop(server: net.Server): void {
    this.#servers.delete(server);
    server.close();
  }
}

/** With the colon behind it; an empty address is the server's own choice. */
function bindPrefix(address: string): string {
  return address === '' ? '' : `${bracketed(address)}:`;
}
