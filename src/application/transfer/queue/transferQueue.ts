import {
  Emitter,
  type ClockPort,
  type Disposable,
  type Event,
  type Redactor,
} from '../../../agentkit/index.ts';
import { localFault, type Fault } from '../../../domain/fault.ts';
import { fileFaultOf } from '../../../domain/files/fileFault.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import {
  hasFinished,
  hostsOf,
  keptFailures,
  newTransferId,
  type TransferId,
  type TransferRecord,
} from '../../../domain/transfer/transferRecord.ts';
import type { LogPort } from '../../ports/prompts.ts';
import type { StoreStatePort } from '../../ports/store.ts';
import type { StoredTransfer, TransferStorePort } from '../../ports/transfers.ts';
import { keyOfTransfer, showPlace } from '../engine/place.ts';
import type { FolderFiles, TransferEngine, TransferProgress } from '../engine/transfer.ts';
import { ExistingQuestions, type ExistingAnswer, type ExistingQuestion } from './existingQuestions.ts';
import { isKeptForCaller } from './roomFor.ts';
import { runTransfer } from './runTransfer.ts';
import { placeOf, showTransferPlace, type TransferHosts } from './transferPlaces.ts';

/** Each has channels of its own, and a host grants ten as a rule. Source: ssh.md 1.5. */
const mostPerHost = 2;
/** Leases lapse after 45 s. */
const renewMs = 10_000;
/** How long it may take to remove what a cancelled transfer has left. */
const discardMs = 10_000;

export interface TransferQueueOptions {
  readonly engine: Pick<TransferEngine, 'file' | 'folder' | 'compare' | 'discard'>;
  readonly store: TransferStorePort;
  readonly changes: Pick<StoreStatePort, 'onDidChangeRows'>;
  readonly hosts: TransferHosts;
  /**
   * What a cancelled transfer left on a host is removed as long as that is connected, otherwise when it is connected again: nobody is asked
   * to sign in for it.
   */
  readonly isConnected: (host: HostId) => boolean;
  readonly onDidConnect: Event<HostId>;
  readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** What is asked for. Places are absolute. */
export type TransferOrder = Pick<TransferRecord, 'kind' | 'from' | 'to' | 'policy' | 'by'> &
  Partial<Pick<TransferRecord, 'verify' | 'expectSourceSha256' | 'totalBytes'>>;

/** An entry as it is now. */
export interface TransferEntry {
  /** One that nobody works on is not `queued` or `running`: it is `paused` when its window has gone. */
  readonly record: TransferRecord;
  readonly holder: StoredTransfer['holder'];
  readonly bytesPerSecond: number;
  readonly secondsLeft: number | undefined;
  readonly question: ExistingQuestion | undefined;
  /** Of a folder that is moved by this window, once it is read. */
  readonly files: FolderFiles | undefined;
  /** How far the comparison of its ends is; the record is as the transfer has left it. */
  readonly verifying: TransferProgress | undefined;
}

const notBegun: TransferProgress = {
  ...{ doneBytes: 0, totalBytes: undefined, bytesPerSecond: 0, secondsLeft: undefined },
  ...{ doneFiles: 0, totalFiles: undefined },
};

interface Live {
  record: TransferRecord;
  readonly questions: ExistingQuestions;
  readonly stop: AbortController;
  stopAs: 'paused' | 'cancelled' | 'dropped' | undefined;
  bytesPerSecond: number;
  secondsLeft: number | undefined;
  files: FolderFiles | undefined;
  /** Its ends are compared, or wait for it. */
  verifying: TransferProgress | undefined;
  /** Settles when it runs no longer; never rejects. */
  run: Promise<void> | undefined;
}

/**
 * The transfers of this window, which run two at a time for each host, and the list of those of all windows. A transfer outlives what asked
 * for it; one whose window has gone is paused and goes on only when somebody says so. Whoever makes it closes it. Source: ssh.md 8.8.
 */
export class TransferQueue implements Disposable {
  readonly #options: TransferQueueOptions;
  readonly #live = new Map<TransferId, Live>();
  readonly #changed: Emitter<TransferId | undefined>;
  readonly #ended: Emitter<TransferRecord>;
  readonly #verified: Emitter<TransferRecord>;
  readonly #rows: Disposable;
  readonly #connected: Disposable;
  #renewal: Disposable | undefined;
  #lookingAgain: Disposable | undefined;
  #isClosed = false;

