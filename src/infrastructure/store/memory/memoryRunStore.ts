import type {
  AssistantMessage,
  CallId,
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
  QueuedMessage,
  RunId,
  RunSnapshot,
  RunStorePort,
  StoredCall,
  StoredConversation,
  StoredRun,
  ToolMessage,
  UserMessage,
} from '../../../agentkit/index.ts';
import { localFault } from '../../../domain/fault.ts';
import { isEnded } from '../runRows.ts';
import type { MemoryOperations } from './memoryOperations.ts';

interface Call {
  readonly runId: RunId;
  readonly callId: CallId;
  stored: Partial<Pick<StoredCall, 'result' | 'proposed' | 'review' | 'planOutcome'>>;
  dispatched: boolean;
}

interface Conversation {
  readonly created: NewConversation;
  metadata: Required<ConversationMetadata>;
  updatedAt: number;
  messages: Message[];
  runs: StoredRun[];
  calls: Call[];
  compactions: CompactionRecord[];
  inbox: QueuedMessage[];
}

/** What else is told of what happens here. */
export interface MemoryRunStoreOthers {
  /** Told which messages went; without them, all of the conversation. */
  readonly onRemoved: (id: ConversationId, messages?: readonly Message[]) => void;
  readonly operations: Pick<MemoryOperations, 'record' | 'inferEnds'>;
}

/**
 * Conversations until the window closes, for one window: every run is its own, so no lease is ever lost. The same contract as the
 * store on disk. Source: vscode.md 9, last paragraph.
 */
export class MemoryRunStore implements RunStorePort {
  readonly #clock: ClockPort;
  readonly #changed: () => void;
  readonly #others: MemoryRunStoreOthers;
  readonly #conversations = new Map<ConversationId, Conversation>();

  constructor(clock: ClockPort, changed: () => void, others: MemoryRunStoreOthers) {
    this.#clock = clock;
    this.#changed = changed;
    this.#others = others;
  }

  has(id: ConversationId): boolean {
    return this.#conversations.has(id);
  }

