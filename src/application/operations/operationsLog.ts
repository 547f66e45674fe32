import type { ClockPort, Disposable, Redactor } from '../../agentkit/index.ts';
import type { ActEntry, OperationHost, OperationsPort } from '../ports/operations.ts';
import type { LogPort } from '../ports/prompts.ts';
import { exportOperations } from './exportOperations.ts';
import type { HeadKeeper } from './headKeeper.ts';
import { operationsOf, type Operation } from './operation.ts';
import { verifyLog, type KeptHead, type LogVerdict } from './verifyLog.ts';

const dayMs = 86_400_000;

/** What was done, without when and where. */
export interface ActNote extends Pick<ActEntry, 'what' | 'facts'> {
  /** `person` unless Termind did it on its own. */
  readonly actor?: ActEntry['actor'];
  readonly host?: OperationHost;
}

export interface OperationsLogOptions {
  readonly store: OperationsPort;
  readonly keeper: HeadKeeper;
  readonly redactor: Redactor;
  /** How long rows are kept, in days; 0 = for ever. */
  readonly keptDays: () => number;
  readonly window: string;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** The newest operations of a host or of all, and whether older ones were left out. */
export interface Timeline {
  readonly operations: readonly Operation[];
  readonly isCut: boolean;
}

/** What happened to the head that is kept outside of the database, beside what the log says of itself. */
export interface Verification extends LogVerdict {
  /** What is kept outside, whether it fits or not. */
  readonly outside: KeptHead | undefined;
  /** The storage outside could not be read. */
  readonly isOutsideUnreadable: boolean;
}

/**
 * The operations log for people: what was done, whether it is still the one that was written, and its export. Rows that are too old go
 * once a day, while the window adds new ones. Disposing stops that, and what is noted later is given up. Source: mission C13; decisions 13.
 */
export class OperationsLog implements Disposable {
  readonly #options: OperationsLogOptions;
  readonly #listening: Disposable;
  #prunedAt: number | undefined;
  #isDisposed = false;
  #noting: Promise<void> = Promise.resolve();

  constructor(options: OperationsLogOptions) {
    this.#options = options;
    this.#listening = options.store.onDidAppend(() => this.#pruneDaily());
  }

  /**
   * Writes down what a person or Termind did. Returns at once and never fails: what cannot be written is told in the log of the window,
   * because a person's own work does not wait for it.
   */
  note({ what, facts, actor = 'person', host }: ActNote): void {
    const { store, redactor, window, clock, log } = this.#options;
    const entry: ActEntry = redactor.redactJson({
      kind: 'act',
      at: clock.now(),
      window,
      actor,
      what,
      ...(host === undefined ? {} : { host }),
      facts,
    });
    this.#noting = this.#noting.then(async () => {
      if (this.#isDisposed) return;
      try {
        await store.append(entry);
      } catch (error) {
        log.warn('operations', `"${what}" is not in the operations log: ${String(error)}`);
      }
    });
  }

  /** Reads at most `limit` rows. */
  async timeline(query: { readonly hostId: string | undefined; readonly limit: number }): Promise<Timeline> {
    await this.#noting;
    const rows = [];
    for await (const row of this.#options.store.newest({ ...query, limit: query.limit + 1 })) rows.push(row);
    return { operations: operationsOf(rows.slice(0, query.limit)), isCut: rows.length > query.limit };
  }

  async verify(signal: AbortSignal): Promise<Verification> {
    await this.#noting;
    const { store, keeper } = this.#options;
    const outside = await this.#outside();
    const verdict = await verifyLog(store, { kept: outside.kept }, signal);
    if (verdict.fault === undefined && !outside.isUnreadable)
      await keeper.keep().catch((error: unknown) => {
        this.#options.log.warn('operations', `the end of the log was not kept: ${String(error)}`);
      });
    return { ...verdict, outside: outside.kept, isOutsideUnreadable: outside.isUnreadable };
  }

  /** JSON that verifies without Termind. */
  async export(signal: AbortSignal): Promise<string> {
    await this.#noting;
    const { store, redactor, clock } = this.#options;
    const { kept } = await this.#outside();
    return exportOperations(store, { redactor, kept, at: clock.now() }, signal);
  }

  /** Takes the log as it is from now on, on the person's word. What was kept before is written into it. */
  async accept(): Promise<void> {
    const { kept } = await this.#outside();
    const facts: Readonly<Record<string, string>> =
      kept === undefined ? {} : { row: String(kept.seq), hash: kept.hash };
    this.note({ what: 'logAccepted', facts });
    await this.#noting;
    await this.#options.keeper.accept();
  }

  /** Resolves when everything noted so far is stored or given up, and the end of the log is kept. */
  async settle(): Promise<void> {
    await this.#noting;
    await this.#options.keeper.flush();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listening.dispose();
  }

  async #outside(): Promise<{ readonly kept: KeptHead | undefined; readonly isUnreadable: boolean }> {
    try {
      return { kept: await this.#options.keeper.read(), isUnreadable: false };
    } catch {
      return { kept: undefined, isUnreadable: true };
    }
  }

  #pruneDaily(): void {
    const { clock, keptDays, log } = this.#options;
    const now = clock.now();
    const days = keptDays();
    if (days === 0 || (this.#prunedAt !== undefined && now - this.#prunedAt < dayMs)) return;
    this.#prunedAt = now;
    this.#prune(now - days * dayMs).catch((error: unknown) => {
      log.warn('operations', `old rows were not removed: ${String(error)}`);
    });
  }

  /** The row that is kept outside never goes, so that one that is gone was removed by somebody else. */
  async #prune(before: number): Promise<void> {
    const { store, keeper } = this.#options;
    if (await keeper.keep()) await store.prune(before);
  }
}
