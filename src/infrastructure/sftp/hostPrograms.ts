import { randomUUID } from 'node:crypto';
import { isAborted, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import type { ByteOptions, ByteStream, ChannelExit } from '../../application/ports/connection.ts';
import type { HostProgram, HostPrograms } from '../../application/ports/hostCommands.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { checkPosix, type HostCommandsOptions } from './hostCommands.ts';
import { scriptLine } from './shell/shellRunner.ts';
import { untilMarker } from './untilMarker.ts';

/** A disk takes its time to flush; nothing else is silent for so long. */
const silenceMs = 120_000;

/**
 * Programs over the connection of a host whose login shell is known to be a POSIX one. They are a help to somebody who can do without, so
 * they do not wait for a channel. Source: ssh.md 1.5 and 8.7, 6.
 */
export function hostPrograms(host: HostId, { connections, facts, clock }: HostCommandsOptions): HostPrograms {
  return {
    async start(command, signal) {
      await checkPosix(host, facts);
      const lease = await connections.acquire(host, 'sftp-transfer', signal);
      try {
        return await startProgram(
          { channels: lease, clock, onClosed: () => lease.release() },
          command,
          signal,
        );
      } catch (error) {
        lease.release();
        throw error;
      }
    },
  };
}

export interface StartProgramOptions {
  readonly channels: {
    bytes(kind: 'exec', options: ByteOptions['exec'], signal: AbortSignal): Promise<ByteStream>;
  };
  readonly clock: ClockPort;
  /** Called once, when the channel of a program that was started is closed. */
  readonly onClosed: () => void;
}

/** Starts a script and throws away what start-up files print in front of it. Rejects as `HostPrograms.start`, with no channel open. */
export async function startProgram(
  { channels, clock, onClosed }: StartProgramOptions,
  command: Parameters<HostPrograms['start']>[0],
  signal: AbortSignal,
): Promise<HostProgram> {
  const marker = `termind-program-${randomUUID()}`;
  const stream = await channels.bytes('exec', { command: scriptLine(command, marker), queueMs: 0 }, signal);
  try {
    const found = await untilMarker(stream, { marker, clock }, signal);
    if (found.k === 'ended') throw fileError('sftp-ended', { reason: 'its command was cut off' });
    return new StreamProgram(stream, { clock, onClosed, signal });
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

class StreamProgram implements HostProgram {
  readonly exit: Promise<ChannelExit>;
  readonly #stream: ByteStream;
  readonly #clock: ClockPort;
  #silent: Disposable;

  constructor(
    stream: ByteStream,
    {
      clock,
      onClosed,
      signal,
    }: { readonly clock: ClockPort; readonly onClosed: () => void; readonly signal: AbortSignal },
  ) {
    this.#stream = stream;
    this.#clock = clock;
    this.exit = stream.exit;
    this.#silent = this.#watch();
    const onAbort = (): void => void stream.destroy(fileError('cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    const closed = (): void => {
      this.#silent.dispose();
      signal.removeEventListener('abort', onAbort);
      onClosed();
    };
    if (stream.closed) closed();
    else stream.once('close', closed);
    if (isAborted(signal)) onAbort();
  }

  get output(): AsyncIterable<Uint8Array> {
    return this.#heard();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#stream.destroyed) return reject(this.#over());
      const onClose = (): void => reject(this.#over());
      this.#stream.once('close', onClose);
      this.#stream.write(bytes, (error) => {
        this.#stream.off('close', onClose);
        this.#moved();
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
  }

  end(): void {
    this.#stream.end();
  }

  close(): void {
    this.#stream.destroy();
  }

  async *#heard(): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks: AsyncIterable<Uint8Array> = this.#stream;
    for await (const bytes of chunks) {
      this.#moved();
      yield bytes;
    }
  }

  #over(): Error {
    return this.#stream.errored ?? fileError('sftp-ended', { reason: 'its command reads no more' });
  }

  #moved(): void {
    if (this.#stream.destroyed) return;
    this.#silent.dispose();
    this.#silent = this.#watch();
  }

  #watch(): Disposable {
    return this.#clock.after(silenceMs, () => void this.#stream.destroy(fileError('stalled')));
  }
}
