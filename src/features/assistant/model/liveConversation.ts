import {
  DisposableBag,
  Emitter,
  type AgentEvent,
  type ClockPort,
  type Disposable,
  type Event,
} from '../../../agentkit/index.ts';
import type {
  ConversationSession,
  ConversationSnapshot,
} from '../../../application/assistant/assistantLibrary.ts';
import type { DeltaOp, Task } from '../../../webview/assistant/protocol.ts';
import type { EndTexts } from '../presentation/runEnd.ts';
import { isLive, type LiveStatus } from '../presentation/status.ts';
import { Transcript } from '../presentation/transcript.ts';

/** `rows`: these changes. `reset`: draw everything anew. `head`: what stands around the rows. */
export type ConversationChange =
  | { readonly kind: 'rows'; readonly ops: readonly DeltaOp[] }
  | { readonly kind: 'reset' }
  | { readonly kind: 'head' };

export interface ContextUse {
  readonly tokens: number;
  readonly window: number | undefined;
}

/** One conversation as the screens show it: its transcript, what its run waits for, how full the context is. */
export class LiveConversation implements Disposable {
  readonly session: ConversationSession;
  readonly transcript: Transcript;
  readonly #changed: Emitter<ConversationChange>;
  readonly #bag = new DisposableBag();
  #snapshot: ConversationSnapshot;
  #run: Omit<LiveStatus, 'targets' | 'runningCalls'> | undefined;
  #context: ContextUse | undefined;
  #isReviewSuspended = false;
  #tasks: readonly Task[];

  constructor(session: ConversationSession, texts: EndTexts, clock: ClockPort) {
    this.session = session;
    this.transcript = new Transcript(texts);
    this.#changed = this.#bag.add(new Emitter<ConversationChange>());
    this.#snapshot = session.snapshot();
    this.transcript.reset(this.#snapshot);
    this.#context = storedUse(this.#snapshot);
    this.#tasks = this.#snapshot.tasks;
    const state = this.#snapshot.summary.run?.state;
    if (session.isRunning && state !== undefined && isLive(state)) this.#run = quietRun(state, clock.now());
    this.#bag.add(session.onEvent((event) => this.#take(event)));
    this.#bag.add(session.onDidChange(() => this.refresh()));
  }

  readonly onDidChange: Event<ConversationChange> = (listener) => this.#changed.event(listener);

  get title(): string {
    return this.#snapshot.summary.title;
  }

  /** What is stored beside the rows, as of the last change. */
  get summary(): ConversationSnapshot['summary'] {
    return this.#snapshot.summary;
  }

  get isReadOnly(): boolean {
    return this.#snapshot.readOnly;
  }

  /** The plan that was handed over last. */
  get plan(): ConversationSnapshot['plan'] {
    return this.#snapshot.plan;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  get costCeiling(): ConversationSnapshot['costCeiling'] {
    return this.#snapshot.costCeiling;
  }

  get context(): ContextUse | undefined {
    return this.#context;
  }

  /** The circuit breaker of the reviews is open in the run that was the last. */
  get isReviewSuspended(): boolean {
    return this.#isReviewSuspended;
  }

  get status(): LiveStatus | undefined {
    if (this.#run === undefined) return undefined;
    const running = this.transcript.runningCalls();
    const targets = new Set(running.map((call) => call.proposed?.subject?.target ?? ''));
    return { ...this.#run, targets: [...targets], runningCalls: running.length };
  }

  stop(): void {
    if (this.#run === undefined) return;
    this.#run = { ...this.#run, stopping: true };
    this.session.stop();
    this.#changed.fire({ kind: 'head' });
  }

  /** Compares with the store; draws anew only when something is different. */
  refresh(): void {
    this.#snapshot = this.session.snapshot();
    this.#tasks = this.#snapshot.tasks;
    this.#changed.fire(this.transcript.reset(this.#snapshot) ? { kind: 'reset' } : { kind: 'head' });
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #take(event: AgentEvent): void {
    const ops = this.transcript.apply(event);
    if (ops.length > 0) this.#changed.fire({ kind: 'rows', ops });
    if (this.#takeStatus(event)) this.#changed.fire({ kind: 'head' });
    if (event.body.kind === 'runFinished' || event.body.kind === 'compactionFinished') this.refresh();
  }

  /** True when something beside the rows has changed. */
  #takeStatus(event: AgentEvent): boolean {
    const { body } = event;
    switch (body.kind) {
      case 'runStarted':
        this.#isReviewSuspended = false;
        this.#run = quietRun('connecting', event.at);
        return true;
      case 'runState':
        if (!isLive(body.state)) this.#run = undefined;
        else if (this.#run?.state !== body.state)
          this.#run = { ...quietRun(body.state, body.since), ...this.#stopping() };
        return true;
      case 'runFinished':
        this.#run = undefined;
        return true;
      case 'modelRetryScheduled':
        this.#run = this.#run && {
          ...this.#run,
          since: event.at,
          retry: { attempt: body.attempt + 1, delayMs: body.delayMs },
        };
        return true;
      case 'modelRetryRecovered':
        this.#run = this.#run && { ...this.#run, since: event.at, retry: undefined };
        return true;
      case 'reviewStarted':
      case 'reviewFinished':
      case 'reviewFailed':
        this.#isReviewSuspended ||= body.kind === 'reviewFailed' && body.code === 'breakerOpen';
        this.#run = this.#run && { ...this.#run, since: event.at, reviewing: body.kind === 'reviewStarted' };
        return true;
      case 'toolStarted':
      case 'toolFinished':
        return true;
      case 'tasksUpdated':
        this.#tasks = body.tasks;
        return true;
      case 'usageUpdated':
        this.#context = { tokens: body.contextTokens, window: body.contextWindow };
        return true;
      default:
        return false;
    }
  }

  #stopping(): { stopping: boolean } {
    return { stopping: this.#run?.stopping ?? false };
  }
}

function quietRun(state: LiveStatus['state'], since: number): Omit<LiveStatus, 'targets' | 'runningCalls'> {
  return { state, since, retry: undefined, reviewing: false, stopping: false };
}

/** How full the context was at the last answer; the window is told by live events only. */
function storedUse(snapshot: ConversationSnapshot): ContextUse | undefined {
  const last = snapshot.messages.findLast((message) => message.role === 'assistant');
  const usage = last?.role === 'assistant' ? last.usage : undefined;
  if (usage?.inputTokens === undefined) return undefined;
  return { tokens: usage.inputTokens + (usage.outputTokens ?? 0), window: undefined };
}
