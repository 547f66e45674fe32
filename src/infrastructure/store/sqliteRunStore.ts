import type {
  ClockPort,
  CompactionRecord,
  ConversationId,
  ConversationMetadata,
  ConversationSummary,
  DurableEvent,
  EndedRunState,
  Message,
  MessageId,
  NewConversation,
  NewRun,
  PlanCall,
  PlanOutcome,
  RunId,
  RunSnapshot,
  RunStorePort,
  StoredConversation,
  UserMessage,
} from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import { recordCallEvent } from './callRows.ts';
import type { Connection, SqlValue } from './connection.ts';
import { readPage } from './conversationRows.ts';
import { cutStatements, forkStatements, groupEnd, groupStart } from './conversationCuts.ts';
import type { LeaseOwner } from './leases.ts';
import { loadConversation } from './loadConversation.ts';
import { endRun, isHeldBy, isLive, leaseRun, openRuns, readRun, refuseForeignRun } from './runRecords.ts';
import { isEnded } from './runRows.ts';
import { hasUnsettled, settleConversation } from './settleConversation.ts';
import { appendInferredEnds, recordCallOperation } from './operations/callOperations.ts';
import { boundsOf } from './operations/operationRows.ts';
import type { SqliteOperations } from './operations/sqliteOperations.ts';
import type { MessageIndex } from './search/messageIndex.ts';
import type { StoreDatabase } from './storeDatabase.ts';
import { appendMessages } from './transcript.ts';

const pageRows = 200;

export interface SqliteRunStoreOptions {
  readonly database: StoreDatabase;
  readonly index: MessageIndex;
  /** Told of what this store adds to the log. */
  readonly operations: Pick<SqliteOperations, 'noteAppended'>;
  readonly clock: ClockPort;
  readonly self: LeaseOwner;
  readonly log: LogPort;
}

/** Runs and conversations of all windows. Faults are those of `StoreDatabase`; leases are decisions 2. */
export class SqliteRunStore implements RunStorePort {
  readonly #database: StoreDatabase;
  readonly #index: MessageIndex;
  readonly #operations: SqliteRunStoreOptions['operations'];
  readonly #clock: ClockPort;
  readonly #self: LeaseOwner;
  readonly #log: LogPort;

  constructor(options: SqliteRunStoreOptions) {
    this.#database = options.database;
    this.#index = options.index;
    this.#operations = options.operations;
    this.#clock = options.clock;
    this.#self = options.self;
    this.#log = options.log;
  }

