import type { ClientChannel } from 'ssh2';
import { Emitter, type Disposable } from '../../agentkit/index.ts';
import type { ChannelExit, ManagedChannel } from '../../application/ports/connection.ts';
import type { Fault } from '../../domain/fault.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { closedWithoutStatus, exitOf } from './channelExit.ts';
import type { OnLost } from './channelOpener.ts';

export interface SshChannelOptions {
  readonly channel: ClientChannel;
  readonly hop: string;
  readonly onLost: OnLost;
  /** Sends a signal request; false when the channel takes none any more. */
  readonly sendSignal: (channel: ClientChannel, name: string) => boolean;
  /** The server has closed the channel, or the connection is gone: its place is free again. */
  readonly onClosed: () => void;
}

/**
 * One channel of the library. It reads only while somebody listens and has not paused; what is not read is held back by the channel
 * window, and the close is told behind it. OpenSSH answers a close only when the process has ended, so `closed` may come much later
 * than `close()`. A write rejects with `server-closed` when the channel is closed first. Whoever holds it closes it. Source: ssh.md 1.9, 1.11; TRAP-12, TRAP-19.
 */
export class SshChannel implements ManagedChannel {
  readonly exit: Promise<ChannelExit>;
  readonly closed: Promise<void>;
  readonly #options: SshChannelOptions;
  readonly #data = new Emitter<{ readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }>();
  /** Writes that were not taken yet. The library forgets their callbacks when the channel closes. */
  readonly #pendingWrites = new Set<() => void>();
  readonly #lost: Disposable;
  #tellExit: (exit: ChannelExit) => void = () => {};
  #tellClosed: () => void = () => {};
  #isReading = false;
  #isPaused = false;
  /** Nothing can be sent any more: we have closed it, or the connection is gone. */
  #isMute = false;
  #isClosed = false;

  constructor(options: SshChannelOptions) {
    this.#options = options;
    this.exit = new Promise((resolve) => (this.#tellExit = resolve));
    this.closed = new Promise((resolve) => (this.#tellClosed = resolve));
    const { channel } = options;
    channel.on('error', () => {}); // the end of the channel tells
    channel.stderr.on('error', () => {});
    channel.on('exit', (code: unknown, signal?: unknown) => this.#tellExit(exitOf(code, signal)));
    channel.on('close', () => this.#finish());
    this.#lost = options.onLost((fault) => this.#connectionLost(fault));
  }

  readonly onData: ManagedChannel['onData'] = (listener) => {
    const subscription: Disposable = this.#data.event(listener);
    this.#startReading();
    return subscription;
  };

  pause(): void {
    this.#isPaused = true;
    this.#options.channel.pause();
    this.#options.channel.stderr.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) return;
    this.#options.channel.resume();
    this.#options.channel.stderr.resume();
  }

  write(bytes: Uint8Array): Promise<void> {
    const { channel } = this.#options;
    if (this.#isClosed || this.#isMute || !channel.writable)
      return Promise.reject(this.#writeError('not-sent'));
    return new Promise((resolve, reject) => {
      const onClosed = (): void => reject(this.#writeError('unknown'));
      this.#pendingWrites.add(onClosed);
      channel.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (error) => {
        this.#pendingWrites.delete(onClosed);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  end(): void {
    if (!this.#isClosed && !this.#isMute) this.#options.channel.end();
  }

  resize({ rows, cols }: { readonly rows: number; readonly cols: number }): void {
    if (this.#isClosed || this.#isMute || !(rows > 0) || !(cols > 0)) return;
    this.#options.channel.setWindow(Math.floor(rows), Math.floor(cols), 0, 0);
  }

  signal(name: 'TERM' | 'INT' | 'HUP' | 'QUIT' | 'KILL'): boolean {
    return !this.#isClosed && !this.#isMute && this.#options.sendSignal(this.#options.channel, name);
  }

  close(): void {
    if (this.#isClosed) return;
    const { channel } = this.#options;
    if (!this.#isMute) channel.close();
    this.#isMute = true;
    this.#dropWrites();
    // Nobody wants the rest; unread output would keep the close from being told.
    this.#data.dispose();
    this.#isPaused = false;
    this.#startReading();
    this.resume();
  }

  /** What has arrived can still be read; the close is told behind it. */
  #connectionLost(fault: Fault): void {
    this.#isMute = true;
    this.#tellExit({ kind: 'unknown', reason: `the connection ended (${fault.code})` });
    this.#dropWrites();
  }

  #dropWrites(): void {
    for (const onClosed of this.#pendingWrites) onClosed();
    this.#pendingWrites.clear();
  }

  #writeError(outcome: Fault['outcome']): Error {
    const { hop } = this.#options;
    const facts = { reason: 'the channel is closed' };
    return faultError(connectionFault('server-closed', { stage: 'channel', hop, outcome }, facts));
  }

  #startReading(): void {
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    const { channel } = this.#options;
    channel.on('data', (bytes: Buffer) => this.#data.fire({ stream: 'stdout', bytes }));
    channel.stderr.on('data', (bytes: Buffer) => this.#data.fire({ stream: 'stderr', bytes }));
    if (!this.#isPaused) return;
    channel.pause();
    channel.stderr.pause();
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lost.dispose();
    this.#tellExit(closedWithoutStatus);
    this.#tellClosed();
    this.#dropWrites();
    this.#options.onClosed();
    this.#data.dispose();
  }
}
