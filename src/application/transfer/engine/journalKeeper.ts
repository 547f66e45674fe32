import { isAborted, type ClockPort } from '../../../agentkit/index.ts';
import { blockBytes, type TransferJournal } from '../../../domain/transfer/transferJournal.ts';
import type { TransferJournalsPort } from '../../ports/transferJournals.ts';

/**
 * One block in so many milliseconds is digested while bytes move: 40 MiB/s, as fast as usual lines. What a faster one has moved is
 * digested when the transfer is interrupted, so that a transfer that comes to its end pays little for what only an interrupted one needs.
 */
const paceMs = 100;
const saveEveryMs = 1_000;
/** A transfer that ends unfinished digests at most so many blocks more, 1 GiB; what is not digested is moved again. */
const lastBlocks = 256;

export interface JournalKeeperOptions {
  readonly journals: TransferJournalsPort;
  readonly key: string;
  /** As it begins, with the blocks that are verified. */
  readonly journal: TransferJournal;
  /** The bytes of a whole block, from this machine's side of the transfer. */
  readonly readBlock: (block: number) => Promise<Uint8Array>;
  readonly clock: ClockPort;
}

/**
 * Keeps the journal of one transfer: digests the blocks that are whole, off the event loop, and saves now and then. A journal that cannot
 * be written or a block that cannot be read costs what resuming would have saved, and nothing else. `stop` is called once.
 * Source: ssh.md 8.7, 4.
 */
export class JournalKeeper {
  readonly #options: JournalKeeperOptions;
  readonly #digests: Map<number, string>;
  readonly #waiting: number[] = [];
  readonly #over = new AbortController();
  #working: Promise<void> | undefined;
  #savedAt = 0;
  #isUnsaved = false;

  static async start(options: JournalKeeperOptions): Promise<JournalKeeper> {
    const keeper = new JournalKeeper(options);
    await keeper.#save();
    return keeper;
  }

  private constructor(options: JournalKeeperOptions) {
    this.#options = options;
    this.#digests = new Map(options.journal.blocks);
  }

  add(blocks: readonly number[]): void {
    if (blocks.length === 0 || isAborted(this.#over.signal)) return;
    this.#waiting.push(...blocks);
    this.#start();
  }

  /** `before`: the journal stays, without what lies behind this byte; undefined: the transfer is complete, and the journal goes. */
  async stop(before: number | undefined): Promise<void> {
    this.#over.abort(new Error('the transfer is over'));
    await this.#working;
    if (before === undefined) return this.#options.journals.remove(this.#options.key).catch(() => {});
    for (const block of this.#waiting.splice(0, lastBlocks))
      if ((block + 1) * blockBytes <= before) await this.#digest(block);
    for (const block of this.#digests.keys())
      if ((block + 1) * blockBytes > before) this.#digests.delete(block);
    await this.#save();
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#waiting.length > 0 && !isAborted(this.#over.signal)) this.#start();
    });
  }

  /** Until every block is digested and saved. */
  async #work(): Promise<void> {
    const { clock } = this.#options;
    while (await this.#paced()) {
      const block = this.#waiting.shift();
      if (block !== undefined) await this.#digest(block);
      else if (!this.#isUnsaved) return;
      if (this.#isUnsaved && clock.monotonic() - this.#savedAt >= saveEveryMs) await this.#save();
    }
  }

  /** False when the transfer is over. */
  #paced(): Promise<boolean> {
    return this.#options.clock.sleep(paceMs, this.#over.signal).then(
      () => true,
      () => false,
    );
  }

  async #digest(block: number): Promise<void> {
    try {
      this.#digests.set(block, await digestOff(await this.#options.readBlock(block)));
      this.#isUnsaved = true;
    } catch {
      this.#digests.delete(block); // it is moved again
    }
  }

  async #save(): Promise<void> {
    const { journals, key, journal, clock } = this.#options;
    this.#savedAt = clock.monotonic();
    this.#isUnsaved = false;
    const blocks = [...this.#digests].sort(([a], [b]) => a - b);
    await journals.save(key, { ...journal, blocks }).catch(() => {}); // then there is nothing to resume from
  }
}

/** SHA-256 in hexadecimal, computed by another thread. */
export async function digestOff(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
