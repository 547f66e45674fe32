import {
  approvalId,
  callId,
  conversationId,
  Emitter,
  messageId,
  runId,
  type AgentEvent,
  type AgentEventBody,
  type AssistantMessage,
  type ClockPort,
  type ConversationSummary,
  type Grant,
  type JsonObject,
  type PermissionMode,
  type ProposedCall,
  type RunId,
  type RunAnswer,
  type RunQuestion,
  type ToolMessage,
  type UserInputOutcome,
  type UserMessage,
  type UserQuestion,
} from '../../../../src/agentkit/index.ts';
import type {
  AssistantLibrary,
  ConversationSession,
  ConversationSnapshot,
  ModelChoice,
  WaitingApproval,
} from '../../../../src/application/assistant/assistantLibrary.ts';
import { CardQueue } from '../../../../src/application/assistant/cardQueue.ts';
import type { ConversationPlan } from '../../../../src/application/assistant/conversationPlan.ts';
import { RaisedHosts } from '../../../../src/application/assistant/raisedHosts.ts';
import { QuestionQueue } from '../../../../src/application/assistant/questionQueue.ts';
import type { StoreState } from '../../../../src/application/ports/store.ts';
import type { HostListing } from '../../../../src/domain/host/host.ts';
import { aliasHostId } from '../../../../src/domain/host/hostId.ts';
import { AssistantModel } from '../../../../src/features/assistant/model/assistantModel.ts';
import { failureTexts } from '../../../../src/features/assistant/presentation/failure.ts';
import { assistantTexts, type Localiser } from '../../../../src/features/assistant/presentation/texts.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

/** The editor's `l10n` without a translation. */
export const plainL10n: Localiser = {
  t: (message, ...args) =>
    message.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole)),
};

export const texts = assistantTexts(plainL10n);
export const endTexts = { texts, failures: failureTexts(plainL10n) };

export const startedAt = 1_700_000_000_000;
const conversation = conversationId('11111111-1111-4111-8111-111111111111');
export const run = runId('22222222-2222-4222-8222-222222222222');

export function userMessage(text: string, parts: Partial<UserMessage> = {}): UserMessage {
  return {
    role: 'user',
    id: messageId('u1'),
    runId: run,
    createdAt: startedAt,
    text,
    images: [],
    origin: { kind: 'person' },
    context: {},
    ...parts,
  };
}

export function assistantMessage(text: string, parts: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: 'assistant',
    id: messageId('m1'),
    runId: run,
    createdAt: startedAt,
    text,
    reasoning: '',
    calls: [],
    providerItems: [],
    stop: 'completed',
    ...parts,
  };
}

export function toolMessage(text: string, parts: Partial<ToolMessage> = {}): ToolMessage {
  return {
    role: 'tool',
    id: messageId('t1'),
    runId: run,
    createdAt: startedAt,
    callId: callId('call_1'),
    toolName: 'ssh_exec_run',
    text,
    isError: false,
    ...parts,
  };
}

/** A result as the projection freezes it. */
export function envelope(fields: JsonObject): string {
  return `<untrusted-data>\n${JSON.stringify(fields).replaceAll('</', '<\\/')}\n</untrusted-data>`;
}

/** The frozen text of a command that has ended. */
export function commandResult(fields: JsonObject): string {
  return envelope({
    exec_id: 'e1',
    status: 'exited',
    exit_code: 0,
    signal: null,
    timed_out: false,
    duration_ms: 30,
    host: { host_id: aliasHostId('lab'), label: 'lab' },
    truncated: false,
    returned_lines: 1,
    total_lines: 1,
    ...fields,
  });
}

export function proposedCall(command: string, parts: Partial<ProposedCall> = {}): ProposedCall {
  return {
    callId: callId('call_1'),
    toolName: 'ssh_exec_run',
    arguments: { host_id: aliasHostId('lab'), command },
    presentation: {
      symbol: 'terminal',
      activity: 'Running a command',
      actionKind: 'execute',
      groupsWithAdjacent: false,
    },
    subject: {
      action: command,
      target: 'lab',
      targetId: aliasHostId('lab'),
      identity: 'root',
      tier: '',
      details: [],
    },
    ...parts,
  };
}

