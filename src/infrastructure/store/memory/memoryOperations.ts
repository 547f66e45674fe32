import {
  Emitter,
  type ClockPort,
  type Disposable,
  type DurableEvent,
  type Event,
  type RunId,
} from '../../../agentkit/index.ts';
import {
  callEntry,
  inferredEnd,
  type CallSurroundings,
} from '../../../application/operations/callEntries.ts';
import type {
  ActEntry,
  CallStartedEntry,
  ChainBounds,
  OperationEntry,
  OperationRow,
  OperationsPort,
} from '../../../application/ports/operations.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import { chainStart, type ChainPoint } from '../../../domain/operations/operationChain.ts';
import { entryIn, sealed } from '../operations/operationRows.ts';

export interface MemoryOperationsOptions {
  readonly clock: ClockPort;
  readonly window: string;
  readonly log: LogPort;
}

/** The operations log until the window closes. The same contract as on disk. `dispose` ends the event only. */
export class MemoryOperations implements OperationsPort, Disposable {
  readonly #options: MemoryOperationsOptions;
  readonly #appended: Emitter<ChainPoint>;
  #rows: OperationRow[] = [];
  #anchor = chainStart;

  constructor(options: MemoryOperationsOptions) {
    this.#options = options;
    this.#appended = new Emitter((error) => options.log.error('store', 'a listener failed', error));
  }

  get onDidAppend(): Event<ChainPoint> {
    return this.#appended.event;
  }

  /** What `recordEvent` of the store of runs adds. */
  record(event: DurableEvent, around: Omit<CallSurroundings, 'window'>): void {
    const entry = callEntry(event, { ...around, window: this.#options.window });
    if (entry !== undefined) this.#add(entry);
  }

  /** Says of every call of an ended run without an end that nobody knows how it ended. */
  inferEnds(run: RunId): void {
    const open = new Map<string, CallStartedEntry>();
    for (const { entry } of this.#rows) {
      if (entry?.kind === 'callStarted' && entry.runId === run) open.set(entry.callId, entry);
      if (entry?.kind === 'callEnded' && entry.runId === run) open.delete(entry.callId);
    }
    const { clock, window } = this.#options;
    for (const started of open.values()) this.#add(inferredEnd(started, { at: clock.now(), window }));
  }

  async append(entry: ActEntry): Promise<ChainPoint> {
    return this.#add(entry);
  }

  async *rows(after: number): AsyncGenerator<OperationRow, void, undefined> {
    for (const row of this.#rows) if (row.seq > after) yield row;
  }

  async *newest({
    hostId,
    limit,
  }: Parameters<OperationsPort['newest']>[0]): AsyncGenerator<OperationRow, void, undefined> {
    let left = limit;
    for (const row of [...this.#rows].reverse()) {
      if (hostId !== undefined && hostOf(row.entry) !== hostId) continue;
      if (left-- <= 0) return;
      yield row;
    }
  }

  async bounds(): Promise<ChainBounds> {
    return { anchor: this.#anchor, head: this.#head() };
  }

  async hashAt(seq: number): Promise<string | undefined> {
    return this.#rows.find((row) => row.seq === seq)?.hash;
  }

  async prune(before: number): Promise<number> {
    const first = this.#rows.findIndex(({ entry }) => (entry?.at ?? 0) >= before);
    const count = first < 0 ? this.#rows.length - 1 : first;
    const last = this.#rows[count - 1];
    if (last === undefined) return 0;
    const { clock, window } = this.#options;
    const { seq, hash } = last;
    this.#add({ kind: 'pruned', at: clock.now(), window, actor: 'termind', through: seq, hash });
    this.#anchor = { seq, hash };
    this.#rows = this.#rows.slice(count);
    return count;
  }

  dispose(): void {
    this.#appended.dispose();
  }

  #head(): ChainPoint {
    const { seq, hash } = this.#rows.at(-1) ?? this.#anchor;
    return { seq, hash };
  }

  #add(entry: OperationEntry): ChainPoint {
    const row = sealed(entry, this.#head());
    this.#rows.push({ ...row, entry: entryIn(row.text) });
    const head = { seq: row.seq, hash: row.hash };
    this.#appended.fire(head);
    return head;
  }
}

function hostOf(entry: OperationEntry | undefined): string | undefined {
  return entry !== undefined && 'host' in entry ? entry.host.id : undefined;
}
