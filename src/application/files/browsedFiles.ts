import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { SharedWork } from '../ssh/sharedWork.ts';
import type { HeldFiles } from './heldFiles.ts';

/** How long the channel stays open for nobody. */
const idleMs = 300_000;

export interface BrowsedFilesOptions {
  /** Opens a channel; whoever gets it releases it. */
  readonly open: (signal: AbortSignal) => Promise<HeldFiles>;
  readonly clock: ClockPort;
}

/**
 * The files of one host over one channel of its own, which is opened at the first use, shared by all uses, opened again when it is gone,
 * and closed after five idle minutes. Disposing closes it at once. Source: ssh.md 8.2 and 8.7, 7; SFTP-13.
 */
export class BrowsedFiles implements Disposable {
  readonly #options: BrowsedFilesOptions;
  #opening: SharedWork<HeldFiles> | undefined;
  #held: HeldFiles | undefined;
  #idle: Disposable | undefined;
  #uses = 0;
  /** Channels for uses that are on their way only. */
  #retired: HeldFiles[] = [];
  #isDisposed = false;

  constructor(options: BrowsedFilesOptions) {
    this.#options = options;
  }

  /** The files while their channel is open. */
  get current(): RemoteFiles | undefined {
    return this.#held?.files.isEnded === false ? this.#held.files : undefined;
  }

  /**
   * Runs `work` with the files. A channel that is gone is opened again first, without an error. When it goes while `work` is reading
   * (`isRepeatable`), `work` is run once more over a new one; what may have changed something is never repeated. Rejects as opening or
   * as `work` does.
   */
  async use<T>(
    work: (files: RemoteFiles) => Promise<T>,
    { isRepeatable }: { readonly isRepeatable: boolean },
    signal: AbortSignal,
  ): Promise<T> {
    this.#enter();
    try {
      const files = await this.#files(signal);
      try {
        return await work(files);
      } catch (error) {
        if (!isRepeatable || !files.isEnded || signal.aborted) throw error;
        return await work(await this.#files(signal));
      }
    } finally {
      this.#leave();
    }
  }

  /** The open channel for somebody else as well, who releases it; undefined while there is none. */
  share(): HeldFiles | undefined {
    const files = this.current;
    if (files === undefined) return undefined;
    let isHeld = true;
    this.#enter();
    return {
      files,
      isShared: true,
      release: () => {
        if (isHeld) this.#leave();
        isHeld = false;
      },
    };
  }

  /** The next use opens another channel; those that are on their way keep theirs. */
  renew(): void {
    if (this.#uses === 0) return this.close();
    if (this.#held !== undefined) this.#retired.push(this.#held);
    this.#held = undefined;
  }

  /** Closes the channel; the next use opens another. */
  close(): void {
    this.#idle?.dispose();
    this.#releaseRetired();
    this.#opening?.abort(fileError('cancelled'));
    this.#opening = undefined;
    this.#held?.release();
    this.#held = undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.close();
  }

  #enter(): void {
    this.#uses += 1;
    this.#idle?.dispose();
  }

  #leave(): void {
    this.#uses -= 1;
    if (this.#uses === 0) this.#releaseRetired();
    if (this.#uses === 0 && !this.#isDisposed)
      this.#idle = this.#options.clock.after(idleMs, () => this.close());
  }

  #releaseRetired(): void {
    for (const held of this.#retired.splice(0)) held.release();
  }

  async #files(signal: AbortSignal): Promise<RemoteFiles> {
    if (this.#isDisposed) throw fileError('cancelled', {}, { outcome: 'not-sent' });
    if (this.current !== undefined) return this.current;
    this.#held?.release();
    this.#held = undefined;
    if (this.#opening?.isOpen !== true) this.#opening = new SharedWork((own) => this.#open(own));
    return (await this.#opening.join(signal)).files;
  }

  async #open(signal: AbortSignal): Promise<HeldFiles> {
    const held = await this.#options.open(signal);
    if (this.#isDisposed || signal.aborted) {
      held.release();
      throw fileError('cancelled');
    }
    this.#held = held;
    return held;
  }
}
