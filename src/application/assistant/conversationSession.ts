import { isDeepStrictEqual } from 'node:util';
import {
  Emitter,
  newMessageId,
  newRunId,
  neverAborted,
  type AgentEvent,
  type AgentRuntime,
  type ClockPort,
  type ConversationId,
  type ConversationSummary,
  type Disposable,
  type Event,
  type ModelStreamPort,
  type PermissionMode,
  type PersonGesture,
  type PlanCall,
  type PlanOutcome,
  type RunId,
  type RunStorePort,
  type StandingFact,
  type StoredConversation,
  type TitleOrder,
  type UserMessage,
} from '../../agentkit/index.ts';
import { isTermindError, localFault } from '../../domain/fault.ts';
import type { RemoteExecService } from '../exec/remoteExecService.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { TargetedCall } from './approvalQueue.ts';
import type { ConversationSession, ConversationSnapshot } from './assistantLibrary.ts';
import type { WaitingCard } from './cardQueue.ts';
import {
  implementationPrompt,
  latestPlan,
  latestTasks,
  planCall,
  type ConversationPlan,
} from './conversationPlan.ts';
import {
  applyEvent,
  isOpenElsewhere,
  stateOf,
  withPlanOutcome,
  type ConversationState,
} from './conversationState.ts';
import { loadConversation } from './loadConversation.ts';
import { costCeiling, type RunLimits } from './runLimits.ts';
import { standingFacts } from './standingFacts.ts';
import { titleFrom } from './title.ts';

/** How soon a conversation that another window runs is looked at again: its window may have died. */
const otherWindowCheckMs = 15_000;

/** One run about to start. */
export interface RunOrder {
  readonly runId: RunId;
  readonly conversation: StoredConversation;
  readonly prompt: UserMessage;
  readonly model: ModelStreamPort;
  readonly planning: boolean;
  readonly currentMode: () => PermissionMode;
  readonly limits: RunLimits;
  readonly standingFacts: () => Promise<readonly StandingFact[]>;
  /** The plan that it implements, which is decided with its start. */
  readonly implementedPlan?: PlanCall;
}

export interface SessionOptions {
  readonly store: RunStorePort;
  readonly exec: RemoteExecService;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Undefined when no model is set up. */
  readonly openModel: (ref: string) => ModelStreamPort | undefined;
  readonly createRun: (order: RunOrder) => AgentRuntime;
  /** Held while a run is live. */
  readonly keepChecking: () => Disposable;
  readonly redact: (text: string) => string;
  readonly limits: (modelRef: string) => RunLimits;
  /** What waits for the person in this conversation. */
  readonly waiting: () => readonly WaitingCard[];
  /** Answers the question of a run that goes in circles; false when it asks none. */
  readonly answerLoop: (runId: RunId, message: UserMessage) => boolean;
  /** Undefined when the model gives no usable title. Never rejects. Absent = the first words stay. */
  readonly proposeTitle:
    ((order: Omit<TitleOrder, 'clock'>, signal: AbortSignal) => Promise<string | undefined>) | undefined;
  /** Something that lists show has changed. */
  readonly onListChange: () => void;
  /** Another window has begun a run in this conversation, or gone on with one. */
  readonly onOtherRun: () => void;
}

/**
 * One conversation in this window: the stored rows, moved on by the events of its live run. It starts runs, one at a time, and hands
 * later messages to the live one. Disposing stops the run.
 */
