import { setMaxListeners } from 'node:events';
import { narrowerMode } from './approval.ts';
import { randomIds, type AgentRuntimeOptions, type IdSource } from './agentRuntimeOptions.ts';
import { AuthorizationStage } from './authorization.ts';
import { withUniqueIds } from './callIds.ts';
import { EventChannel } from './eventChannel.ts';
import type { AgentEvent, AgentEventBody, EndedRunState, RunFailure, RunState } from './events.ts';
import { repairHistory } from './historyRepair.ts';
import { RunEvidence } from './guardian/runEvidence.ts';
import type { LoopHook } from './hooks.ts';
import type { CallId, MessageId } from './ids.ts';
import type { Event } from './lifetime.ts';
import type { AssistantMessage, ContextSnapshot, ToolCall, Usage, UserMessage } from './message.ts';
import type { ModelRequest } from './model.ts';
import { ModelRequests } from './modelRequests.ts';
import { callTexts, maxCallsPerTurn, type AnsweredCall } from './plannedCall.ts';
import { planModeField, planModeHook, withPlanMode } from './planMode.ts';
import { redactMessage } from './redactMessage.ts';
import { RunFailed, RunStopped, storeFailure, toRunFailed } from './runFailure.ts';
import { RunGuards, type LoopAdvice } from './runGuards.ts';
import { RunLease } from './runLease.ts';
import { RunLedger } from './runLedger.ts';
import { SecretBroker } from './secrets/secretBroker.ts';
import { SteeringInbox } from './steeringInbox.ts';
import { ToolExecutor } from './toolExecutor.ts';
import { toolsFor, type ToolRegistry } from './toolRegistry.ts';
import { runBatch } from './toolScheduler.ts';
import { Transcript } from './transcript.ts';
import type { DrivenTurn } from './turnDriver.ts';

/**
 * One run: one prompt worked on until it settles. Holds the transcript, the inbox and the lease, and drives the phases of the loop; each
 * phase is a value of its own. One object serves one run. Source: agent runtime contract, section 3; seed 1, "AgentRuntime".
 */
export class AgentRuntime {
  readonly #options: AgentRuntimeOptions;
  readonly #ids: IdSource;
  readonly #registry: ToolRegistry;
  readonly #stopping = new AbortController();
  readonly #channel: EventChannel;
  readonly #ledger: RunLedger;
  readonly #inbox: SteeringInbox;
  readonly #transcript: Transcript;
  readonly #requests: ModelRequests;
  readonly #evidence: RunEvidence;
  readonly #executor: ToolExecutor;
  readonly #guards: RunGuards;
  readonly #secrets: SecretBroker;
  readonly #hooks: readonly LoopHook[];
  readonly #usedCallIds = new Set<CallId>();
  readonly #started = new Settled();
  readonly #prompt: UserMessage;
  #userIntent: string;
  #isRunning = false;
  /** From the moment the store gave us the run until somebody else has it. */
  #ownsRun = false;