  constructor(options: TransferQueueOptions) {
    this.#options = options;
    const onError = (error: unknown): void => options.log.error('transfers', 'a listener failed', error);
    this.#changed = new Emitter(onError);
    this.#ended = new Emitter(onError);
    this.#verified = new Emitter(onError);
    this.#rows = options.changes.onDidChangeRows((area) => {
      if (area === 'transfers') this.#changed.fire(undefined);
    });
    this.#connected = options.onDidConnect((host) => void this.#discardCancelled(host));
  }

  /** The entry that has moved on, at most four times a second; undefined: entries have come or gone, here or in another window. */
  get onDidChange(): Event<TransferId | undefined> {
    return this.#changed.event;
  }

  /** A transfer of this window has finished. */
  get onDidFinish(): Event<TransferRecord> {
    return this.#ended.event;
  }

  /** The ends of an entry were compared; its `verification` says what was found. */
  get onDidVerify(): Event<TransferRecord> {
    return this.#verified.event;
  }

  /** All entries, the newest first. Rejects with the store's faults. */
  async entries(): Promise<readonly TransferEntry[]> {
    const all = await this.#options.store.list();
    if (all.some(({ holder }) => holder === 'elsewhere')) this.#lookAgain();
    return all.map((stored) => this.#entryOf(stored));
  }

  /** Undefined when there is none. Rejects with the store's faults. */
  async entry(id: TransferId): Promise<TransferEntry | undefined> {
    const live = this.#live.get(id);
    if (live !== undefined) return liveEntry(live);
    const stored = await this.#options.store.get(id);
    return stored && this.#entryOf(stored);
  }

  /** What is known in this window without asking the store; undefined for an entry that it does not work on. */
  liveEntry(id: TransferId): TransferEntry | undefined {
    const live = this.#live.get(id);
    return live && liveEntry(live);
  }

  /** Queues it and resolves once it is stored, however long it takes. Rejects with `transfers-full` and the store's faults. */
  async add(order: TransferOrder): Promise<TransferId> {
    if (this.#isClosed) throw localFault('cancelled');
    const record: TransferRecord = {
      verify: false,
      ...order,
      id: newTransferId(),
      state: 'queued',
      addedAt: this.#options.clock.now(),
      starts: 0,
      doneBytes: 0,
      doneFiles: 0,
      skippedFiles: 0,
      failedFiles: 0,
      failures: [],
      renamed: [],
      changedFiles: 0,
    };
    await this.#options.store.add(record);
    this.#enqueue(record);
    return record.id;
  }

  /**
   * Starts a paused or finished entry anew; it goes on where it was. Nothing for one that is completed, and for one that this window works
   * on. Rejects with `transfer-elsewhere`.
   */
  async resume(id: TransferId): Promise<void> {
    if (this.#isClosed || this.#live.has(id)) return;
    const stored = await this.#take(id);
    if (stored === undefined || this.#live.has(id)) return;
    if (stored.state === 'completed') {
      await this.#options.store.save(stored, 'release');
      return;
    }
    const { fault: _fault, finishedAt: _finishedAt, verification: _verification, ...rest } = stored;
    this.#enqueue({ ...rest, state: 'queued' });
  }

  /**
   * Compares the ends of an entry whose transfer is over, and keeps what it finds in its record. `pause` and `cancel` stop it and leave the
   * entry as it was. Nothing for one that is not over, and for one that this window works on. Rejects with `transfer-elsewhere`.
   */
  async verify(id: TransferId): Promise<void> {
    if (this.#isClosed || this.#live.has(id)) return;
    const stored = await this.#take(id);
    if (stored === undefined || this.#live.has(id)) return;
    if (hasFinished(stored)) this.#enqueue(stored, notBegun);
    else await this.#options.store.save(stored, 'release');
  }

  /** Stops it; what has arrived stays, for `resume`. Resolves when it has stopped. Rejects with `transfer-elsewhere`. */
  async pause(id: TransferId): Promise<void> {
    const live = this.#live.get(id);
    if (live !== undefined) await this.#stop(live, 'paused');
    else checkHere(await this.#options.store.get(id));
  }

  /** Stops it, or gives up a paused one, and removes what is unfinished at its target. Rejects with `transfer-elsewhere`. */
  async cancel(id: TransferId): Promise<void> {
    const live = this.#live.get(id);
    if (live !== undefined) {
      await this.#stop(live, 'cancelled');
      return;
    }
    const { store, clock } = this.#options;
    const stored = await this.#take(id);
    if (stored === undefined) return;
    const isOver = hasFinished(stored);
    if (!isOver) await this.#discard(stored);
    const record: TransferRecord = { ...stored, state: 'cancelled', finishedAt: clock.now() };
    await store.save(isOver ? stored : record, 'release');
    if (!isOver) this.#ended.fire(record);
  }

  /** Takes an entry off the list that nobody works on, with what is unfinished at its target. Rejects with `transfer-elsewhere`. */
  async remove(id: TransferId): Promise<void> {
    const { store } = this.#options;
    if (this.#live.has(id)) return;
    const stored = await store.get(id);
    checkHere(stored);
    if (stored === undefined) return;
    if (stored.record.state !== 'completed') await this.#discard(stored.record);
    await store.remove([id]);
    this.#changed.fire(undefined);
  }

  /** As `remove`, all that has finished, other than what the caller of a tool may still ask about. */
  async clearFinished(): Promise<void> {
    const { store, clock } = this.#options;
    const finished = (await store.list()).filter(
      ({ record, holder }) =>
        holder === undefined && hasFinished(record) && !isKeptForCaller(record, clock.now()),
    );
    for (const { record } of finished) {
      if (record.state !== 'completed') await this.#discard(record);
      await store.remove([record.id]);
    }
    this.#changed.fire(undefined);
  }

  /** Answers the question of an entry of this window. */
  answer(id: TransferId, question: ExistingQuestion, answer: ExistingAnswer): void {
    this.#live.get(id)?.questions.answer(question, answer);
  }

  /** Pauses everything of this window. Resolves when it has stopped and is stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#live.values()].map((live) => this.#stop(live, 'paused')));
    this.dispose();
  }

  /** As `close`, without waiting: entries are paused for whoever lists them once this window is gone. */
  dispose(): void {
    this.#isClosed = true;
    for (const live of this.#live.values()) {
      live.stopAs ??= 'paused';
      live.stop.abort(new Error('the window closes'));
    }
    this.#renewal?.dispose();
    this.#lookingAgain?.dispose();
    this.#rows.dispose();
    this.#connected.dispose();
    this.#changed.dispose();
    this.#ended.dispose();
    this.#verified.dispose();
  }

  /** Undefined when there is none. Rejects with `transfer-elsewhere`. */
  async #take(id: TransferId): Promise<TransferRecord | undefined> {
    const { store } = this.#options;
    const taken = await store.take(id);
    if (taken === undefined) checkHere(await store.get(id));
    return taken;
  }

  /** Nothing is announced when a window has gone, so who lists what it held is told to look again. */
  #lookAgain(): void {
    if (this.#lookingAgain !== undefined || this.#isClosed) return;
    this.#lookingAgain = this.#options.clock.after(renewMs, () => {
      this.#lookingAgain = undefined;
      this.#changed.fire(undefined);
    });
  }

  #entryOf({ record, holder }: StoredTransfer): TransferEntry {
    const live = this.#live.get(record.id);
    if (live !== undefined) return liveEntry(live);
    const isInterrupted = holder === undefined && !hasFinished(record);
    return {
      record: isInterrupted ? { ...record, state: 'paused' } : record,
      holder,
      bytesPerSecond: 0,
      secondsLeft: undefined,
      question: undefined,
      files: undefined,
      verifying: undefined,
    };
  }

  #enqueue(record: TransferRecord, verifying?: TransferProgress): void {
    const { id } = record;
    const questions = new ExistingQuestions(() => this.#changed.fire(id));
    this.#live.set(id, {
      record,
      questions,
      stop: new AbortController(),
      stopAs: this.#isClosed ? 'paused' : undefined,
      bytesPerSecond: 0,
      secondsLeft: undefined,
      files: undefined,
      verifying,
      run: undefined,
    });
    this.#renew();
    this.#changed.fire(undefined);
    this.#startNext();
  }

  #startNext(): void {
    const running = [...this.#live.values()].filter((live) => live.run !== undefined && isAtWork(live));
    for (const live of this.#live.values()) {
      if (live.run !== undefined || live.stopAs !== undefined) continue;
      const hosts = hostsOf(live.record);
      const isBusy = (host: HostId): boolean =>
        running.filter(({ record }) => hostsOf(record).includes(host)).length >= mostPerHost;
      if (hosts.some(isBusy)) continue;
      if (live.verifying === undefined) this.#begin(live);
      else live.run = this.#verify(live);
      running.push(live);
    }
  }

  #begin(live: Live): void {
    live.record = {
      ...live.record,
      state: 'running',
      startedAt: live.record.startedAt ?? this.#options.clock.now(),
      starts: live.record.starts + 1,
      doneBytes: 0,
      doneFiles: 0,
      skippedFiles: 0,
      failedFiles: 0,
      failures: [],
      changedFiles: 0,
    };
    live.run = this.#run(live);
    this.#changed.fire(live.record.id);
  }

  async #run(live: Live): Promise<void> {
    const { engine, hosts, store } = this.#options;
    const { signal } = live.stop;
    try {
      if (!(await store.save(live.record, 'hold'))) live.stopAs = 'dropped';
      else
        live.record = await runTransfer(
          live.record,
          {
            engine,
            hosts,
            ask: (existing, own) => live.questions.ask(existing, own),
            redactFault: (fault) => this.#redacted(fault),
            onFiles: (files) => {
              live.files = files;
            },
            onProgress: (record, { bytesPerSecond, secondsLeft }) => {
              live.record = record;
              Object.assign(live, { bytesPerSecond, secondsLeft });
              this.#changed.fire(record.id);
            },
          },
          signal,
        );
    } catch (error) {
      live.record = await this.#stopped(live, fileFaultOf(error, signal));
    }
    await this.#finish(live);
  }

  /** Keeps what a comparison has found; one that was stopped leaves the record as it was. */
  async #verify(live: Live): Promise<void> {
    const { engine, hosts, clock } = this.#options;
    const { signal } = live.stop;
    const { record } = live;
    const { kind, renamed } = record;
    const failures: TransferRecord['failures'][number][] = [];
    const others = new Set(renamed);
    const failed = (path: string, fault: Fault): void => {
      if (failures.length < keptFailures) failures.push({ path, fault: this.#redacted(fault) });
    };
    let found = { files: 0, different: 0, leftOut: 0 };
    try {
      signal.throwIfAborted();
      found = await engine.compare(
        {
          ...{ kind, from: placeOf(record.from, hosts), to: placeOf(record.to, hosts) },
          isLeftOut: (from) => others.has(showPlace(from)),
          onProgress: (progress) => {
            live.verifying = progress;
            this.#changed.fire(record.id);
          },
          onDifferent: (from, fault) => failed(showPlace(from), fault),
        },
        signal,
      );
    } catch (error) {
      found = { files: 0, different: 1, leftOut: 0 };
      failures.length = 0;
      failed(showTransferPlace(record.from), fileFaultOf(error, signal));
    }
    live.verifying = undefined;
    if (live.stopAs === undefined)
      live.record = { ...record, verification: { at: clock.now(), ...found, failures } };
    await this.#giveBack(live);
    this.#changed.fire(undefined);
    if (live.stopAs === undefined) this.#verified.fire(live.record);
    if (!this.#isClosed) this.#startNext();
  }

  /** What a record becomes whose run has rejected. */
  async #stopped({ record, stopAs }: Live, why: Fault): Promise<TransferRecord> {
    if (why.code === 'outcome-unknown') return { ...record, state: 'lost', fault: this.#redacted(why) };
    if (stopAs === 'cancelled') {
      await this.#discard(record);
      return { ...record, state: 'cancelled' };
    }
    if (stopAs !== undefined) return { ...record, state: 'paused' };
    return { ...record, state: 'failed', fault: this.#redacted(why) };
  }

  async #stop(live: Live, as: 'paused' | 'cancelled'): Promise<void> {
    live.stopAs ??= as;
    live.stop.abort(new Error('stopped'));
    if (live.run === undefined) {
      if (live.verifying === undefined) live.record = { ...live.record, state: as };
      live.run = live.verifying === undefined ? this.#finish(live) : this.#verify(live);
    }
    await live.run;
  }

  async #finish(live: Live): Promise<void> {
    const { clock } = this.#options;
    const { forAll } = live.questions;
    if (forAll !== undefined) live.record = { ...live.record, policy: forAll };
    if (hasFinished(live.record)) live.record = { ...live.record, finishedAt: clock.now() };
    await this.#giveBack(live);
    this.#changed.fire(undefined);
    if (hasFinished(live.record) && live.stopAs !== 'dropped') this.#ended.fire(live.record);
    if (!this.#isClosed) this.#startNext();
  }

  /** The store has the end of it, and this window works on it no longer. Tried again with the next renewal when the store is busy. */
  async #giveBack(live: Live): Promise<void> {
    try {
      if (live.stopAs !== 'dropped') await this.#options.store.save(live.record, 'release');
      this.#live.delete(live.record.id);
    } catch (error) {
      this.#options.log.warn('transfers', `the end of a transfer is not stored yet: ${String(error)}`);
    }
  }

  #renew(): void {
    if (this.#renewal !== undefined || this.#isClosed) return;
    this.#renewal = this.#options.clock.after(renewMs, () => {
      this.#renewal = undefined;
      for (const live of this.#live.values()) void this.#keep(live);
      if (this.#live.size > 0) this.#renew();
    });
  }

  async #keep(live: Live): Promise<void> {
    if (!isAtWork(live)) {
      await this.#giveBack(live);
      return;
    }
    try {
      const isHeld = await this.#options.store.save(live.record, 'hold');
      if (isHeld || !this.#live.has(live.record.id) || live.stopAs !== undefined || !isAtWork(live)) return;
      live.stopAs = 'dropped'; // this machine slept, and another window took it
      live.stop.abort(new Error('another window works on it'));
      if (live.run === undefined) this.#live.delete(live.record.id);
    } catch (error) {
      this.#options.log.warn('transfers', `a transfer could not be renewed: ${String(error)}`);
    }
  }

  /** What was cancelled while its host was not connected. Never rejects. */
  async #discardCancelled(host: HostId): Promise<void> {
    try {
      for (const { record, holder } of await this.#options.store.list()) {
        if (this.#isClosed) return;
        const { state, to } = record;
        const isHere = to.k === 'remote' && to.host === host;
        if (isHere && state === 'cancelled' && holder === undefined) await this.#discard(record);
      }
    } catch (error) {
      this.#options.log.warn('transfers', `cancelled transfers were not looked at: ${String(error)}`);
    }
  }

  /** Whether another entry, of any window, is to go on with what this one has left. */
  async #isSharedPart(record: TransferRecord): Promise<boolean> {
    const { store, hosts } = this.#options;
    const keyOf = ({ from, to }: TransferRecord): string =>
      keyOfTransfer(placeOf(from, hosts), placeOf(to, hosts));
    const key = keyOf(record);
    return (await store.list()).some(
      ({ record: other }) =>
        other.id !== record.id &&
        other.state !== 'completed' &&
        other.state !== 'cancelled' &&
        keyOf(other) === key,
    );
  }

  /** Never rejects. */
  async #discard(record: TransferRecord): Promise<void> {
    const { engine, hosts, isConnected, clock, log } = this.#options;
    const { kind, from, to } = record;
    if (to.k === 'remote' && !isConnected(to.host)) return;
    const bound = new AbortController();
    const timer = clock.after(discardMs, () => bound.abort(new Error('it took too long')));
    try {
      if (await this.#isSharedPart(record)) return;
      await engine.discard({ kind, from: placeOf(from, hosts), to: placeOf(to, hosts) }, bound.signal);
    } catch (error) {
      log.warn('transfers', `what a cancelled transfer left was not removed: ${String(error)}`);
    } finally {
      timer.dispose();
    }
  }

  #redacted(fault: Fault): Fault {
    return { ...fault, facts: this.#options.redactor.redactJson(fault.facts) };
  }
}

function checkHere(stored: StoredTransfer | undefined): void {
  if (stored?.holder !== 'elsewhere') return;
  throw localFault('transfer-elsewhere', { path: showTransferPlace(stored.record.from) });
}

function isAtWork({ record, verifying }: Live): boolean {
  return record.state === 'queued' || record.state === 'running' || verifying !== undefined;
}

function liveEntry({ questions, ...live }: Live): TransferEntry {
  const { record, bytesPerSecond, secondsLeft, files, verifying } = live;
  const question = questions.current;
  return { record, holder: 'here', bytesPerSecond, secondsLeft, question, files, verifying };
}
