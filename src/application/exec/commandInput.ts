import { SerialQueue, neverAborted, type ClockPort } from '../../agentkit/index.ts';
import type { ManagedChannel } from '../ports/connection.ts';
import { deadline, orAborted } from './deadline.ts';

/** How long a writer waits for its turn and for the command to read. */
export const takeInputMs = 30_000;
/** What is handed to the channel at a time, so that it is known how much went. */
const chunkBytes = 16_384;

/** What became of one write. `bytes` were handed to the connection, which delivers them unless it or the command ends first. */
export type InputOutcome =
  | { readonly kind: 'written'; readonly bytes: number }
  /** Nothing was written: the input is closed. */
  | { readonly kind: 'closed' }
  /** Nothing was written: something else still had the input when the time was over. */
  | { readonly kind: 'busy' }
  /** The command did not read on in time; the rest was dropped and the input is open. */
  | { readonly kind: 'notTaken'; readonly bytes: number }
  /** The command or its channel ended meanwhile, so nobody knows how much it read. */
  | { readonly kind: 'brokenOff' };

export interface InputWrite {
  /**
   * Called at its turn, and only while the input is open, so that a secret is used up by nothing else. Lent until the write is over;
   * what it throws rejects the write, of which nothing was sent.
   */
  readonly take: () => readonly Uint8Array[];
  /** End of file behind it. */
  readonly closes: boolean;
}

/**
 * The standard input of one command. Writers have it one after the other, each waits at most 30 s, and what they hand over is held back
 * as long as the command does not read. Source: tools.md, `ssh_exec_stdin`; ssh.md 1.9.
 */
export class CommandInput {
  readonly #channel: Pick<ManagedChannel, 'write' | 'end'>;
  readonly #clock: ClockPort;
  /** A writer has its turn until it is done with the channel, also when nobody waits for it any more. */
  readonly #turns = new SerialQueue();
  #isOpen = true;

  constructor(channel: Pick<ManagedChannel, 'write' | 'end'>, clock: ClockPort) {
    this.#channel = channel;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The first turn. `feed` tells whether the input stays open; a rejection means that the command no longer reads. */
  begin(feed: () => Promise<boolean>): void {
    const feeding = async (): Promise<void> => {
      try {
        if (!(await feed())) this.#close();
      } catch {
        this.#isOpen = false;
      }
    };
    void this.#turns.run(feeding, neverAborted);
  }

  /** The command has ended: nothing is written any more. */
  ended(): void {
    this.#isOpen = false;
  }

  /** Rejects when `signal` aborts; what was handed over by then is on its way, and nothing follows it. */
  async write(write: InputWrite, signal: AbortSignal): Promise<InputOutcome> {
    const limit = deadline(this.#clock, { delayMs: takeInputMs, what: 'taking the input' }, signal);
    const progress = { hasTurn: false, bytes: 0 };
    const mine = this.#turns.run(() => this.#take(write, progress, limit.signal), limit.signal);
    try {
      return await orAborted(mine, limit.signal);
    } catch (error) {
      if (!limit.isOver) throw error;
      return progress.hasTurn ? { kind: 'notTaken', bytes: progress.bytes } : { kind: 'busy' };
    } finally {
      limit.dispose();
    }
  }

  async #take(
    { take, closes }: InputWrite,
    progress: { hasTurn: boolean; bytes: number },
    over: AbortSignal,
  ): Promise<InputOutcome> {
    over.throwIfAborted();
    if (!this.#isOpen) return { kind: 'closed' };
    const parts = take();
    progress.hasTurn = true;
    for (const part of parts)
      for (let from = 0; from < part.length; from += chunkBytes) {
        over.throwIfAborted();
        const chunk = part.subarray(from, from + chunkBytes);
        progress.bytes += chunk.length;
        if (!(await this.#handOver(chunk))) return { kind: 'brokenOff' };
      }
    over.throwIfAborted();
    if (closes) this.#close();
    return { kind: 'written', bytes: progress.bytes };
  }

  async #handOver(chunk: Uint8Array): Promise<boolean> {
    try {
      await this.#channel.write(chunk);
      return true;
    } catch {
      this.#isOpen = false;
      return false;
    }
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#channel.end();
  }
}