  constructor(options: AgentRuntimeOptions) {
    const { conversation, runId, clock, store, model } = options;
    this.#options = options;
    this.#ids = options.ids ?? randomIds;
    this.#registry = toolsFor(options.registry, model.capabilities);
    const log = options.log ?? (() => {});
    this.#channel = new EventChannel({
      runId,
      conversationId: conversation.id,
      clock,
      record: (event) => store.recordEvent(event),
      log,
    });
    this.#ledger = new RunLedger(clock, (state, since) => this.#emit({ kind: 'runState', state, since }));
    // Every parallel call listens for Stop.
    setMaxListeners(0, this.#stopping.signal);
    const repaired = repairHistory(conversation.messages);
    for (const message of repaired.messages)
      if (message.role === 'assistant') for (const call of message.calls) this.#usedCallIds.add(call.id);
    this.#transcript = new Transcript({
      runId,
      conversationId: conversation.id,
      startedAt: clock.now(),
      store,
      messages: repaired.messages,
    });
    this.#transcript.saveLater(repaired.added);
    const waiting = conversation.inbox.filter(({ message }) => !this.#transcript.has(message));
    this.#inbox = new SteeringInbox({ conversationId: conversation.id, store, waiting, log });
    this.#secrets = new SecretBroker({ runId, known: options.secretRegistry });
    const { planGate = {} } = options.policies;
    this.#hooks = [...(options.planning ? [planModeHook(planGate)] : []), ...(options.hooks ?? [])];
    this.#prompt = this.#asWritten(options.prompt);
    this.#userIntent = this.#prompt.text;
    this.#requests = new ModelRequests({
      run: options,
      registry: this.#registry,
      ledger: this.#ledger,
      messages: () => this.#transcript.messages,
      save: () => this.#save(),
      countUsage: (usage) => this.#guards.countUsage(usage),
      newMessageId: () => this.#ids.newMessageId(),
      emit: (body) => this.#emit(body),
      log,
    });
    this.#evidence = new RunEvidence({
      onEvent: this.#channel.onEvent,
      messages: () => this.#transcript.messages,
      waiting: () => this.#inbox.waiting,
    });
    this.#executor = this.#createExecutor(log);
    this.#guards = new RunGuards({
      runId,
      conversationId: conversation.id,
      registry: this.#registry,
      ceilings: options.ceilings ?? {},
      price: options.price ?? (() => undefined),
      questions: options.questions,
      ledger: this.#ledger,
      onLoop: (repeats) => this.#emit({ kind: 'loopNoted', repeats }),
      signal: this.#stopping.signal,
    });
  }

  /** In order and without gaps. A listener that throws disturbs nothing. */
  get onEvent(): Event<AgentEvent> {
    return this.#channel.onEvent;
  }

  get state(): RunState {
    return this.#ledger.state;
  }

  /** Resolves when the prompt is stored; rejects when the run could not begin. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Works until the run settles. Resolves with how it ended and never rejects; why it failed is in the events and in the store. */
  async run(): Promise<EndedRunState> {
    if (this.#isRunning) throw new Error('one runtime serves one run');
    this.#isRunning = true;
    let lease: RunLease | undefined;
    let end: RunEnd;
    try {
      lease = await this.#begin();
      await this.#loop();
      end = { state: 'completed' };
    } catch (error) {
      end = this.#endOf(error);
    }
    const state = await this.#finish(end);
    this.#secrets.dispose();
    lease?.dispose();
    this.#channel.dispose();
    return state;
  }

  /**
   * Cancels the model stream and every call that has not started, and stops waiting for those that have. Secrets that nobody used are
   * overwritten.
   */
  stop(): void {
    this.#secrets.close();
    this.#stopping.abort(new RunStopped());
  }

  /**
   * Queues a message for the next turn boundary; it cancels nothing. False when the run can no longer take it, and then the caller keeps
   * the text. Rejects when it could not be stored.
   */
  async steer(message: UserMessage): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    return this.#inbox.add(this.#asWritten(message));
  }

  async #begin(): Promise<RunLease> {
    const { runId, store, clock, log, implementedPlan } = this.#options;
    try {
      if (this.#transcript.has(this.#prompt)) this.#notePosture();
      else this.#transcript.append(this.#prompt);
      await this.#transcript.begin(implementedPlan);
      this.#ownsRun = true;
      this.#emit({ kind: 'runStarted', prompt: this.#prompt });
      this.#ledger.begin();
      this.#started.resolve();
    } catch (error) {
      // Whoever waits for `started` keeps the text, so it must not be stored after all.
      this.#transcript.withdraw([this.#prompt]);
      this.#started.reject(error);
      throw error;
    }
    const onLost = (): void => {
      this.#ownsRun = false;
      this.#stopping.abort(new RunFailed('leaseLost'));
    };
    return new RunLease({ runId, store, clock, onLost, log: log ?? (() => {}) });
  }

  /** One turn after the other until the model asks for nothing more. */
  async #loop(): Promise<void> {
    for (let turn = 1; ; turn++) {
      this.#throwIfStopped();
      await this.#guards.beforeTurn();
      await this.#requests.fit(this.#stopping.signal);
      this.#emit({ kind: 'turnStarted', turn });
      await this.#deliverSteering();
      const answer = await this.#askModel(turn);
      if (answer.calls.length === 0) {
        if (await this.#inbox.closeIfEmpty()) return;
        continue;
      }
      const batch = await this.#answerCalls(answer);
      if (answer.message.stop === 'length') throw new RunFailed('outputLimit');
      this.#throwIfStopped();
      if (this.#isOver(batch) && (await this.#inbox.closeIfEmpty())) return;
      if (this.#hooks.some((hook) => hook.shouldStop?.(batch.map((call) => call.message)) === true)) return;
      await this.#takeAdvice(await this.#guards.afterBatch(batch));
    }
  }

  /** A call succeeded whose tool ends the run. A message that waits is worked on first. */
  #isOver(batch: readonly AnsweredCall[]): boolean {
    return batch.some(
      ({ call, outcome }) =>
        outcome === 'succeeded' && this.#registry.find(call.name)?.descriptor.endsRun === true,
    );
  }

  /** Streams one answer and stores it. The calls come back as the model wrote them; what is stored is redacted. */
  async #askModel(
    turn: number,
  ): Promise<{ readonly message: AssistantMessage; readonly calls: readonly ToolCall[] }> {
    const messageId = this.#ids.newMessageId();
    const { request, driven } = await this.#requests.ask(messageId, this.#stopping.signal);
    const calls = withUniqueIds(driven.calls, this.#usedCallIds, () => this.#ids.newCallId());
    const message = this.#toMessage(messageId, driven, calls);
    if (driven.stop !== 'cancelled' || driven.text !== '') {
      this.#transcript.append(message);
      this.#emit({ kind: 'messageFinished', message });
    }
    this.#reportUsage(request, driven.usage);
    this.#emit({ kind: 'turnFinished', turn });
    await this.#save();
    if (driven.stop === 'cancelled') this.#throwIfStopped();
    if (driven.stop === 'error' || driven.stop === 'cancelled') throw new RunFailed('modelError');
    return { message, calls };
  }

  async #answerCalls(answer: {
    readonly message: AssistantMessage;
    readonly calls: readonly ToolCall[];
  }): Promise<readonly AnsweredCall[]> {
    const { message, calls } = answer;
    this.#evidence.beginBatch(message.id);
    const batch = await this.#runCalls(calls, message.stop);
    this.#transcript.append(...batch.map((answered) => answered.message));
    this.#transcript.replace(redactMessage(message, this.#options.redactor));
    await this.#channel.drain();
    await this.#save();
    return batch;
  }

  async #runCalls(
    calls: readonly ToolCall[],
    stop: AssistantMessage['stop'],
  ): Promise<readonly AnsweredCall[]> {
    const { signal } = this.#stopping;
    const refusal =
      stop === 'length' ? callTexts.cutOff : calls.length > maxCallsPerTurn ? callTexts.tooMany : undefined;
    const calling = this.#ledger.hold('callingTools');
    try {
      if (refusal === undefined) return await runBatch(calls, this.#executor, signal);
      const refused = calls.map((call) => this.#executor.refuse(call, refusal));
      return await Promise.all(refused.map((call) => this.#executor.run(call, signal)));
    } finally {
      calling.dispose();
    }
  }

  #toMessage(id: MessageId, driven: DrivenTurn, calls: readonly ToolCall[]): AssistantMessage {
    const { runId, clock, redactor } = this.#options;
    const { text, reasoning, reasoningMs, providerItems, searches, stop, usage } = driven;
    const message = this.#secrets.withoutHandles({
      role: 'assistant',
      id,
      runId,
      createdAt: clock.now(),
      text,
      reasoning,
      ...(reasoningMs !== undefined && { reasoningMs }),
      calls,
      providerItems,
      ...(searches.length > 0 && { searches }),
      stop,
      ...(usage && { usage }),
    });
    return redactMessage(message, redactor);
  }

  #reportUsage(request: ModelRequest, reported: Usage | undefined): void {
    this.#guards.countTurn(reported);
    const { usage, contextTokens } = this.#requests.measure(request, reported);
    const { contextWindow } = this.#options.model.capabilities;
    this.#emit({
      kind: 'usageUpdated',
      usage,
      contextTokens,
      ...(contextWindow !== undefined && { contextWindow }),
    });
  }

  async #deliverSteering(): Promise<void> {
    const delivered = await this.#inbox
      .deliver(async (messages) => {
        this.#transcript.append(...messages);
        try {
          await this.#save();
        } catch (error) {
          this.#transcript.withdraw(messages);
          throw error;
        }
      })
      .catch((error: unknown) => Promise.reject(error instanceof RunFailed ? error : storeFailure(error)));
    for (const message of delivered) this.#noteDelivered(message);
  }

  #noteDelivered(message: UserMessage): void {
    if (message.origin.kind === 'person') this.#userIntent = message.text;
    this.#emit({ kind: 'steeringDelivered', message });
  }

  async #takeAdvice(advice: LoopAdvice): Promise<void> {
    if (advice?.kind === 'note') this.#transcript.append(this.#runtimeNote(advice.text));
    if (advice?.kind !== 'message') return;
    const message = this.#asWritten(advice.message);
    this.#transcript.append(message);
    await this.#save();
    this.#noteDelivered(message);
  }

  /** A prompt that is tried again stays as it was written: that plan mode was switched since is told behind it. */
  #notePosture(): void {
    const { context } = this.#prompt;
    if ((context[planModeField] ?? '') === (this.#lastContext()[planModeField] ?? '')) return;
    this.#transcript.append(this.#runtimeNote('The user asks for another try at the last message.', context));
  }

  /** Of the user message that is the last. */
  #lastContext(): ContextSnapshot {
    return this.#transcript.messages.findLast((message) => message.role === 'user')?.context ?? {};
  }

  /** Without facts of its own it carries those of the message before it. */
  #runtimeNote(text: string, context = this.#lastContext()): UserMessage {
    const { runId, clock } = this.#options;
    return {
      role: 'user',
      id: this.#ids.newMessageId(),
      runId,
      createdAt: clock.now(),
      text,
      images: [],
      origin: { kind: 'runtime' },
      context,
    };
  }

  /** A message of the user as it is kept: redacted, with the facts that hold now. */
  #asWritten(message: UserMessage): UserMessage {
    const { redactor, policies, planning } = this.#options;
    const plan = { isPlanning: planning, contract: policies.planContract };
    const context = withPlanMode(policies.contextFields(), plan);
    return redactMessage({ ...message, context }, redactor);
  }

  async #save(): Promise<void> {
    if (!this.#ownsRun) throw new RunFailed('leaseLost');
    await this.#transcript.save(this.#ledger.state);
  }

  #throwIfStopped(): void {
    this.#stopping.signal.throwIfAborted();
  }

  #endOf(error: unknown): RunEnd {
    if (error instanceof RunStopped) return { state: 'cancelled' };
    const failure = this.#options.redactor.redactJson(toRunFailed(error).failure);
    if (failure.code === 'internal') this.#options.log?.('a run failed by a fault of its own', error);
    if (failure.code === 'leaseLost') this.#ownsRun = false;
    return { state: failure.code === 'leaseLost' ? 'interrupted' : 'failed', failure };
  }

  /** Stores the end and tells it. A run that lost its lease, or never had one, leaves the stored row to its owner. */
  async #finish(end: RunEnd): Promise<EndedRunState> {
    this.#inbox.close();
    await this.#channel.drain();
    const settled = this.#ownsRun ? await this.#saveEnd(end) : end;
    this.#ledger.end(settled.state);
    if (settled.failure) this.#emit({ kind: 'failed', failure: settled.failure });
    this.#emit({
      kind: 'runFinished',
      state: settled.state,
      ...(settled.failure && { failure: settled.failure }),
    });
    return settled.state;
  }

  async #saveEnd(end: RunEnd): Promise<RunEnd> {
    try {
      await this.#transcript.save(end.state, { endedAt: this.#options.clock.now(), failure: end.failure });
      return end;
    } catch (error) {
      this.#options.log?.('the end of a run could not be stored', error);
      return end.failure ? end : { state: 'failed', failure: toRunFailed(error).failure };
    }
  }

  #createExecutor(log: (message: string, cause: unknown) => void): ToolExecutor {
    const options = this.#options;
    const { runId, redactor, permissionMode, planning } = options;
    const common = {
      runId,
      conversationId: options.conversation.id,
      redactor,
      secrets: this.#secrets,
      channel: this.#channel,
      ledger: this.#ledger,
      userIntent: () => this.#userIntent,
    };
    const authorization = new AuthorizationStage({
      ...common,
      approvals: options.approvals,
      review: options.review,
      reviewMaterial: () => ({
        ...this.#evidence.now(),
        onCost: (cost) => this.#guards.countCost(cost),
      }),
      grants: options.grants,
      rules: options.rules,
      mode: () => narrowerMode(permissionMode, options.currentMode?.() ?? permissionMode),
      isPlanning: planning,
      newApprovalId: () => this.#ids.newApprovalId(),
      log,
    });
    return new ToolExecutor({
      ...common,
      registry: this.#registry,
      mode: planning ? 'planning' : 'acting',
      unavailable: options.unavailable ?? (() => undefined),
      hooks: this.#hooks,
      authorization,
      rules: options.rules,
      projector: options.projector,
      outputPolicies: options.policies.outputPolicies,
      services: options.services,
      clock: options.clock,
      whenUserInterjects: () => this.#inbox.whenQueued(),
      log,
    });
  }

  #emit(body: AgentEventBody): void {
    this.#channel.emit(body);
  }
}

interface RunEnd {
  readonly state: EndedRunState;
  readonly failure?: RunFailure;
}

/** A promise settled from outside, at most once; nobody has to look at it. */
class Settled {
  readonly promise: Promise<void>;
  resolve: () => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => {});
  }
}
