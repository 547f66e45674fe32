import type {
  CallId,
  CompactionRecord,
  ConversationId,
  ConversationMetadata,
  ConversationSummary,
  ClockPort,
  DurableEvent,
  Message,
  MessageId,
  NewConversation,
  NewRun,
  PlanCall,
  PlanOutcome,
  QueuedMessage,
  RunId,
  RunSnapshot,
  RunState,
  RunStorePort,
  StoredCall,
  StoredConversation,
  StoredRun,
  ToolMessage,
  UserMessage,
} from '../../../../src/agentkit/index.ts';

const lapsesAfterMs = 45_000;

interface Run {
  stored: StoredRun;
  owner: string | undefined;
  renewedAt: number;
}

interface Conversation {
  readonly created: NewConversation;
  metadata: ConversationMetadata;
  updatedAt: number;
  order: number;
  messages: Message[];
  inbox: QueuedMessage[];
  compactions: CompactionRecord[];
  readonly runs: Map<RunId, Run>;
  readonly calls: Map<string, StoredCall>;
}

/** What all windows share. */
export class MemoryRows {
  readonly conversations = new Map<ConversationId, Conversation>();
  order = 0;
}

/** Fails as a real store does: an error with a `fault`. */
export class StoreFault extends Error {
  readonly fault: { readonly code: string; readonly facts: Readonly<Record<string, string>> };

  constructor(code: string) {
    super(`store: ${code}`);
    this.fault = { code, facts: {} };
  }
}

export type StoreMethod = keyof RunStorePort;

/**
 * The run store of tests: rows in memory, seen from one window. Passes the contract of `test/contract/runStore.ts`. `before` is awaited in
 * front of each operation and may throw, so a test can hold or fail a write.
 */
export class MemoryRunStore implements RunStorePort {
  readonly rows: MemoryRows;
  readonly #clock: ClockPort;
  readonly #window: string;
  /** Operations in the order they were asked for. */
  readonly journal: string[] = [];
  before: (method: StoreMethod, argument: unknown) => Promise<void> | void = () => {};

  constructor(options: { readonly clock: ClockPort; readonly rows?: MemoryRows; readonly window?: string }) {
    this.#clock = options.clock;
    this.rows = options.rows ?? new MemoryRows();
    this.#window = options.window ?? 'window-1';
  }

  async createConversation(created: NewConversation): Promise<void> {
    await this.#enter('createConversation', created);
    this.rows.conversations.set(created.id, {
      created,
      metadata: {},
      updatedAt: created.createdAt,
      order: this.rows.order++,
      messages: [],
      inbox: [],
      compactions: [],
      runs: new Map(),
      calls: new Map(),
    });
  }

