import { closeSync, existsSync, type FSWatcher, openSync, watch } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { type ClockPort, type Disposable, DisposableBag, Emitter } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { storeAreas, type StoreArea } from '../../application/ports/store.ts';
import { changesAfter } from './changes.ts';
import type { StorePaths } from './paths.ts';
import type { StoreDatabase } from './storeDatabase.ts';

/** How soon a change is seen where file watching fails. Source: vscode.md 9. */
const pollMs = 750;

export interface ChangeNoticeOptions {
  readonly database: StoreDatabase;
  readonly paths: StorePaths;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/**
 * Tells which areas changed, whoever changed them. Touching and watching `changes.mark` and asking for the data version are only
 * hints to look; what is told comes from the rows of `changes` after the last seen revision. Source: vscode.md 9.
 */
export class ChangeNotice implements Disposable {
  readonly #options: ChangeNoticeOptions;
  readonly #rows: Emitter<StoreArea>;
  readonly #bag = new DisposableBag();
  #seen = 0;
  #watchers = 0;
  #tick: Disposable | undefined;
  #dataVersion: unknown;
  #touching: Promise<void> | undefined;
  #touchAgain = false;

  constructor(options: ChangeNoticeOptions) {
    this.#options = options;
    this.#rows = new Emitter((error) => options.log.error('store', 'a listener failed', error));
    this.#bag.add(options.database.onDidOpen(({ wasReadEmpty }) => this.#start(wasReadEmpty)));
    this.#bag.add(options.database.onDidCommit(() => this.#afterCommit()));
    this.#bag.add(this.#rows);
    this.#bag.add({ dispose: () => this.#tick?.dispose() });
  }

  get onDidChangeRows(): Emitter<StoreArea>['event'] {
    return this.#rows.event;
  }

  /** Asks every 750 ms until the result is disposed; several holders share one timer. */
  keepChecking(): Disposable {
    let isHeld = !this.#bag.isClosed;
    if (isHeld && this.#watchers++ === 0) this.#schedule();
    return {
      dispose: () => {
        if (!isHeld) return;
        isHeld = false;
        if (--this.#watchers > 0) return;
        this.#tick?.dispose();
        this.#tick = undefined;
      },
    };
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #start(wasReadEmpty: boolean): void {
    this.#seen = this.#find()?.revision ?? 0;
    if (!this.#bag.isClosed) this.#watchMark();
    if (wasReadEmpty) for (const area of storeAreas) this.#rows.fire(area);
  }

  #watchMark(): void {
    const { paths, log } = this.#options;
    try {
      if (!existsSync(paths.mark)) closeSync(openSync(paths.mark, 'a', 0o600));
      const watcher: FSWatcher = watch(paths.mark, { persistent: false }, () => this.#look());
      watcher.on('error', (error) => log.warn('store', `changes are found by asking only: ${error.message}`));
      this.#bag.add({ dispose: () => watcher.close() });
    } catch (error) {
      log.info('store', `changes are found by asking only: ${error instanceof Error ? error.message : ''}`);
    }
  }

  #find(): ReturnType<typeof changesAfter> | undefined {
    return this.#options.database.peek((connection) => changesAfter(connection, this.#seen));
  }

  #look(): void {
    const found = this.#find();
    if (found === undefined) return;
    this.#seen = found.revision;
    for (const area of found.areas) this.#rows.fire(area);
  }

  #afterCommit(): void {
    this.#look();
    this.#touchAgain = true;
    this.#touching ??= this.#touch();
  }

  /** One touch for all commits that happen while the one before is under way. */
  async #touch(): Promise<void> {
    while (this.#touchAgain && !this.#bag.isClosed) {
      this.#touchAgain = false;
      const now = new Date(this.#options.clock.now());
      try {
        await utimes(this.#options.paths.mark, now, now);
      } catch (error) {
        this.#options.log.info(
          'store',
          `the change mark was not touched: ${error instanceof Error ? error.message : ''}`,
        );
      }
    }
    this.#touching = undefined;
  }

  #schedule(): void {
    this.#tick = this.#options.clock.after(pollMs, () => {
      this.#ask();
      if (this.#watchers > 0) this.#schedule();
    });
  }

  #ask(): void {
    const { database, log } = this.#options;
    const version = database.peek((connection) => connection.pragma('data_version'));
    if (version === undefined) {
      database
        .openIfPresent()
        .catch((error: unknown) => log.warn('store', error instanceof Error ? error.message : 'not opened'));
    } else if (version !== this.#dataVersion) {
      this.#dataVersion = version;
      this.#look();
    }
  }
}
