import { setImmediate } from 'node:timers/promises';
import type { ConversationId, Redactor } from '../../agentkit/index.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { LogEntry, LogPart, RequestLogPort } from '../ports/requestLog.ts';
import { fingerprint, type LogItem, sizeOf, toPart } from './logParts.ts';

/** Entries that may wait to be stored; what comes on top of them is lost, and the log of the window says so. */
const maxWaiting = 200;
/** Characters that are redacted and hashed before others run: one or two milliseconds. */
const stepCharacters = 32_768;
const partsAtOnce = 64;
const charactersAtOnce = 256 * 1024;

export interface LogRecorderOptions {
  readonly id: ConversationId;
  readonly store: RequestLogPort;
  readonly redactor: Redactor;
  readonly log: LogPort;
}

/**
 * Stores the entries of one conversation, one after the other, behind the run and in small steps. `record` returns at once; when
 * the store fails or falls behind, entries are lost and the run goes on.
 */
export class LogRecorder {
  readonly #options: LogRecorderOptions;
  /** Numbers of stored parts by fingerprint, so that a message is looked at once and not with every request. */
  readonly #known = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isLosing = false;

  constructor(options: LogRecorderOptions) {
    this.#options = options;
  }

  record(entry: LogEntry, items: readonly LogItem[] = []): void {
    if (this.#waiting >= maxWaiting) return this.#lose('the store is too slow');
    this.#waiting++;
    this.#last = this.#last
      .then(() => this.#store(entry, items))
      .then(
        () => (this.#isLosing = false),
        (error: unknown) => this.#lose(error instanceof Error ? error.message : String(error)),
      )
      .then(() => {
        this.#waiting--;
      });
  }

  /** Resolves when everything recorded so far is stored or lost. */
  async drain(): Promise<void> {
    await this.#last;
  }

  async #store(entry: LogEntry, items: readonly LogItem[]): Promise<void> {
    const { id, store, redactor } = this.#options;
    const clean = redactor.redactJson(entry);
    if (await store.add(id, clean, await this.#numbers(items))) return;
    this.#known.clear();
    if (!(await store.add(id, clean, await this.#numbers(items)))) this.#lose('its messages were removed');
  }

  async #numbers(items: readonly LogItem[]): Promise<readonly number[]> {
    const { redactor } = this.#options;
    const names = items.map(fingerprint);
    let batch: { readonly name: string; readonly part: LogPart }[] = [];
    let inBatch = 0;
    let inStep = 0;
    for (const [index, item] of items.entries()) {
      const name = names[index];
      if (name === undefined || this.#known.has(name)) continue;
      inStep += sizeOf(item);
      if (inStep > stepCharacters) {
        await setImmediate();
        inStep = 0;
      }
      const part = toPart(item, redactor);
      batch.push({ name, part });
      inBatch += part.body.length;
      if (batch.length < partsAtOnce && inBatch < charactersAtOnce) continue;
      await this.#keep(batch);
      batch = [];
      inBatch = 0;
    }
    await this.#keep(batch);
    return names.flatMap((name) => this.#known.get(name) ?? []);
  }

  async #keep(batch: readonly { readonly name: string; readonly part: LogPart }[]): Promise<void> {
    if (batch.length === 0) return;
    const { id, store } = this.#options;
    const numbers = await store.keep(
      id,
      batch.map(({ part }) => part),
    );
    for (const [index, { name }] of batch.entries()) {
      const number = numbers[index];
      if (number !== undefined) this.#known.set(name, number);
    }
  }

  /** Told once until something is stored again. */
  #lose(reason: string): void {
    if (!this.#isLosing) this.#options.log.warn('request log', `entries are not stored: ${reason}`);
    this.#isLosing = true;
  }
}