  async createConversation(created: NewConversation): Promise<void> {
    if (this.#conversations.has(created.id)) throw localFault('stale-write');
    this.#conversations.set(created.id, emptyConversation(created));
    this.#changed();
  }

  async listConversations(): Promise<readonly ConversationSummary[]> {
    return [...this.#conversations.values()]
      .map(toSummary)
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
  }

  async load(id: ConversationId): Promise<StoredConversation | undefined> {
    const found = this.#conversations.get(id);
    if (found === undefined) return undefined;
    if (!found.runs.some((run) => !isEnded(run.state))) settle(found);
    return structuredClone({
      summary: toSummary(found),
      systemPrompt: found.created.systemPrompt,
      messages: found.messages,
      runs: found.runs,
      calls: found.calls.map((call) => toStoredCall(found, call)).sort(byTranscript(found)),
      compactions: found.compactions,
      inbox: found.inbox,
    });
  }

  async startRun(run: NewRun): Promise<void> {
    const conversation = this.#get(run.conversationId);
    const known = conversation.runs.find(({ id }) => id === run.runId);
    if (known !== undefined && !isEnded(known.state)) return;
    if (known !== undefined) throw localFault('stale-write');
    const plan = run.implementedPlan && callOf(conversation, run.implementedPlan);
    if (run.implementedPlan !== undefined && (plan === undefined || plan.stored.planOutcome !== undefined))
      throw localFault('stale-write');
    const endedAt = this.#clock.now();
    for (const open of conversation.runs)
      if (!isEnded(open.state)) this.#others.operations.inferEnds(open.id);
    conversation.runs = conversation.runs.map((open) =>
      isEnded(open.state) ? open : { ...open, state: 'interrupted', endedAt },
    );
    conversation.runs.push({ id: run.runId, state: 'connecting', startedAt: run.startedAt });
    this.#append(conversation, run.appended ?? []);
    if (plan !== undefined) {
      plan.stored = { ...plan.stored, planOutcome: 'implemented' };
      conversation.metadata = { ...conversation.metadata, planning: false };
    }
    this.#changed();
  }

  async renewLease(runId: RunId): Promise<boolean> {
    const run = [...this.#conversations.values()].flatMap(({ runs }) => runs).find(({ id }) => id === runId);
    return run !== undefined && !isEnded(run.state);
  }

  async saveRun(snapshot: RunSnapshot): Promise<void> {
    const conversation = this.#get(snapshot.conversationId);
    const run = conversation.runs.find(({ id }) => id === snapshot.runId);
    if (run === undefined) throw localFault('stale-write');
    const isRepeated = isEnded(run.state);
    if (isRepeated && run.state !== snapshot.state) throw localFault('run-leased');
    this.#append(conversation, snapshot.appended);
    if (!isRepeated) {
      const { state, failure } = snapshot;
      const end = isEnded(state) ? { endedAt: snapshot.endedAt ?? this.#clock.now() } : {};
      conversation.runs = conversation.runs.map((other) =>
        other === run ? { ...run, state, ...end, ...(failure === undefined ? {} : { failure }) } : other,
      );
      if (isEnded(state)) this.#others.operations.inferEnds(run.id);
    }
    this.#changed();
  }

  async recordEvent(event: DurableEvent): Promise<void> {
    const conversation =
      event.conversationId === undefined
        ? [...this.#conversations.values()].find(({ runs }) => runs.some(({ id }) => id === event.runId))
        : this.#conversations.get(event.conversationId);
    if (conversation === undefined) throw localFault('stale-write');
    const isOpen = conversation.runs.some(({ id, state }) => id === event.runId && !isEnded(state));
    if (event.body.kind === 'toolStarted' && !isOpen) throw localFault('run-leased');
    record(conversation, structuredClone(event));
    const { calls, created, metadata } = conversation;
    this.#others.operations.record(structuredClone(event), {
      conversation: { id: created.id, title: metadata.title },
      recorded: (callId) => {
        const call = calls.find((known) => known.runId === event.runId && known.callId === callId);
        const { proposed, review } = call?.stored ?? {};
        return { proposed, review, isDispatched: call?.dispatched === true };
      },
    });
    this.#changed();
  }

  async recordCompaction(conversationId: ConversationId, compaction: CompactionRecord): Promise<void> {
    const { compactions } = this.#get(conversationId);
    if (!compactions.some(({ messageId }) => messageId === compaction.messageId))
      compactions.push({ ...compaction });
    this.#changed();
  }

  async decidePlan(
    id: ConversationId,
    plan: PlanCall & { readonly outcome: PlanOutcome },
  ): Promise<PlanOutcome> {
    const call = callOf(this.#get(id), plan);
    if (call === undefined) throw localFault('stale-write');
    const { planOutcome = plan.outcome } = call.stored;
    call.stored = { ...call.stored, planOutcome };
    this.#changed();
    return planOutcome;
  }

  async enqueue(conversationId: ConversationId, message: UserMessage): Promise<void> {
    const { inbox } = this.#get(conversationId);
    if (!inbox.some((queued) => queued.message.id === message.id))
      inbox.push({ message: structuredClone(message), inFlight: false });
    this.#changed();
  }

  async markInFlight(id: ConversationId, ids: readonly MessageId[], inFlight: boolean): Promise<void> {
    const conversation = this.#get(id);
    conversation.inbox = conversation.inbox.map((queued) =>
      ids.includes(queued.message.id) ? { ...queued, inFlight } : queued,
    );
    this.#changed();
  }

  async dequeue(id: ConversationId, ids: readonly MessageId[]): Promise<void> {
    const conversation = this.#get(id);
    conversation.inbox = conversation.inbox.filter(({ message }) => !ids.includes(message.id));
    this.#changed();
  }

  async updateMetadata(id: ConversationId, metadata: ConversationMetadata): Promise<void> {
    const conversation = this.#get(id);
    conversation.metadata = { ...conversation.metadata, ...metadata };
    this.#changed();
  }

  async truncateFrom(id: ConversationId, message: MessageId): Promise<void> {
    const conversation = this.#get(id);
    const start = groupStart(conversation.messages, message);
    if (start === undefined) throw localFault('stale-write');
    const cut = conversation.messages.splice(start);
    const removed = calledIn(cut);
    const left = new Set<string>(conversation.messages.flatMap((row) => [row.id, row.runId]));
    conversation.calls = conversation.calls.filter(
      (call) => !removed.has(key(call.runId, call.callId)) && left.has(call.runId),
    );
    conversation.runs = conversation.runs.filter((run) => !isEnded(run.state) || left.has(run.id));
    conversation.compactions = conversation.compactions.filter(({ boundary }) => left.has(boundary));
    this.#others.onRemoved(id, cut);
    this.#changed();
  }

  async fork(id: ConversationId, upTo: MessageId, as: NewConversation): Promise<void> {
    const from = this.#get(id);
    const end = groupEnd(from.messages, upTo);
    const last = from.messages.find((message) => message.id === upTo);
    if (end === undefined || last === undefined) throw localFault('stale-write');
    if (this.#conversations.has(as.id)) throw localFault('stale-write');
    const copy = emptyConversation({ ...as, parent: as.parent ?? id });
    copy.updatedAt = this.#clock.now();
    copy.messages = structuredClone(from.messages.slice(0, end));
    const kept = new Set<string>(copy.messages.map((message) => message.id));
    const calls = calledIn(copy.messages);
    copy.calls = structuredClone(from.calls.filter((call) => calls.has(key(call.runId, call.callId))));
    copy.compactions = from.compactions.filter(
      (compaction) => kept.has(compaction.boundary) && compaction.createdAt <= last.createdAt,
    );
    this.#conversations.set(as.id, copy);
    this.#changed();
  }

  async deleteConversation(id: ConversationId): Promise<void> {
    this.#conversations.delete(id);
    this.#others.onRemoved(id);
    this.#changed();
  }

  async interruptLapsedRuns(): Promise<
    readonly {
      readonly runId: RunId;
      readonly conversationId: ConversationId;
      readonly state: EndedRunState;
    }[]
  > {
    return [];
  }

  #append(conversation: Conversation, messages: readonly Message[]): void {
    if (append(conversation, structuredClone(messages)) > 0)
      conversation.updatedAt = Math.max(conversation.updatedAt, this.#clock.now());
  }

  #get(id: ConversationId): Conversation {
    const conversation = this.#conversations.get(id);
    if (conversation === undefined) throw localFault('stale-write');
    return conversation;
  }
}

function callOf({ calls }: Conversation, { runId, callId }: PlanCall): Call | undefined {
  return calls.find((call) => call.runId === runId && call.callId === callId);
}

const key = (run: RunId, call: CallId): string => `${run}\n${call}`;

/** The calls that these messages made. */
function calledIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap((row) =>
      row.role === 'assistant' ? row.calls.map((call) => key(row.runId, call.id)) : [],
    ),
  );
}

function emptyConversation(created: NewConversation): Conversation {
  const { title, permissionMode, modelRef } = created;
  return {
    created,
    metadata: {
      title,
      permissionMode,
      modelRef,
      pinned: false,
      archived: false,
      order: null,
      planning: false,
    },
    updatedAt: created.createdAt,
    messages: [],
    runs: [],
    calls: [],
    compactions: [],
    inbox: [],
  };
}

function toSummary(conversation: Conversation): ConversationSummary {
  const newest = [...conversation.runs]
    .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
    .at(-1);
  return {
    id: conversation.created.id,
    ...conversation.metadata,
    createdAt: conversation.created.createdAt,
    updatedAt: conversation.updatedAt,
    messageCount: conversation.messages.length,
    ...(newest === undefined
      ? {}
      : { run: { id: newest.id, state: newest.state, live: !isEnded(newest.state) } }),
  };
}

function toStoredCall({ messages }: Conversation, call: Call): StoredCall {
  const answer = messages.find((row) => isAnswer(row, call));
  const result = answer?.role === 'tool' ? answer : call.stored.result;
  return {
    runId: call.runId,
    callId: call.callId,
    dispatched: call.dispatched,
    ...call.stored,
    ...(result === undefined ? {} : { result }),
  };
}

function isAnswer(
  row: Message,
  call: { readonly runId: RunId; readonly callId: CallId },
): row is ToolMessage {
  return row.role === 'tool' && row.runId === call.runId && row.callId === call.callId;
}

/** Calls in the order of the transcript; those without an assistant message last. */
function byTranscript({ messages }: Conversation): (a: StoredCall, b: StoredCall) => number {
  const order = new Map<string, number>();
  for (const row of messages)
    if (row.role === 'assistant')
      for (const call of row.calls) order.set(key(row.runId, call.id), order.size);
  const place = (call: StoredCall): number => order.get(key(call.runId, call.callId)) ?? order.size;
  return (a, b) => place(a) - place(b);
}

function append(conversation: Conversation, added: readonly Message[]): number {
  let count = 0;
  for (const message of added) {
    if (conversation.messages.some(({ id }) => id === message.id)) continue;
    count++;
    if (message.role === 'tool') conversation.messages.splice(slotOf(conversation, message), 0, message);
    else conversation.messages.push(message);
    if (message.role === 'assistant')
      for (const call of message.calls) ensureCall(conversation, message.runId, call.id);
    if (message.role === 'user')
      conversation.inbox = conversation.inbox.filter((queued) => queued.message.id !== message.id);
  }
  return count;
}

/** Directly behind the assistant message, in call order; at the end for a result without a call. */
function slotOf({ messages }: Conversation, result: ToolMessage): number {
  const owner = messages.findIndex(
    (row) => row.role === 'assistant' && row.runId === result.runId && positionOf(row, result.callId) >= 0,
  );
  const assistant = messages[owner];
  if (assistant?.role !== 'assistant') return messages.length;
  const position = positionOf(assistant, result.callId);
  let slot = owner + 1;
  for (
    let row = messages[slot];
    row?.role === 'tool' && row.runId === assistant.runId;
    row = messages[++slot]
  )
    if (positionOf(assistant, row.callId) > position) break;
  return slot;
}

const positionOf = (message: AssistantMessage, call: CallId): number =>
  message.calls.findIndex(({ id }) => id === call);

function ensureCall(conversation: Conversation, runId: RunId, callId: CallId): Call {
  const known = conversation.calls.find((call) => call.runId === runId && call.callId === callId);
  if (known !== undefined) return known;
  const call: Call = { runId, callId, stored: {}, dispatched: false };
  conversation.calls.push(call);
  return call;
}

function record(conversation: Conversation, { runId, body }: DurableEvent): void {
  switch (body.kind) {
    case 'toolProposed': {
      const call = ensureCall(conversation, runId, body.call.callId);
      call.stored = { ...call.stored, proposed: body.call };
      return;
    }
    case 'toolStarted':
      ensureCall(conversation, runId, body.callId).dispatched = true;
      return;
    case 'toolFinished': {
      const call = ensureCall(conversation, runId, body.message.callId);
      call.stored = { result: body.message, ...call.stored };
      return;
    }
    case 'callDecided':
      // Only the operations log keeps it.
      return;
    case 'reviewStarted':
    case 'reviewFinished':
    case 'reviewFailed': {
      const call = ensureCall(conversation, runId, body.callId);
      call.stored = { ...call.stored, review: body };
    }
  }
}

/** Recorded results become transcript rows, and what was in flight waits again. */
function settle(conversation: Conversation): void {
  for (const { runId, callId, stored } of conversation.calls) {
    const isCalled = conversation.messages.some(
      (row) => row.role === 'assistant' && row.runId === runId && positionOf(row, callId) >= 0,
    );
    if (stored.result !== undefined && isCalled) append(conversation, [stored.result]);
  }
  conversation.inbox = conversation.inbox.map(({ message }) => ({ message, inFlight: false }));
}

function groupStart(messages: readonly Message[], id: MessageId): number | undefined {
  let start = messages.findIndex((message) => message.id === id);
  if (start < 0) return undefined;
  while (messages[start]?.role === 'tool' && start > 0) start--;
  return start;
}

function groupEnd(messages: readonly Message[], id: MessageId): number | undefined {
  const place = messages.findIndex((message) => message.id === id);
  if (place < 0) return undefined;
  let end = place + 1;
  if (messages[place]?.role !== 'user') while (messages[end]?.role === 'tool') end++;
  return end;
}