  async listConversations(): Promise<readonly ConversationSummary[]> {
    await this.#enter('listConversations', undefined);
    return [...this.rows.conversations.values()]
      .sort((a, b) => b.updatedAt - a.updatedAt || b.order - a.order)
      .map((one) => this.#summary(one));
  }

  async load(id: ConversationId): Promise<StoredConversation | undefined> {
    await this.#enter('load', id);
    const one = this.rows.conversations.get(id);
    if (one === undefined) return undefined;
    this.#materialise(one);
    return structuredClone({
      summary: this.#summary(one),
      systemPrompt: one.created.systemPrompt,
      messages: one.messages,
      runs: [...one.runs.values()].map((run) => run.stored),
      calls: this.#calls(one),
      compactions: one.compactions,
      inbox: one.inbox,
    });
  }

  async startRun(run: NewRun): Promise<void> {
    await this.#enter('startRun', run);
    const one = this.#get(run.conversationId);
    for (const other of one.runs.values())
      if (this.#isLive(other) && other.owner !== this.#window) throw new StoreFault('run-leased');
    const plan = run.implementedPlan && planCall(one, run.implementedPlan);
    if (plan?.planOutcome !== undefined) throw new StoreFault('stale-write');
    for (const [id, other] of one.runs)
      if (id !== run.runId && isUnfinished(other.stored.state)) this.#end(other, 'interrupted');
    if (plan !== undefined) {
      setCall(one, { ...plan, planOutcome: 'implemented' });
      one.metadata = { ...one.metadata, planning: false };
    }
    if (run.appended !== undefined) this.#append(one, run.appended);
    const stored: StoredRun = { id: run.runId, state: 'connecting', startedAt: run.startedAt };
    one.runs.set(run.runId, { stored, owner: this.#window, renewedAt: this.#clock.now() });
  }

  async renewLease(runId: RunId): Promise<boolean> {
    await this.#enter('renewLease', runId);
    const run = this.#run(runId)?.run;
    if (run?.owner !== this.#window) return false;
    run.renewedAt = this.#clock.now();
    return true;
  }

  async saveRun(snapshot: RunSnapshot): Promise<void> {
    await this.#enter('saveRun', snapshot);
    const one = this.#get(snapshot.conversationId);
    const run = one.runs.get(snapshot.runId);
    if (run === undefined) throw new StoreFault('stale-write');
    if (run.owner !== this.#window && !sameEnd(run.stored, snapshot)) throw new StoreFault('run-leased');
    this.#append(one, snapshot.appended);
    run.stored = {
      id: snapshot.runId,
      state: snapshot.state,
      startedAt: run.stored.startedAt,
      ...(snapshot.endedAt !== undefined && { endedAt: snapshot.endedAt }),
      ...(snapshot.failure && { failure: snapshot.failure }),
    };
    if (isUnfinished(snapshot.state)) return;
    run.owner = undefined;
    one.inbox = one.inbox.map((queued) => ({ ...queued, inFlight: false }));
  }

  async recordEvent(event: DurableEvent): Promise<void> {
    await this.#enter('recordEvent', event);
    const owner = this.#run(event.runId);
    if (owner === undefined) throw new StoreFault('stale-write');
    if (event.body.kind === 'toolStarted' && owner.run.owner !== this.#window)
      throw new StoreFault('run-leased');
    const { body } = structuredClone(event);
    const id = callOf(body);
    const key = `${event.runId} ${id}`;
    const call = owner.conversation.calls.get(key) ?? { runId: event.runId, callId: id, dispatched: false };
    owner.conversation.calls.set(key, recorded(call, body));
  }

  async recordCompaction(id: ConversationId, record: CompactionRecord): Promise<void> {
    await this.#enter('recordCompaction', record);
    const { compactions } = this.#get(id);
    if (!compactions.some((known) => known.messageId === record.messageId)) compactions.push(record);
  }

  async decidePlan(
    id: ConversationId,
    plan: PlanCall & { readonly outcome: PlanOutcome },
  ): Promise<PlanOutcome> {
    await this.#enter('decidePlan', plan);
    const one = this.#get(id);
    const call = planCall(one, plan);
    const { planOutcome = plan.outcome } = call;
    setCall(one, { ...call, planOutcome });
    return planOutcome;
  }

  async enqueue(id: ConversationId, message: UserMessage): Promise<void> {
    await this.#enter('enqueue', message);
    const { inbox } = this.#get(id);
    if (!inbox.some((queued) => queued.message.id === message.id))
      inbox.push({ message: structuredClone(message), inFlight: false });
  }

  async markInFlight(id: ConversationId, ids: readonly MessageId[], inFlight: boolean): Promise<void> {
    await this.#enter('markInFlight', ids);
    const one = this.#get(id);
    one.inbox = one.inbox.map((queued) =>
      ids.includes(queued.message.id) ? { message: queued.message, inFlight } : queued,
    );
  }

  async dequeue(id: ConversationId, ids: readonly MessageId[]): Promise<void> {
    await this.#enter('dequeue', ids);
    const one = this.#get(id);
    one.inbox = one.inbox.filter((queued) => !ids.includes(queued.message.id));
  }

  async updateMetadata(id: ConversationId, metadata: ConversationMetadata): Promise<void> {
    await this.#enter('updateMetadata', metadata);
    const one = this.#get(id);
    one.metadata = { ...one.metadata, ...metadata };
  }

  async truncateFrom(id: ConversationId, message: MessageId): Promise<void> {
    await this.#enter('truncateFrom', message);
    const one = this.#get(id);
    one.messages = one.messages.slice(0, this.#groupStart(one, message));
    const kept = new Set(one.messages.map((row) => row.runId));
    for (const runId of one.runs.keys()) if (!kept.has(runId)) one.runs.delete(runId);
    const calls = callKeys(one.messages);
    for (const key of one.calls.keys()) if (!calls.has(key)) one.calls.delete(key);
  }

  async fork(id: ConversationId, upTo: MessageId, as: NewConversation): Promise<void> {
    await this.#enter('fork', upTo);
    const one = this.#get(id);
    const end = this.#groupEnd(one, upTo);
    await this.createConversation(as);
    const copy = this.#get(as.id);
    copy.messages = structuredClone(one.messages.slice(0, end));
    const asOf = copy.messages.at(-1)?.createdAt ?? 0;
    copy.compactions = one.compactions.filter((record) => record.createdAt <= asOf);
    const calls = callKeys(copy.messages);
    for (const [key, call] of one.calls) if (calls.has(key)) copy.calls.set(key, structuredClone(call));
  }

  async deleteConversation(id: ConversationId): Promise<void> {
    await this.#enter('deleteConversation', id);
    this.rows.conversations.delete(id);
  }

  async interruptLapsedRuns(): ReturnType<RunStorePort['interruptLapsedRuns']> {
    await this.#enter('interruptLapsedRuns', undefined);
    const lapsed: { runId: RunId; conversationId: ConversationId; state: 'interrupted' }[] = [];
    for (const [conversationId, one] of this.rows.conversations)
      for (const [runId, run] of one.runs) {
        if (!isUnfinished(run.stored.state) || this.#isLive(run)) continue;
        this.#end(run, 'interrupted');
        lapsed.push({ runId, conversationId, state: 'interrupted' });
      }
    return lapsed;
  }

  async #enter(method: StoreMethod, argument: unknown): Promise<void> {
    this.journal.push(method);
    await this.before(method, argument);
  }

  #get(id: ConversationId): Conversation {
    const one = this.rows.conversations.get(id);
    if (one === undefined) throw new StoreFault('stale-write');
    return one;
  }

  #run(id: RunId): { readonly conversation: Conversation; readonly run: Run } | undefined {
    for (const conversation of this.rows.conversations.values()) {
      const run = conversation.runs.get(id);
      if (run !== undefined) return { conversation, run };
    }
    return undefined;
  }

  #isLive(run: Run): boolean {
    return run.owner !== undefined && this.#clock.now() - run.renewedAt <= lapsesAfterMs;
  }

  #end(run: Run, state: RunState): void {
    run.owner = undefined;
    run.stored = { ...run.stored, state, endedAt: this.#clock.now() };
  }

  #summary(one: Conversation): ConversationSummary {
    const { id, title, modelRef, permissionMode, createdAt } = one.created;
    const last = [...one.runs.values()].at(-1);
    return {
      id,
      title,
      modelRef,
      permissionMode,
      pinned: false,
      archived: false,
      order: null,
      planning: false,
      ...one.metadata,
      createdAt,
      updatedAt: one.updatedAt,
      messageCount: one.messages.length,
      ...(last && { run: { id: last.stored.id, state: last.stored.state, live: this.#isLive(last) } }),
    };
  }

  /** Calls of the transcript in its order, then those that have only events. */
  #calls(one: Conversation): readonly StoredCall[] {
    const rest = new Map(one.calls);
    const inTranscript = one.messages.flatMap((row) =>
      row.role !== 'assistant'
        ? []
        : row.calls.map(({ id }): StoredCall => {
            const key = `${row.runId} ${id}`;
            const call = rest.get(key) ?? { runId: row.runId, callId: id, dispatched: false };
            rest.delete(key);
            const result = call.result ?? resultIn(one.messages, row.runId, id);
            return { ...call, ...(result && { result }) };
          }),
    );
    return [...inTranscript, ...rest.values()];
  }

  #append(one: Conversation, messages: readonly Message[]): void {
    for (const message of structuredClone(messages)) this.#add(one, message);
    one.updatedAt = this.#clock.now();
    one.order = this.rows.order++;
  }

  #add(one: Conversation, message: Message): void {
    one.inbox = one.inbox.filter((queued) => queued.message.id !== message.id);
    if (one.messages.some((known) => known.id === message.id)) return;
    if (message.role === 'tool') this.#addResult(one, message);
    else one.messages.push(message);
  }

  /** A result stands behind its assistant message in call order. */
  #addResult(one: Conversation, result: Extract<Message, { role: 'tool' }>): void {
    const at = one.messages.findLastIndex(
      (row) =>
        row.role === 'assistant' &&
        row.runId === result.runId &&
        row.calls.some((call) => call.id === result.callId),
    );
    const assistant = one.messages[at];
    if (assistant?.role !== 'assistant') return void one.messages.push(result);
    const order = assistant.calls.map((call) => call.id);
    let place = at + 1;
    for (let row = one.messages[place]; row?.role === 'tool'; row = one.messages[++place])
      if (order.indexOf(row.callId) > order.indexOf(result.callId)) break;
    one.messages.splice(place, 0, result);
  }

  #materialise(one: Conversation): void {
    for (const call of one.calls.values()) {
      const run = one.runs.get(call.runId);
      const isOver = run === undefined || !isUnfinished(run.stored.state);
      if (call.result && isOver) this.#add(one, structuredClone(call.result));
    }
  }

  #groupStart(one: Conversation, message: MessageId): number {
    let at = one.messages.findIndex((row) => row.id === message);
    if (at < 0) throw new StoreFault('stale-write');
    while (one.messages[at]?.role === 'tool') at--;
    return at;
  }

  #groupEnd(one: Conversation, message: MessageId): number {
    let at = one.messages.findIndex((row) => row.id === message);
    if (at < 0) throw new StoreFault('stale-write');
    do at++;
    while (one.messages[at]?.role === 'tool');
    return at;
  }
}

