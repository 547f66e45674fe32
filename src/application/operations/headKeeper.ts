import { z } from 'zod';
import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import type { OperationsPort } from '../ports/operations.ts';
import type { LogPort, SecretStorePort } from '../ports/prompts.ts';
import type { KeptHead } from './verifyLog.ts';

/** A head is kept so long after the first row that it does not know, so that a busy run does not write it for every row. */
const keepDelayMs = 5_000;

const keptHead = z.object({ seq: z.int().min(1), hash: z.string(), at: z.number() }).readonly();

export interface HeadKeeperOptions {
  readonly operations: Pick<OperationsPort, 'bounds' | 'hashAt' | 'onDidAppend'>;
  /** Outside of the database: whoever can write its file need not be able to write here. */
  readonly secrets: SecretStorePort;
  /** One for each database, see `headKey`. */
  readonly key: string;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/**
 * Remembers the newest row of the operations log outside of the database, so that a log whose end was cut or written anew is found out.
 * What was kept and is not in the log any more stays kept until a person accepts the log as it is. Disposing cancels what is due.
 */
export class HeadKeeper implements Disposable {
  readonly #options: HeadKeeperOptions;
  readonly #listening: Disposable;
  #due: Disposable | undefined;
  #isDisposed = false;

  constructor(options: HeadKeeperOptions) {
    this.#options = options;
    this.#listening = options.operations.onDidAppend(() => this.#keepSoon());
  }

  /** Undefined when nothing was kept or it cannot be read. Rejects when the storage cannot be read. */
  async read(): Promise<KeptHead | undefined> {
    const { secrets, key } = this.#options;
    const text = await secrets.get(key);
    if (text === undefined) return undefined;
    try {
      return keptHead.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  /**
   * Keeps the newest row; false when what was kept before contradicts the log and stays. Rejects when the storage cannot be read or
   * written.
   */
  async keep(): Promise<boolean> {
    const known = await this.read();
    if (known !== undefined && !(await this.#isInLog(known))) {
      this.#options.log.warn(
        'operations',
        'the log is not the one whose end was kept; see Verify Operations Log',
      );
      return false;
    }
    await this.#write(known?.seq ?? 0);
    return true;
  }

  /** Keeps the newest row whatever was kept before: a person has accepted the log as it is. */
  async accept(): Promise<void> {
    await this.#write(-1);
  }

  /** Keeps what is due now, for a window that closes. Never rejects. */
  async flush(): Promise<void> {
    if (this.#due === undefined) return;
    this.#due.dispose();
    this.#due = undefined;
    await this.#keepOrWarn();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listening.dispose();
    this.#due?.dispose();
    this.#due = undefined;
  }

  async #isInLog(kept: KeptHead): Promise<boolean> {
    const { anchor } = await this.#options.operations.bounds();
    const hash = kept.seq === anchor.seq ? anchor.hash : await this.#options.operations.hashAt(kept.seq);
    return hash === kept.hash;
  }

  async #write(knownSeq: number): Promise<void> {
    const { operations, secrets, key, clock } = this.#options;
    const { head } = await operations.bounds();
    if (head.seq <= Math.max(knownSeq, 0)) return;
    const kept: KeptHead = { ...head, at: clock.now() };
    await secrets.set(key, JSON.stringify(kept));
  }

  #keepSoon(): void {
    if (this.#isDisposed) return;
    this.#due ??= this.#options.clock.after(keepDelayMs, () => {
      this.#due = undefined;
      void this.#keepOrWarn();
    });
  }

  async #keepOrWarn(): Promise<void> {
    try {
      await this.keep();
    } catch (error) {
      this.#options.log.warn('operations', `the end of the log was not kept: ${String(error)}`);
    }
  }
}
