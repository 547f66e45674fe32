import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { Emitter, type Disposable, type Event } from '../../../agentkit/index.ts';
import type { ByteStream, ChannelExit, ManagedChannel } from '../../../application/ports/connection.ts';
import { connectionFault, faultError } from '../../../domain/ssh/connectionFault.ts';
import { HeldWords } from '../heldWords.ts';

/** `ssh` gives its own failures the status 255, and also every death by a signal on the other side. */
const ambiguousStatus = 255;

export function exitOfChild(code: number | null): ChannelExit {
  if (code !== null && code !== ambiguousStatus) return { kind: 'code', code };
  const reason =
    code === null ? 'ssh was ended' : 'ssh ended with 255, which may be its own or that of the command';
  return { kind: 'unknown', reason };
}

/** A child of the control connection as a channel. Signals and sizes do not reach the other side. Whoever holds it closes it. */
export class ChildChannel implements ManagedChannel {
  readonly exit: Promise<ChannelExit>;
  readonly closed: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #hop: string;
  readonly #data = new Emitter<{ readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }>();
  #isReading = false;
  #isPaused = false;

  constructor(child: ChildProcessWithoutNullStreams, hop: string) {
    this.#child = child;
    this.#hop = hop;
    child.stdin.on('error', () => {});
    this.exit = new Promise((resolve) => {
      child.once('exit', (code) => resolve(exitOfChild(code)));
      child.once('error', () => resolve(exitOfChild(null)));
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', () => resolve());
    });
  }

  readonly onData: ManagedChannel['onData'] = (listener) => {
    const subscription: Disposable = this.#data.event(listener);
    this.#startReading();
    return subscription;
  };

  pause(): void {
    this.#isPaused = true;
    this.#child.stdout.pause();
    this.#child.stderr.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) return;
    this.#child.stdout.resume();
    this.#child.stderr.resume();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (): void => {
        const place = { stage: 'channel', hop: this.#hop, outcome: 'unknown' } as const;
        reject(faultError(connectionFault('server-closed', place, { reason: 'the channel is closed' })));
      };
      if (!this.#child.stdin.writable) return failed();
      this.#child.stdin.write(bytes, (error) => (error ? failed() : resolve()));
    });
  }

  end(): void {
    this.#child.stdin.end();
  }

  /** Without a terminal of its own `ssh` has no size to pass on; a `PtyChannel` gives it one. */
  resize(): void {}

  signal(): boolean {
    return false;
  }

  close(): void {
    this.#child.kill('SIGTERM');
    this.#data.dispose();
    this.#isPaused = false;
    this.#startReading();
    this.resume();
  }

  #startReading(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    for (const stream of ['stdout', 'stderr'] as const)
      this.#child[stream].on('data', (bytes: Buffer) => this.#data.fire({ stream, bytes }));
    if (this.#isPaused) this.pause();
  }
}

/** A child of the control connection as a stream of bytes. There is always a listener for errors. Whoever holds it destroys it. */
export class ChildStream extends Duplex implements ByteStream {
  readonly exit: Promise<ChannelExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #stderr = new HeldWords();

  /** `failure` gives the error of a child that ended badly before it gave a byte. */
  constructor(child: ChildProcessWithoutNullStreams, failure: (words: string) => Error | undefined) {
    super({ allowHalfOpen: true });
    this.#child = child;
    this.on('error', () => {});
    let words = '';
    let hasBytes = false;
    child.stdin.on('error', () => {});
    child.stderr.on('data', (bytes: Buffer) => {
      if (words.length < 4_096) words += bytes.toString('latin1');
      this.#stderr.fire(bytes);
    });
    child.stdout.on('data', (bytes: Buffer) => {
      hasBytes = true;
      if (!this.destroyed && !this.push(bytes)) child.stdout.pause();
    });
    this.exit = new Promise((resolve) => {
      child.once('close', (code) => {
        resolve(exitOfChild(code));
        const error = code === 0 || hasBytes ? undefined : failure(words);
        if (error !== undefined) return void this.destroy(error);
        this.push(null);
        if (this.readableEnded) this.destroy();
        else this.once('end', () => this.destroy());
      });
      child.once('error', (error) => {
        resolve(exitOfChild(null));
        this.destroy(error);
      });
    });
    // Without a byte it may still be a failure, which `close` tells.
    child.stdout.once('end', () => {
      if (hasBytes) this.push(null);
    });
  }

  get onStderr(): Event<Uint8Array> {
    return this.#stderr.event;
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(bytes, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#child.kill('SIGTERM');
    this.#child.stdout.resume();
    done(error);
  }
}