function isUnfinished(state: RunState): boolean {
  return !['completed', 'failed', 'cancelled', 'interrupted'].includes(state);
}

function sameEnd(stored: StoredRun, snapshot: RunSnapshot): boolean {
  return !isUnfinished(stored.state) && stored.state === snapshot.state && snapshot.appended.length === 0;
}

function resultIn(messages: readonly Message[], run: RunId, call: CallId): ToolMessage | undefined {
  return messages.find(
    (row): row is ToolMessage => row.role === 'tool' && row.runId === run && row.callId === call,
  );
}

/** Throws `stale-write` when nobody made that call. */
function planCall({ calls, messages }: Conversation, { runId, callId }: PlanCall): StoredCall {
  const key = `${runId} ${callId}`;
  const known = calls.get(key);
  if (known === undefined && !callKeys(messages).has(key)) throw new StoreFault('stale-write');
  return known ?? { runId, callId, dispatched: false };
}

function setCall({ calls }: Conversation, call: StoredCall): void {
  calls.set(`${call.runId} ${call.callId}`, call);
}

function callKeys(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap((row) =>
      row.role === 'assistant' ? row.calls.map((call) => `${row.runId} ${call.id}`) : [],
    ),
  );
}

function callOf(body: DurableEvent['body']): CallId {
  if (body.kind === 'toolProposed') return body.call.callId;
  return body.kind === 'toolFinished' ? body.message.callId : body.callId;
}

function recorded(call: StoredCall, body: DurableEvent['body']): StoredCall {
  switch (body.kind) {
    case 'toolProposed':
      return { ...call, proposed: body.call };
    case 'callDecided':
      return call;
    case 'toolStarted':
      return { ...call, dispatched: true };
    case 'toolFinished':
      return { ...call, result: body.message };
    case 'reviewStarted':
    case 'reviewFinished':
    case 'reviewFailed':
      return { ...call, review: body };
  }
}