  createConversation(conversation: NewConversation): Promise<void> {
    return this.#write((connection) => {
      connection.run(
        `INSERT INTO conversations (id, title, system_prompt, permission_mode, model_ref, created_at, updated_at, parent)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        conversation.id,
        conversation.title,
        conversation.systemPrompt,
        conversation.permissionMode,
        conversation.modelRef,
        conversation.createdAt,
        conversation.createdAt,
        conversation.parent ?? null,
      );
    });
  }

  async listConversations(): Promise<readonly ConversationSummary[]> {
    const found = new Map<ConversationId, ConversationSummary>();
    for (let after: ConversationSummary | undefined; ;) {
      const page = await this.#database.read((connection) =>
        readPage(connection, { after, limit: pageRows }, this.#view()),
      );
      for (const summary of page) found.set(summary.id, summary);
      if (page.length < pageRows) return [...found.values()];
      after = page.at(-1);
    }
  }

  async load(id: ConversationId): Promise<StoredConversation | undefined> {
    const isUnsettled = await this.#database.read((connection) => hasUnsettled(connection, id, this.#view()));
    const canWrite = this.#database.state.k === 'ready';
    if (isUnsettled && canWrite)
      await this.#write((connection) =>
        settleConversation(connection, id, { ...this.#view(), log: this.#log }),
      );
    return loadConversation(id, {
      database: this.#database,
      ...this.#view(),
      log: this.#log,
      withRecorded: isUnsettled && !canWrite,
    });
  }

  startRun(run: NewRun): Promise<void> {
    return this.#write((connection) => {
      const view = this.#view();
      refuseForeignRun(connection, run.conversationId, view);
      const known = readRun(connection, run.runId);
      if (known !== undefined && isHeldBy(known, this.#self)) return;
      for (const open of openRuns(connection, run.conversationId))
        this.#end(connection, open.id, { state: 'interrupted', endedAt: view.now });
      leaseRun(connection, run, view);
      this.#append(connection, run.conversationId, run.appended ?? []);
      if (run.implementedPlan !== undefined)
        implementPlan(connection, run.conversationId, run.implementedPlan);
    });
  }

  async renewLease(runId: RunId): Promise<boolean> {
    return this.#database.write({}, (connection) => {
      const run = readRun(connection, runId);
      if (run === undefined || !isHeldBy(run, this.#self)) return false;
      this.#renew(connection, runId);
      return true;
    });
  }

  async saveRun(snapshot: RunSnapshot): Promise<void> {
    await this.#save(snapshot);
    if (isEnded(snapshot.state)) this.#index.prepareSoon();
  }

  #save(snapshot: RunSnapshot): Promise<void> {
    return this.#write((connection) => {
      const run = readRun(connection, snapshot.runId);
      if (run?.conversationId !== snapshot.conversationId) throw localFault('stale-write');
      const isRepeated = run.hasEnded && run.state === snapshot.state;
      if (!isHeldBy(run, this.#self) && !isRepeated) throw localFault('run-leased');
      this.#append(connection, snapshot.conversationId, snapshot.appended);
      if (isRepeated) return;
      const { state, failure } = snapshot;
      if (isEnded(state)) {
        this.#end(connection, run.id, {
          state,
          endedAt: snapshot.endedAt ?? this.#clock.now(),
          ...(failure === undefined ? {} : { failure: JSON.stringify(failure) }),
        });
      } else {
        connection.run('UPDATE runs SET state = ? WHERE id = ?', state, run.id);
        this.#renew(connection, run.id);
      }
    });
  }

  async recordEvent(event: DurableEvent): Promise<void> {
    const isDurable = event.body.kind === 'toolStarted';
    const head = await this.#database.write({ area: 'conversations', isDurable }, (connection) => {
      const run = readRun(connection, event.runId);
      const conversation = event.conversationId ?? run?.conversationId;
      if (conversation === undefined || (isDurable && run === undefined)) throw localFault('stale-write');
      if (isDurable && run !== undefined && !isHeldBy(run, this.#self)) throw localFault('run-leased');
      recordCallEvent(connection, conversation, event);
      recordCallOperation(connection, event, { conversation, window: this.#self.windowId });
      return boundsOf(connection).head;
    });
    if (isDurable) this.#operations.noteAppended(head);
  }

  recordCompaction(conversationId: ConversationId, record: CompactionRecord): Promise<void> {
    return this.#write((connection) => {
      connection.run(
        `INSERT OR IGNORE INTO compactions (conversation_id, message_id, boundary, summary, facts, created_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        conversationId,
        record.messageId,
        record.boundary,
        record.summary,
        record.facts ?? null,
        record.createdAt,
      );
    });
  }

  decidePlan(
    conversationId: ConversationId,
    plan: PlanCall & { readonly outcome: PlanOutcome },
  ): Promise<PlanOutcome> {
    return this.#write((connection) => {
      const row = connection.get(
        `UPDATE calls SET plan_outcome = coalesce(plan_outcome, ?)
         WHERE conversation_id = ? AND run_id = ? AND call_id = ? RETURNING plan_outcome`,
        plan.outcome,
        conversationId,
        plan.runId,
        plan.callId,
      );
      if (row === undefined) throw localFault('stale-write');
      return row['plan_outcome'] === 'implemented' ? 'implemented' : 'discarded';
    });
  }

  enqueue(conversationId: ConversationId, message: UserMessage): Promise<void> {
    return this.#write((connection) => {
      connection.run(
        `INSERT OR IGNORE INTO inbox (conversation_id, position, id, payload)
         SELECT ?, 1 + coalesce(max(position), 0), ?, ? FROM inbox WHERE conversation_id = ?`,
        conversationId,
        message.id,
        JSON.stringify(message),
        conversationId,
      );
    });
  }

  markInFlight(conversationId: ConversationId, ids: readonly MessageId[], inFlight: boolean): Promise<void> {
    return this.#write((connection) => {
      for (const id of ids)
        connection.run(
          'UPDATE inbox SET in_flight = ? WHERE conversation_id = ? AND id = ?',
          inFlight ? 1 : 0,
          conversationId,
          id,
        );
    });
  }

  dequeue(conversationId: ConversationId, ids: readonly MessageId[]): Promise<void> {
    return this.#write((connection) => {
      for (const id of ids)
        connection.run('DELETE FROM inbox WHERE conversation_id = ? AND id = ?', conversationId, id);
    });
  }

  updateMetadata(id: ConversationId, metadata: ConversationMetadata): Promise<void> {
    const values: readonly (readonly [string, SqlValue | undefined])[] = [
      ['title', metadata.title],
      ['pinned', metadata.pinned === undefined ? undefined : Number(metadata.pinned)],
      ['archived', metadata.archived === undefined ? undefined : Number(metadata.archived)],
      ['place', metadata.order],
      ['planning', metadata.planning === undefined ? undefined : Number(metadata.planning)],
      ['permission_mode', metadata.permissionMode],
      ['model_ref', metadata.modelRef],
    ];
    return this.#write((connection) => {
      for (const [column, value] of values) {
        if (value === undefined) continue;
        const changed = connection.run(`UPDATE conversations SET ${column} = ? WHERE id = ?`, value, id);
        if (changed === 0) throw localFault('stale-write');
      }
    });
  }

  async truncateFrom(id: ConversationId, message: MessageId): Promise<void> {
    const from = await this.#database.read((connection) => {
      refuseForeignRun(connection, id, this.#view());
      return groupStart(connection, id, message);
    });
    if (from === undefined) throw localFault('stale-write');
    await this.#index.beforeRemoving(id, from, () =>
      this.#database.bulk(cutStatements(id, from), { area: 'conversations', reclaim: true }),
    );
  }

  async fork(id: ConversationId, upTo: MessageId, as: NewConversation): Promise<void> {
    const end = await this.#database.read((connection) => groupEnd(connection, id, upTo));
    if (end === undefined) throw localFault('stale-write');
    await this.#database.bulk(forkStatements({ from: id, ...end, as, now: this.#clock.now() }), {
      area: 'conversations',
      reclaim: false,
    });
  }

  async deleteConversation(id: ConversationId): Promise<void> {
    await this.#database.read((connection) => refuseForeignRun(connection, id, this.#view()));
    await this.#index.beforeRemoving(id, 0, () =>
      this.#database.bulk([{ sql: 'DELETE FROM conversations WHERE id = ?', values: [id] }], {
        area: 'conversations',
        reclaim: true,
      }),
    );
  }

  async interruptLapsedRuns(): Promise<
    readonly {
      readonly runId: RunId;
      readonly conversationId: ConversationId;
      readonly state: EndedRunState;
    }[]
  > {
    const lapsed = (connection: Connection): ReturnType<typeof openRuns> => {
      const { self, now } = this.#view();
      return openRuns(connection).filter((run) => !isLive(run, self, now));
    };
    if ((await this.#database.read(lapsed)).length === 0) return [];
    return this.#write((connection) =>
      lapsed(connection).map((run) => {
        this.#end(connection, run.id, { state: 'interrupted', endedAt: this.#clock.now() });
        return { runId: run.id, conversationId: run.conversationId, state: 'interrupted' };
      }),
    );
  }

  #write<T>(write: (connection: Connection) => T): Promise<T> {
    return this.#database.write({ area: 'conversations' }, write);
  }

  #view(): { readonly self: LeaseOwner; readonly now: number } {
    return { self: this.#self, now: this.#clock.now() };
  }

  /** Ends a run, and with it the calls that nobody saw the end of. */
  #end(connection: Connection, run: RunId, end: Parameters<typeof endRun>[2]): void {
    endRun(connection, run, end);
    appendInferredEnds(connection, run, { at: this.#clock.now(), window: this.#self.windowId });
  }

  #append(connection: Connection, id: ConversationId, messages: readonly Message[]): void {
    if (appendMessages(connection, id, messages) === 0) return;
    connection.run(
      'UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?',
      this.#clock.now(),
      id,
    );
  }

  #renew(connection: Connection, run: RunId): void {
    connection.run('UPDATE runs SET renewed_at = ? WHERE id = ?', this.#clock.now(), run);
  }
}

/** A decided plan stays decided, and plan mode is over. */
function implementPlan(connection: Connection, conversation: ConversationId, plan: PlanCall): void {
  const changed = connection.run(
    `UPDATE calls SET plan_outcome = 'implemented'
     WHERE conversation_id = ? AND run_id = ? AND call_id = ? AND plan_outcome IS NULL`,
    conversation,
    plan.runId,
    plan.callId,
  );
  if (changed === 0) throw localFault('stale-write');
  connection.run('UPDATE conversations SET planning = 0 WHERE id = ?', conversation);
}
