import { DisposableBag, Emitter } from '../../../../src/agentkit/index.ts';
import type {
  ChannelExit,
  ConnectionManager,
  ExecOptions,
  Lease,
  ManagedChannel,
} from '../../../../src/application/ports/connection.ts';
import { localFault, type Fault } from '../../../../src/domain/fault.ts';

/** A channel whose other end a test plays. */
export class ScriptedChannel implements ManagedChannel {
  readonly command: string;
  readonly written: string[] = [];
  readonly signals: string[] = [];
  isPaused = false;
  hasEnded = false;
  isClosed = false;
  /** False = the server knows no signals. */
  takesSignals = true;
  readonly #data = new Emitter<{ stream: 'stdout' | 'stderr'; bytes: Uint8Array }>();
  readonly exit: Promise<ChannelExit>;
  readonly closed: Promise<void>;
  #resolveExit: (exit: ChannelExit) => void = () => {};
  #resolveClosed: () => void = () => {};

  constructor(command: string) {
    this.command = command;
    this.exit = new Promise((resolve) => (this.#resolveExit = resolve));
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  readonly onData: ManagedChannel['onData'] = (listener) => this.#data.event(listener);
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  async write(bytes: Uint8Array): Promise<void> {
    this.written.push(Buffer.from(bytes).toString());
  }
  end(): void {
    this.hasEnded = true;
  }
  resize(): void {}
  signal(name: string): boolean {
    if (this.isClosed || !this.takesSignals) return false;
    this.signals.push(name);
    return true;
  }
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#resolveExit({ kind: 'unknown', reason: 'closed here' });
    this.#resolveClosed();
  }

  print(text: string, stream: 'stdout' | 'stderr' = 'stdout'): void {
    this.#data.fire({ stream, bytes: Buffer.from(text) });
  }
  exits(exit: ChannelExit): void {
    this.#resolveExit(exit);
  }
  closes(): void {
    this.isClosed = true;
    this.#resolveExit({ kind: 'unknown', reason: 'no status' });
    this.#resolveClosed();
  }
  /** Everything at once: output, exit status, close. */
  finishes(code: number, output = ''): void {
    this.print(output);
    this.exits({ kind: 'code', code });
    this.closes();
  }
}

/** One host over one connection; `onExec` plays what each command does. */
export class ScriptedHost {
  readonly channels: ScriptedChannel[] = [];
  /** How each command was asked for. */
  readonly requests: ExecOptions[] = [];
  leases = 0;
  released = 0;
  /** How many the server allows at a time. */
  maxChannels = Infinity;
  onExec: (channel: ScriptedChannel) => void = () => {};
  #lose: (fault: Fault) => void = () => {};
  readonly #lost = new Promise<Fault>((resolve) => (this.#lose = resolve));
  readonly #bag = new DisposableBag();

  lease(): Lease {
    this.leases++;
    return {
      user: 'root',
      port: 22,
      lost: this.#lost,
      shell: () => Promise.reject(new Error('no terminal here')),
      bytes: () => Promise.reject(new Error('no bytes here')),
      listen: () => Promise.reject(new Error('no forward here')),
      allowed: Infinity,
      onAllowedChange: () => ({ dispose: () => {} }),
      takeBanner: () => '',
      exec: async (request, signal) => {
        signal.throwIfAborted();
        const command = typeof request === 'string' ? request : request.command;
        this.requests.push(typeof request === 'string' ? { command } : request);
        if (this.channels.filter((open) => !open.isClosed).length >= this.maxChannels)
          throw localFault('channel-limit', { used: String(this.maxChannels) });
        const channel = new ScriptedChannel(command);
        this.channels.push(channel);
        setImmediate(() => this.onExec(channel));
        return channel;
      },
      direct: () => Promise.reject(new Error('no forward here')),
      release: () => {
        this.released++;
      },
    };
  }

  get connections(): ConnectionManager {
    return {
      acquire: async (_host, _purpose, signal) => {
        signal.throwIfAborted();
        return this.lease();
      },
      acquireUnasked: async () => this.lease(),
      state: () => ({ k: 'ready', since: 0, rttMs: undefined }),
      negotiated: () => undefined,
      trace: () => [],
      keepConnected: () => ({ dispose: () => {} }),
      reconnectNow: () => {},
      onDidChange: () => ({ dispose: () => {} }),
      disconnect: () => {},
      dispose: () => this.#bag.dispose(),
    };
  }

  /** The link goes: channels end without a status. */
  cut(): void {
    this.#lose(localFault('link-lost').fault);
    for (const channel of this.channels) channel.closes();
  }

  /** Answers the question for the shell as bash, and these commands at once; all others wait for the test. */
  plays(commands: Readonly<Record<string, { readonly code: number; readonly output?: string }>>): void {
    this.onExec = (channel) => {
      const mark = /termind-[0-9a-f]{32}/.exec(channel.command)?.[0] ?? '';
      if (channel.command.includes('$((6*7))'))
        return channel.finishes(0, `${mark}\nbash\n/bin/bash\nLinux\n/root\n42\n${mark}\n`);
      const played = commands[channel.command.split('\n').at(-1) ?? ''];
      if (played !== undefined) channel.finishes(played.code, played.output);
    };
  }

  /** How often a command line was sent that ends with this; the question for the shell is not counted. */
  sent(command: string): number {
    return this.#commands(command).length;
  }

  /** The channel of the newest command line that ends with this. */
  last(command: string): ScriptedChannel {
    const channel = this.#commands(command).at(-1);
    if (channel === undefined) throw new Error(`nobody sent ${command}`);
    return channel;
  }

  #commands(command: string): readonly ScriptedChannel[] {
    return this.channels.filter(
      (channel) => channel.command.endsWith(command) && !channel.command.includes('$((6*7))'),
    );
  }

  /** The channel of the only command, or of the n-th. */
  channel(index = 0): ScriptedChannel {
    const channel = this.channels[index];
    if (channel === undefined) throw new Error(`no channel ${index}`);
    return channel;
  }
}
