import type {
  AgentEvent,
  CallId,
  CompactionRecord,
  ConversationSummary,
  Message,
  MessageId,
  PlanCall,
  PlanOutcome,
  QueuedMessage,
  StoredCall,
  StoredConversation,
  StoredRun,
  ToolMessage,
  UserMessage,
} from '../../agentkit/index.ts';

/** An answer on its way; not stored until it is whole. */
export interface StreamingMessage {
  readonly id: MessageId;
  readonly text: string;
  readonly reasoning: string;
  readonly since: number;
}

/** What is known of one conversation: the stored rows, moved on by the events of a live run. A value; never changed in place. */
export interface ConversationState {
  readonly summary: ConversationSummary;
  readonly messages: readonly Message[];
  readonly calls: readonly StoredCall[];
  readonly runs: readonly StoredRun[];
  readonly inbox: readonly QueuedMessage[];
  readonly compactions: readonly CompactionRecord[];
  readonly streaming: StreamingMessage | undefined;
}

export function stateOf(stored: StoredConversation): ConversationState {
  const { summary, messages, calls, runs, inbox, compactions } = stored;
  return { summary, messages, calls, runs, inbox, compactions, streaming: undefined };
}

/** The state behind one event of a live run. Events that change nothing a reader sees give the same state back. */
export function applyEvent(state: ConversationState, event: AgentEvent): ConversationState {
  const { body, runId, at } = event;
  switch (body.kind) {
    case 'runStarted': {
      const run: StoredRun = { id: runId, state: 'connecting', startedAt: at };
      return withRun(withUserMessage(state, body.prompt), run, at);
    }
    case 'runState':
      return changeRun(state, { ...runOf(state, event), state: body.state });
    case 'runFinished': {
      const run = { ...runOf(state, event), state: body.state, endedAt: at };
      return {
        ...changeRun(state, body.failure === undefined ? run : { ...run, failure: body.failure }),
        streaming: undefined,
      };
    }
    case 'messageStarted':
      return { ...state, streaming: { id: body.messageId, text: '', reasoning: '', since: at } };
    case 'messageDelta':
      return streamed(state, body.messageId, (part) => ({ ...part, text: part.text + body.text }));
    case 'reasoningDelta':
      return streamed(state, body.messageId, (part) => ({ ...part, reasoning: part.reasoning + body.text }));
    case 'modelRetryScheduled':
      return { ...state, streaming: undefined };
    case 'messageFinished':
      return { ...withMessage(state, body.message), streaming: undefined };
    case 'steeringDelivered':
      return withUserMessage(state, body.message);
    case 'toolProposed': {
      const call: StoredCall = { runId, callId: body.call.callId, dispatched: false, proposed: body.call };
      return {
        ...state,
        calls: [...state.calls.filter((other) => !isCall(other, event, call.callId)), call],
      };
    }
    case 'reviewStarted':
    case 'reviewFinished':
    case 'reviewFailed':
      return changeCall(state, event, { callId: body.callId, change: { review: body } });
    case 'toolStarted':
      return changeCall(state, event, { callId: body.callId, change: { dispatched: true } });
    case 'toolFinished':
      return changeCall(withResult(state, body.message), event, {
        callId: body.message.callId,
        change: { result: body.message },
      });
    case 'compactionFinished':
      return { ...state, compactions: [...state.compactions, body.record] };
    default:
      return state;
  }
}

/** The state behind the first decision about a plan. */
export function withPlanOutcome(
  state: ConversationState,
  plan: PlanCall & { readonly outcome: PlanOutcome },
): ConversationState {
  const calls = state.calls.map((call) =>
    call.runId === plan.runId && call.callId === plan.callId ? { planOutcome: plan.outcome, ...call } : call,
  );
  const planning = plan.outcome !== 'implemented' && state.summary.planning;
  return { ...state, calls, summary: { ...state.summary, planning } };
}

/** The message with this id, once, at the end; and no longer in the inbox. */
function withUserMessage(state: ConversationState, message: UserMessage): ConversationState {
  const inbox = state.inbox.filter((queued) => queued.message.id !== message.id);
  return { ...withMessage(state, message), inbox };
}

function withMessage(state: ConversationState, message: Message): ConversationState {
  if (state.messages.some((known) => known.id === message.id)) return state;
  return withMessages(state, [...state.messages, message]);
}

function withMessages(state: ConversationState, messages: readonly Message[]): ConversationState {
  return { ...state, messages, summary: { ...state.summary, messageCount: messages.length } };
}

/** Results arrive in the order of completion and stand in the order of the calls. */
function withResult(state: ConversationState, result: ToolMessage): ConversationState {
  if (state.messages.some((known) => known.id === result.id)) return state;
  const asking = state.messages.findLastIndex(
    (message) =>
      message.role === 'assistant' &&
      message.runId === result.runId &&
      message.calls.some((call) => call.id === result.callId),
  );
  const question = state.messages[asking];
  if (question?.role !== 'assistant') return withMessages(state, [...state.messages, result]);
  const order = question.calls.map((call) => call.id);
  const rest = state.messages.slice(asking + 1);
  const before = rest.findIndex(
    (message) => message.role !== 'tool' || order.indexOf(message.callId) > order.indexOf(result.callId),
  );
  const index = asking + 1 + (before < 0 ? rest.length : before);
  return withMessages(state, state.messages.toSpliced(index, 0, result));
}

function streamed(
  state: ConversationState,
  id: MessageId,
  change: (part: StreamingMessage) => StreamingMessage,
): ConversationState {
  if (state.streaming?.id !== id) return state;
  return { ...state, streaming: change(state.streaming) };
}

function runOf(state: ConversationState, event: AgentEvent): StoredRun {
  return (
    state.runs.find((run) => run.id === event.runId) ?? {
      id: event.runId,
      state: 'connecting',
      startedAt: event.at,
    }
  );
}

function withRun(state: ConversationState, run: StoredRun, updatedAt: number): ConversationState {
  const moved = changeRun(state, run);
  return { ...moved, summary: { ...moved.summary, updatedAt } };
}

function changeRun(state: ConversationState, run: StoredRun): ConversationState {
  const isKnown = state.runs.some(({ id }) => id === run.id);
  const runs = isKnown ? state.runs.map((old) => (old.id === run.id ? run : old)) : [...state.runs, run];
  const live = run.endedAt === undefined;
  return { ...state, runs, summary: { ...state.summary, run: { id: run.id, state: run.state, live } } };
}

function changeCall(
  state: ConversationState,
  event: AgentEvent,
  edit: {
    readonly callId: CallId;
    readonly change: Partial<Pick<StoredCall, 'dispatched' | 'result' | 'review'>>;
  },
): ConversationState {
  const known = state.calls.some((call) => isCall(call, event, edit.callId));
  const calls = known
    ? state.calls.map((call) => (isCall(call, event, edit.callId) ? { ...call, ...edit.change } : call))
    : [...state.calls, { runId: event.runId, callId: edit.callId, dispatched: false, ...edit.change }];
  return { ...state, calls };
}

function isCall(call: StoredCall, event: AgentEvent, id: CallId): boolean {
  return call.runId === event.runId && call.callId === id;
}

/** A run of the conversation is live somewhere, as far as its stored rows tell. */
export function isOpenElsewhere(state: ConversationState): boolean {
  return state.summary.run?.live === true;
}
