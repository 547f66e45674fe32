import { Duplex } from 'node:stream';
import type { Channel } from 'ssh2';
import type { Disposable, Event } from '../../agentkit/index.ts';
import type { ByteStream, ChannelExit } from '../../application/ports/connection.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { closedWithoutStatus, exitOf } from './channelExit.ts';
import type { OnLost } from './channelOpener.ts';
import { HeldWords } from './heldWords.ts';

export interface ChannelStreamOptions {
  readonly channel: Channel;
  readonly hop: string;
  readonly onLost: OnLost;
  /** The server has closed the channel, or the connection is gone. */
  readonly onClosed: () => void;
}

/**
 * One channel of the library as an ordinary stream of bytes. What is not read is held back by the channel window; EOF travels alone in
 * each direction. The library's own stream forgets the callbacks of writes when its channel closes and has a `destroy` of its own, so it
 * is not handed out. There is always a listener for errors. Whoever holds it destroys it.
 */
export class ChannelStream extends Duplex implements ByteStream {
  readonly exit: Promise<ChannelExit>;
  readonly #channel: Channel;
  readonly #hop: string;
  readonly #lost: Disposable;
  readonly #stderr = new HeldWords();
  #tellExit: (exit: ChannelExit) => void = () => {};
  #pending: ((error?: Error) => void) | undefined;
  #isChannelClosed = false;

  constructor(options: ChannelStreamOptions) {
    super({ allowHalfOpen: true });
    this.#channel = options.channel;
    this.#hop = options.hop;
    this.exit = new Promise((resolve) => (this.#tellExit = resolve));
    this.on('error', () => {});
    const { channel } = options;
    channel.on('error', () => {});
    channel.stderr.on('error', () => {});
    channel.stderr.on('data', (bytes: Buffer) => this.#stderr.fire(bytes));
    channel.on('exit', (code: unknown, signal: unknown) => this.#tellExit(exitOf(code, signal)));
    channel.on('data', (bytes: Buffer) => {
      if (!this.destroyed && !this.push(bytes)) channel.pause();
    });
    channel.once('end', () => this.push(null));
    channel.once('close', () => {
      this.#lost.dispose();
      this.#tellExit(closedWithoutStatus);
      options.onClosed();
      this.#closedByServer();
    });
    this.#lost = options.onLost((fault) => {
      this.#tellExit({ kind: 'unknown', reason: `the connection ended (${fault.code})` });
      this.destroy(faultError({ ...fault, outcome: 'unknown' }));
    });
  }

  get onStderr(): Event<Uint8Array> {
    return this.#stderr.event;
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isChannelClosed) return done(this.#closedError());
    this.#pending = done;
    this.#channel.write(bytes, () => this.#written());
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#isChannelClosed) this.#channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#pending = undefined;
    this.#channel.close();
    // Nobody wants the rest; unread bytes would keep the close from being told.
    this.#channel.resume();
    done(error);
  }

  #written(): void {
    const done = this.#pending;
    this.#pending = undefined;
    done?.();
  }

  /** What has arrived can still be read; then there is nothing left to do in either direction. */
  #closedByServer(): void {
    this.#isChannelClosed = true;
    const end = (): void => {
      if (this.#pending === undefined) this.destroy();
      else this.destroy(this.#closedError());
    };
    if (this.readableEnded) end();
    else this.once('end', end);
  }

  #closedError(): Error {
    const facts = { reason: 'the channel is closed' };
    return faultError(
      connectionFault('server-closed', { stage: 'channel', hop: this.#hop, outcome: 'unknown' }, facts),
    );
  }
}