export function snapshotOf(parts: Partial<ConversationSnapshot> = {}): ConversationSnapshot {
  return {
    summary: summaryOf(),
    messages: [],
    calls: [],
    runs: [],
    queued: [],
    readOnly: false,
    compactions: [],
    plan: undefined,
    tasks: [],
    costCeiling: 'off',
    ...parts,
  };
}

export function summaryOf(parts: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    id: conversation,
    title: 'Disk of lab',
    modelRef: 'lab/scripted',
    permissionMode: 'ask',
    pinned: false,
    archived: false,
    order: null,
    planning: false,
    createdAt: startedAt,
    updatedAt: startedAt,
    messageCount: 0,
    ...parts,
  };
}

/** A conversation that ends with a plan, by call `p`. `planOf` is the run whose plan is the latest. */
export function planned(
  parts: {
    readonly plan?: string;
    readonly outcome?: ConversationPlan['outcome'];
    readonly planOf?: RunId;
  } = {},
): ConversationSnapshot {
  const { plan = '# Plan\n', outcome = 'pending', planOf = run } = parts;
  const presented = { title: 'Free the disk', scratchPath: 'plan.md', plan };
  const id = callId('p');
  return snapshotOf({
    messages: [
      assistantMessage('', { calls: [{ id, name: 'present_plan', argumentsText: '{}' }] }),
      toolMessage(envelope({ presented: true }), {
        callId: id,
        toolName: 'present_plan',
        presentation: presented,
      }),
    ],
    calls: [
      { runId: run, callId: id, dispatched: true, ...(outcome !== 'pending' && { planOutcome: outcome }) },
    ],
    runs: [{ id: run, state: 'completed', startedAt }],
    plan: { ...presented, runId: planOf, callId: id, outcome },
  });
}

/** Events of one run, numbered from 1. */
export function eventsOf(...bodies: readonly AgentEventBody[]): AgentEvent[] {
  return bodies.map((body, index) => ({ runId: run, seq: index + 1, at: startedAt + index * 100, body }));
}

/** A session in memory: stores what it is sent and fires what the test says. */
export class MemorySession implements ConversationSession {
  readonly id = conversation;
  readonly #events = new Emitter<AgentEvent>();
  readonly #changes = new Emitter<void>();
  readonly onEvent = this.#events.event;
  readonly onDidChange = this.#changes.event;
  readonly sent: string[] = [];
  readonly cancelled: string[] = [];
  readonly implemented: string[] = [];
  readonly discarded: string[] = [];
  stored: ConversationSnapshot;
  isRunning = false;
  refusal: Error | undefined;
  /** A message is stored behind this. */
  whenSent: Promise<unknown> = Promise.resolve();
  retries = 0;
  stops = 0;

  constructor(stored: ConversationSnapshot = snapshotOf()) {
    this.stored = stored;
  }

  snapshot(): ConversationSnapshot {
    return this.stored;
  }

  async send(text: string): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    await this.whenSent;
    this.sent.push(text);
    const message = userMessage(text, { id: messageId(`u${this.stored.messages.length + 1}`) });
    this.store({ messages: [...this.stored.messages, message] });
  }

  async retry(): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.retries += 1;
  }

  stop(): void {
    this.stops += 1;
  }

  async cancelCommand(id: string): Promise<void> {
    this.cancelled.push(id);
  }

  async setMode(mode: PermissionMode): Promise<void> {
    this.store({ summary: { ...this.stored.summary, permissionMode: mode } });
  }

  async setModel(ref: string): Promise<void> {
    this.store({ summary: { ...this.stored.summary, modelRef: ref } });
  }

  async setPlanning(planning: boolean): Promise<void> {
    this.store({ summary: { ...this.stored.summary, planning } });
  }

  async implementPlan(id: string): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.implemented.push(id);
  }

  async discardPlan(id: string): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    this.discarded.push(id);
  }

  store(parts: Partial<ConversationSnapshot>): void {
    this.stored = { ...this.stored, ...parts };
    this.#changes.fire();
  }

  fire(...events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.body.kind === 'runStarted') this.isRunning = true;
      if (event.body.kind === 'runFinished') this.isRunning = false;
      this.#events.fire(event);
    }
  }
}

