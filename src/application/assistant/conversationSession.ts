import { isDeepStrictEqual } from 'node:util';
import {
  Emitter,
  newMessageId,
  newRunId,
  type AgentEvent,
  type AgentRuntime,
  type ClockPort,
  type ConversationId,
  type ConversationSummary,
  type Disposable,
  type Event,
  type ModelStreamPort,
  type PermissionMode,
  type RunId,
  type RunStorePort,
  type StoredConversation,
  type UserMessage,
} from '../../agentkit/index.ts';
import { isTermindError, localFault } from '../../domain/fault.ts';
import type { RemoteExecService } from '../exec/remoteExecService.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { TargetedCall } from './approvalQueue.ts';
import type { ConversationSession, ConversationSnapshot } from './assistantLibrary.ts';
import { applyEvent, isOpenElsewhere, stateOf, type ConversationState } from './conversationState.ts';
import { loadConversation } from './loadConversation.ts';
import { titleFrom } from './title.ts';

/** How soon a conversation that another window runs is looked at again: its window may have died. */
const otherWindowCheckMs = 15_000;

/** One run about to start. */
export interface RunOrder {
  readonly runId: RunId;
  readonly conversation: StoredConversation;
  readonly prompt: UserMessage;
  readonly model: ModelStreamPort;
  readonly currentMode: () => PermissionMode;
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
  /** Something that lists show has changed. */
  readonly onListChange: () => void;
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
  /** Sends and retries, one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  #settled: Promise<void> = Promise.resolve();
  #recheck: Disposable | undefined;
  #isDisposed = false;

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
    const { summary, messages, calls, runs, inbox, streaming } = this.#state;
    return {
      summary,
      messages,
      calls,
      runs,
      streaming,
      queued: inbox.map(({ message }) => ({ id: message.id, text: message.text, at: message.createdAt })),
      readOnly: this.#isReadOnly,
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
    await this.#options.exec.ofCall(this.id, callId)?.command.cancel('TERM', new AbortController().signal);
  }

  async setMode(permissionMode: PermissionMode): Promise<void> {
    await this.#update({ permissionMode });
  }

  async setModel(modelRef: string): Promise<void> {
    await this.#update({ modelRef });
  }

  async rename(title: string): Promise<void> {
    await this.#update({ title });
  }

  /** True while a list's row of this conversation says nothing new. */
  shows(summary: ConversationSummary | undefined): boolean {
    return summary === undefined || isDeepStrictEqual(summary, this.#state.summary);
  }

  /** Reads the rows again, unless this window's own run is ahead of them. */
  async refresh(): Promise<void> {
    if (this.isRunning || this.#isDisposed) return;
    const stored = await loadConversation(this.#options.store, this.id);
    if (stored === undefined || this.#hasStarted()) return;
    this.#state = stateOf(stored);
    this.#watchOtherWindow();
    this.#changed.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#recheck?.dispose();
    this.stop();
    this.#changed.dispose();
  }

  /** Resolves when no run of this window is live any more. */
  async settled(): Promise<void> {
    await this.#settled;
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
    if (this.#live === undefined) return false;
    const message = this.#newMessage(text, this.#live.runId);
    if (!(await this.#live.runtime.steer(message))) return false;
    const isDelivered = this.#state.messages.some(({ id }) => id === message.id);
    if (!isDelivered) {
      const inbox = [...this.#state.inbox, { message, inFlight: false }];
      this.#state = { ...this.#state, inbox };
      this.#changed.fire();
    }
    return true;
  }

  async #start(prompt: UserMessage, runId: RunId): Promise<void> {
    const model = this.#options.openModel(this.#state.summary.modelRef);
    if (model === undefined) throw localFault('model-missing');
    const stored = await loadConversation(this.#options.store, this.id);
    if (stored === undefined) throw localFault('stale-write');
    this.#state = stateOf(stored);
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
      currentMode: () => this.#state.summary.permissionMode,
    });
    this.#live = { runId, runtime };
    this.#settled = this.#work(runtime);
    try {
      await runtime.started;
    } catch (error) {
      await this.#settled;
      throw storeCause(error);
    }
    await this.#nameAfter(prompt);
  }

  /** Follows one run to its end. Never rejects. */
  async #work(runtime: AgentRuntime): Promise<void> {
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
  }

  #take(event: AgentEvent): void {
    this.#state = applyEvent(this.#state, event);
    this.#events.fire(event);
    const { kind } = event.body;
    if (kind === 'runStarted' || kind === 'runState') this.#options.onListChange();
  }

  async #nameAfter(prompt: UserMessage): Promise<void> {
    if (this.#state.summary.title !== '') return;
    const title = titleFrom(this.#options.redact(prompt.text));
    if (title !== '') await this.rename(title);
  }

  async #update(metadata: Parameters<RunStorePort['updateMetadata']>[1]): Promise<void> {
    await this.#options.store.updateMetadata(this.id, metadata);
    this.#state = { ...this.#state, summary: { ...this.#state.summary, ...metadata } };
    this.#changed.fire();
    this.#options.onListChange();
  }

  #newMessage(text: string, runId: RunId): UserMessage {
    return {
      role: 'user',
      id: newMessageId(),
      runId,
      createdAt: this.#options.clock.now(),
      text,
      images: [],
      origin: { kind: 'person' },
      context: {},
    };
  }

  /** Looks again later while another window runs the conversation: a lease that lapses changes no row. */
  #watchOtherWindow(): void {
    this.#recheck?.dispose();
    this.#recheck = undefined;
    if (this.#isDisposed || !this.#isReadOnly) return;
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
