import { isAborted, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import type { HeldFiles } from './heldFiles.ts';

/** Source: ssh.md 8.6. */
const idleMs = 15 * 60_000;

export interface ElevatedFilesOptions {
  /** Asks for a password and opens a channel; whoever gets it releases it. */
  readonly open: (signal: AbortSignal) => Promise<HeldFiles>;
  readonly clock: ClockPort;
}

/**
 * The files of a host with another user's rights, for a person's own eyes: tools never get them. The first use asks, and so does the
 * first one after 15 idle minutes or after the channel was lost. Uses wait for each other's question. Disposing closes it at once.
 * Source: ssh.md 8.6.
 */
export class ElevatedFiles implements Disposable {
  readonly #options: ElevatedFilesOptions;
  #held: HeldFiles | undefined;
  #opening: AbortController | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: Disposable | undefined;
  #uses = 0;
  readonly #over = new AbortController();

  constructor(options: ElevatedFilesOptions) {
    this.#options = options;
  }

  /** The files while their channel is open; this is no use of them. */
  get current(): RemoteFiles | undefined {
    return this.#held?.files.isEnded === false ? this.#held.files : undefined;
  }

  /** Rejects with `cancelled` when nobody answers, with `sudo-refused`, and as `work` does. Nothing is repeated. */
  async use<T>(work: (files: RemoteFiles) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#uses += 1;
    this.#idle?.dispose();
    try {
      const opened = this.#turn.then(() => this.#files(signal));
      this.#turn = opened.catch(() => {});
      return await work(await opened);
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0 && this.#held !== undefined)
        this.#idle = this.#options.clock.after(idleMs, () => this.close());
    }
  }

  /** Closes the channel, also one that is being opened, with its question; the next use asks again. */
  close(): void {
    this.#opening?.abort();
    this.#release();
  }

  dispose(): void {
    this.#over.abort();
    this.close();
  }

  #release(): void {
    this.#idle?.dispose();
    this.#held?.release();
    this.#held = undefined;
  }

  async #files(signal: AbortSignal): Promise<RemoteFiles> {
    if (this.current !== undefined) return this.current;
    this.#release();
    if (isAborted(this.#over.signal) || signal.aborted)
      throw fileError('cancelled', {}, { outcome: 'not-sent' });
    const opening = new AbortController();
    this.#opening = opening;
    try {
      const held = await this.#options.open(AbortSignal.any([signal, opening.signal]));
      if (isAborted(opening.signal)) {
        held.release();
        throw fileError('cancelled', {}, { outcome: 'not-sent' });
      }
      this.#held = held;
      return held.files;
    } finally {
      this.#opening = undefined;
    }
  }
}