/** The library in memory, with one conversation. */
export class MemoryLibrary implements AssistantLibrary {
  readonly session: MemorySession;
  readonly #changed = new Emitter<void>();
  readonly #queue: CardQueue;
  readonly onDidChange = this.#changed.event;
  /** The real questions in the real queue; approvals stand in the same one. */
  readonly cards: QuestionQueue;
  waitingApprovals: WaitingApproval[] = [];
  /** What becomes of an edit: another version, or a sentence that refuses it. */
  onEdit: (text: string, approval: WaitingApproval) => WaitingApproval | string = () => 'Nobody edits here.';
  readonly raised = new RaisedHosts(() => {});
  given: Grant[] = [];
  readonly grants: AssistantLibrary['grants'] = {
    list: () => Promise.resolve(this.given),
    revoke: (_conversation, id) => {
      const before = this.given.length;
      this.given = this.given.filter((grant) => grant.id !== id);
      return Promise.resolve(this.given.length < before);
    },
  };
  created = 0;
  readonly settled: {
    approvalId: string;
    shownDigest: string;
    verdict: string;
    reason?: string | undefined;
  }[] = [];
  choices: ModelChoice[] = [{ ref: 'lab/scripted', label: 'Scripted', ready: true, problem: undefined }];

  constructor(session: MemorySession, clock: ClockPort) {
    this.session = session;
    this.#queue = new CardQueue(clock);
    this.cards = new QuestionQueue(this.#queue, clock);
  }

  get approvals(): AssistantLibrary['approvals'] {
    return {
      waiting: this.waitingApprovals,
      onDidChange: this.#queue.onDidChange,
      settle: (answer) => {
        const found = this.waitingApprovals.find(
          ({ request }) => request.id === answer.approvalId && request.digest === answer.shownDigest,
        );
        if (found === undefined) return false;
        this.settled.push(answer);
        this.wait(this.waitingApprovals.filter((approval) => approval !== found));
        return true;
      },
      revise: ({ approvalId: id, shownDigest, text }) => {
        const found = this.waitingApprovals.find(
          ({ request }) => request.id === id && request.digest === shownDigest,
        );
        if (found === undefined) return Promise.resolve({ kind: 'gone' });
        const edited = this.onEdit(text, found);
        if (typeof edited === 'string') return Promise.resolve({ kind: 'refused', problem: edited });
        this.wait(this.waitingApprovals.map((approval) => (approval === found ? edited : approval)));
        return Promise.resolve({ kind: 'revised' });
      },
    };
  }

  /** These approvals wait from now on, and no others. */
  wait(approvals: WaitingApproval[]): void {
    const before = this.waitingApprovals;
    this.waitingApprovals = approvals;
    for (const approval of before) if (!approvals.includes(approval)) this.#queue.remove(approval.request.id);
    for (const approval of approvals) {
      const { id, runId } = approval.request;
      const { conversationId } = approval;
      if (before.includes(approval)) continue;
      this.#queue.add({ id, conversationId, runId, subject: { kind: 'approval', approval } });
    }
  }

  /** The model of the one conversation asks; the promise is what it will read. */
  ask(
    questions: readonly UserQuestion[],
    { signal = new AbortController().signal, timeoutMs = 300_000 } = {},
  ): Promise<UserInputOutcome> {
    const request = { runId: run, conversationId: conversation, callId: callId('q'), timeoutMs };
    return this.cards.userInput.ask({ ...request, questions }, signal);
  }

  /** The run of the one conversation asks whether it goes on. */
  askWhether(question: RunQuestion): Promise<RunAnswer> {
    return this.cards.runQuestions.ask(
      { ...question, runId: run, conversationId: conversation },
      new AbortController().signal,
    );
  }

  async list(): Promise<readonly ConversationSummary[]> {
    return [this.session.stored.summary];
  }

  async create(): Promise<ConversationSession> {
    this.created += 1;
    return this.session;
  }

  async open(): Promise<ConversationSession | undefined> {
    return this.session;
  }

  async rename(): Promise<void> {}

  async delete(): Promise<void> {}

  models(): readonly ModelChoice[] {
    return this.choices;
  }
}

const lab: HostListing = {
  id: aliasHostId('lab'),
  label: 'lab',
  source: 'ssh_config',
  address: '192.0.2.1',
  port: 22,
  user: 'root',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: 'lab',
};

export interface ModelSetUp {
  readonly model: AssistantModel;
  readonly library: MemoryLibrary;
  readonly session: MemorySession;
  readonly clock: FakeClock;
  setStore(state: StoreState): void;
}

/** A model on memory ports, with the one conversation shown. */
export function modelSetUp(
  stored: ConversationSnapshot = snapshotOf(),
  reviewModel: () => string = () => '',
): ModelSetUp {
  const clock = new FakeClock(startedAt);
  const session = new MemorySession(stored);
  const library = new MemoryLibrary(session, clock);
  const storeChanged = new Emitter<StoreState>();
  let state: StoreState = { k: 'ready' };
  const model = new AssistantModel({
    texts: endTexts,
    clock,
    describeError: (error) => (error instanceof Error ? error.message : String(error)),
    describeFault: (fault) => `fault ${fault.code}`,
    defaultMode: () => 'ask',
    reviewModel,
    onError: (error) => {
      throw error;
    },
  });
  model.attach({
    assistant: library,
    hosts: { list: async () => [lab], onDidChange: new Emitter<void>().event },
    store: { state: () => state, onDidChangeState: storeChanged.event },
  });
  model.show(session);
  return {
    model,
    library,
    session,
    clock,
    setStore: (next) => {
      state = next;
      storeChanged.fire(next);
    },
  };
}

/** A change of a production host that waits for a person. */
export function waitingApproval(
  parts: {
    readonly id?: string;
    readonly digest?: string;
    readonly action?: string;
    readonly request?: Partial<WaitingApproval['request']>;
  } = {},
): WaitingApproval {
  const action = parts.action ?? 'rm /var/log/app/app.log.1';
  return {
    conversationId: conversation,
    targetChanged: false,
    before: ['df -h'],
    request: {
      id: approvalId(parts.id ?? 'a1'),
      runId: run,
      conversationId: conversation,
      callId: callId('call_1'),
      descriptor: {
        name: 'ssh_exec_run',
        summary: 'runs',
        inputSchema: { type: 'object' },
        target: 'host',
        safety: 'requiresAuthorization',
        concurrency: 'sequential',
        modes: ['acting'],
        presentation: proposedCall(action).presentation,
      },
      invocation: {
        name: 'ssh_exec_run',
        arguments: { host_id: aliasHostId('lab'), command: action, timeout_ms: 60_000 },
      },
      subject: {
        action,
        target: 'lab',
        targetId: aliasHostId('lab'),
        identity: 'root',
        tier: 'prod',
        details: [{ label: 'Address', value: '192.0.2.1:22' }],
      },
      userIntent: 'Free the disk',
      reasons: ['Not proven read-only: rm deletes files.'],
      alwaysAskUser: false,
      mode: 'ask',
      canGrant: false,
      isEdited: false,
      digest: parts.digest ?? 'd1',
      ...parts.request,
    },
  };
}