export class OpenConversation implements ConversationSession, Disposable {
  readonly id: ConversationId;
  readonly #options: SessionOptions;
  readonly #events: Emitter<AgentEvent>;
  readonly #changed: Emitter<void>;
  #state: ConversationState;
  #live: { readonly runId: RunId; readonly runtime: AgentRuntime } | undefined;
  /** The newest run that began here. */
  #ownRun: RunId | undefined;
  /** Sends and retries, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #settled: Promise<void> = Promise.resolve();
  #recheck: Disposable | undefined;
  readonly #closing = new AbortController();

  constructor(stored: StoredConversation, options: SessionOptions) {
    this.id = stored.summary.id;
    this.#options = options;
    this.#state = stateOf(stored);
    const onError = (error: unknown): void => options.log.error('assistant', 'a listener failed', error);
    this.#events = new Emitter(onError);
    this.#changed = new Emitter(onError);
    this.#watchOtherWindow();
  }

  readonly onEvent: Event<AgentEvent> = (listener) => this.#events.event(listener);
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  get isRunning(): boolean {
    return this.#live !== undefined;
  }

  get #isReadOnly(): boolean {
    return !this.isRunning && isOpenElsewhere(this.#state);
  }

  snapshot(): ConversationSnapshot {
    const { summary, messages, calls, runs, inbox, compactions, streaming } = this.#state;
    return {
      summary,
      messages,
      calls,
      runs,
      streaming,
      queued: inbox.map(({ message }) => ({ id: message.id, text: message.text, at: message.createdAt })),
      readOnly: this.#isReadOnly,
      compactions,
      plan: this.#plan,
      tasks: latestTasks(messages),
      costCeiling: costCeiling(this.#options.limits(summary.modelRef)),
    };
  }

  /** Calls that have a target, for the comparison in approvals. */
  targetedCalls(): readonly TargetedCall[] {
    return this.#state.calls.flatMap(({ callId, proposed, dispatched }) => {
      const subject = proposed?.subject;
      if (subject === undefined || subject.targetId === '') return [];
      return [{ callId, targetId: subject.targetId, action: subject.action, dispatched }];
    });
  }

  send(text: string): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#steer(text)) return;
      await this.#settled;
      const runId = newRunId();
      await this.#start(this.#newMessage(text, runId), runId);
    });
  }

  retry(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isRunning) return;
      const prompt = this.#state.messages.findLast(
        (message): message is UserMessage => message.role === 'user' && message.origin.kind === 'person',
      );
      if (prompt !== undefined) await this.#start(prompt, newRunId());
    });
  }

  stop(): void {
    this.#live?.runtime.stop();
  }

  async cancelCommand(callId: string): Promise<void> {
    await this.#options.exec.ofCall(this.id, callId)?.command.cancel('TERM', neverAborted);
  }

  async setMode(permissionMode: PermissionMode): Promise<void> {
    await this.#update({ permissionMode });
  }

  async setModel(modelRef: string): Promise<void> {
    await this.#update({ modelRef });
  }

  async setPlanning(planning: boolean): Promise<void> {
    await this.#update({ planning });
  }

  implementPlan(callId: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.isRunning) throw localFault('stale-write');
      await this.#settled;
      await this.refresh();
      const plan = this.#pendingPlan(callId);
      const runId = newRunId();
      await this.#start(this.#newMessage(implementationPrompt(plan), runId, 'implementPlan'), runId, plan);
      this.#options.onListChange();
    });
  }

  discardPlan(callId: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.refresh();
      const plan = this.#pendingPlan(callId);
      const discarded = { ...planCall(plan), outcome: 'discarded' } as const;
      const outcome = await this.#options.store.decidePlan(this.id, discarded);
      this.#noteOutcome(plan, outcome);
      // Another window was first.
      if (outcome !== 'discarded') throw localFault('stale-write');
    });
  }

  async rename(title: string): Promise<void> {
    await this.#update({ title });
  }

  /**
   * Takes over what its row in a list says. A live run is ahead of the row, but what a person chose in another window holds for it too:
   * a narrower mode counts at its next call.
   */
  async follow(row: ConversationSummary | undefined): Promise<void> {
    if (row === undefined) return;
    const { summary } = this.#state;
    const { title, permissionMode, modelRef, planning } = row;
    const seen = this.isRunning ? { ...summary, title, permissionMode, modelRef, planning } : row;
    if (isDeepStrictEqual(seen, summary)) return;
    if (!this.isRunning) return this.refresh();
    this.#state = { ...this.#state, summary: seen };
    this.#changed.fire();
  }

  /** Reads the rows again, unless this window's own run is ahead of them. */
  async refresh(): Promise<void> {
    if (this.isRunning || this.#closing.signal.aborted) return;
    const stored = await loadConversation(this.#options.store, this.id);
    if (stored === undefined || this.#hasStarted()) return;
    this.#takeRows(stored);
    this.#watchOtherWindow();
    this.#changed.fire();
  }

  dispose(): void {
    this.#closing.abort(new Error('the conversation was closed'));
    this.#recheck?.dispose();
    this.stop();
    this.#changed.dispose();
  }

  /** Resolves when no run of this window is live any more. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  #takeRows(stored: StoredConversation): void {
    const { run: before } = this.#state.summary;
    this.#state = stateOf(stored);
    const { run } = this.#state.summary;
    const isOther = run !== undefined && run.id !== this.#ownRun;
    if (isOther && !isDeepStrictEqual(run, before)) this.#options.onOtherRun();
  }

  /** Asked anew behind an await. */
  #hasStarted(): boolean {
    return this.#live !== undefined;
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #steer(text: string): Promise<boolean> {
    const live = this.#live;
    if (live === undefined) return false;
    const message = this.#newMessage(text, live.runId);
    if (await this.#answerLoop(message)) return true;
    if (!(await live.runtime.steer(message))) return false;
    const isDelivered = this.#state.messages.some(({ id }) => id === message.id);
    if (!isDelivered) {
      const inbox = [...this.#state.inbox, { message, inFlight: false }];
      this.#state = { ...this.#state, inbox };
      this.#changed.fire();
    }
    return true;
  }

  /** True when the message reached the transcript as the answer to a run that goes in circles. */
  async #answerLoop(message: UserMessage): Promise<boolean> {
    if (!this.#options.answerLoop(message.runId, message)) return false;
    const isThere = (): boolean => this.#state.messages.some(({ id }) => id === message.id);
    let listener: Disposable | undefined;
    const delivered = new Promise<void>((resolve) => {
      listener = this.#events.event(() => {
        if (isThere()) resolve();
      });
    });
    await Promise.race([delivered, this.#settled]);
    listener?.dispose();
    return isThere();
  }

  async #start(prompt: UserMessage, runId: RunId, implementedPlan?: ConversationPlan): Promise<void> {
    const model = this.#options.openModel(this.#state.summary.modelRef);
    if (model === undefined) throw localFault('model-missing');
    const stored = await loadConversation(this.#options.store, this.id);
    if (stored === undefined) throw localFault('stale-write');
    this.#takeRows(stored);
    if (this.#isReadOnly) {
      this.#watchOtherWindow();
      this.#changed.fire();
      throw localFault('run-leased');
    }
    const runtime = this.#options.createRun({
      runId,
      conversation: stored,
      prompt,
      model,
      planning: implementedPlan === undefined && stored.summary.planning,
      currentMode: () => this.#state.summary.permissionMode,
      limits: this.#options.limits(model.ref),
      standingFacts: async () => this.#standingFacts(),
      ...(implementedPlan && { implementedPlan: planCall(implementedPlan) }),
    });
    this.#live = { runId, runtime };
    this.#ownRun = runId;
    this.#settled = this.#work(runtime, model);
    try {
      await runtime.started;
    } catch (error) {
      await this.#settled;
      throw storeCause(error);
    }
    if (implementedPlan !== undefined) this.#noteOutcome(implementedPlan, 'implemented');
    await this.#nameAfter(prompt);
  }

  /** Follows one run to its end. Never rejects. */
  async #work(runtime: AgentRuntime, model: ModelStreamPort): Promise<void> {
    const checking = this.#options.keepChecking();
    const listener = runtime.onEvent((event) => this.#take(event));
    try {
      await runtime.run();
    } catch (error) {
      this.#options.log.error('assistant', 'a run ended by a fault of its own', error);
    } finally {
      listener.dispose();
      checking.dispose();
      this.#live = undefined;
    }
    await this.refresh().catch((error: unknown) =>
      this.#options.log.warn('assistant', `the conversation was not read again: ${messageOf(error)}`),
    );
    this.#options.onListChange();
    this.#improveTitle(model);
  }

  #take(event: AgentEvent): void {
    this.#state = applyEvent(this.#state, event);
    this.#events.fire(event);
    const { kind } = event.body;
    if (kind === 'runStarted' || kind === 'runState') this.#options.onListChange();
  }

  /** Never rejects: the run is under way, and whoever sent its prompt would send it again. */
  async #nameAfter(prompt: UserMessage): Promise<void> {
    if (this.#state.summary.title !== '') return;
    const { redact, log } = this.#options;
    const title = titleFrom(redact(prompt.text));
    if (title === '') return;
    await this.rename(title).catch((error: unknown) =>
      log.warn('assistant', `the title was not stored: ${messageOf(error)}`),
    );
  }

  /** After the first run that comes to its end: a better title than the first words. Nothing waits for it, and a name that a person gave stays. */
  #improveTitle(model: ModelStreamPort): void {
    const { proposeTitle, redact, log } = this.#options;
    const { summary, messages, runs } = this.#state;
    const userText = messages.find((message) => message.role === 'user')?.text ?? '';
    const answerText = messages.findLast(({ role, text }) => role === 'assistant' && text !== '')?.text ?? '';
    const { signal } = this.#closing;
    const isNamed = summary.title !== titleFrom(redact(userText));
    const isFirst = runs.length === 1 && runs[0]?.state === 'completed';
    if (proposeTitle === undefined || isNamed || !isFirst) return;
    proposeTitle({ conversationId: this.id, model, userText, answerText }, signal)
      .then(async (title) => {
        if (title === undefined || signal.aborted || this.#state.summary.title !== summary.title) return;
        await this.rename(redact(title));
      })
      .catch((error: unknown) => log.warn('assistant', `the title was not stored: ${messageOf(error)}`));
  }

  get #plan(): ConversationPlan | undefined {
    return latestPlan(this.#state.messages, this.#state.calls);
  }

  #pendingPlan(callId: string): ConversationPlan {
    const plan = this.#plan;
    if (plan?.callId !== callId || plan.outcome !== 'pending') throw localFault('stale-write');
    return plan;
  }

  /** Of a decision that is stored. */
  #noteOutcome({ runId, callId }: PlanCall, outcome: PlanOutcome): void {
    this.#state = withPlanOutcome(this.#state, { runId, callId, outcome });
    this.#changed.fire();
  }

  #standingFacts(): readonly StandingFact[] {
    const hosts = new Map<string, string>();
    for (const { proposed } of this.#state.calls) {
      const subject = proposed?.subject;
      if (subject !== undefined && subject.targetId !== '') hosts.set(subject.targetId, subject.target);
    }
    const { exec, waiting } = this.#options;
    return standingFacts({ hosts, commands: exec.list(this.id), waiting: waiting(), plan: this.#plan });
  }

  async #update(metadata: Parameters<RunStorePort['updateMetadata']>[1]): Promise<void> {
    await this.#options.store.updateMetadata(this.id, metadata);
    this.#state = { ...this.#state, summary: { ...this.#state.summary, ...metadata } };
    this.#changed.fire();
    this.#options.onListChange();
  }

  #newMessage(text: string, runId: RunId, gesture?: PersonGesture): UserMessage {
    return {
      role: 'user',
      id: newMessageId(),
      runId,
      createdAt: this.#options.clock.now(),
      text,
      images: [],
      origin: { kind: 'person', ...(gesture !== undefined && { gesture }) },
      context: {},
    };
  }

  /** Looks again later while another window runs the conversation: a lease that lapses changes no row. */
  #watchOtherWindow(): void {
    this.#recheck?.dispose();
    this.#recheck = undefined;
    if (this.#closing.signal.aborted || !this.#isReadOnly) return;
    this.#recheck = this.#options.clock.after(otherWindowCheckMs, () => {
      this.refresh().catch((error: unknown) =>
        this.#options.log.warn('assistant', `the conversation was not read again: ${messageOf(error)}`),
      );
    });
  }
}

/** The store's own error where a run could not begin, because that is what a person can do something about. */
function storeCause(error: unknown): unknown {
  if (error instanceof Error && isTermindError(error.cause)) return error.cause;
  return error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
