import {
  DisposableBag,
  Emitter,
  newConversationId,
  type ClockPort,
  type ConversationId,
  type ConversationSummary,
  type Disposable,
  type Event,
  type Guardian,
  type ModelStreamPort,
  type OpenedReviewer,
  type PermissionMode,
  type RunId,
  type RunStorePort,
  type SecurityReviewer,
} from '../../agentkit/index.ts';
import type { RemoteExecService } from '../exec/remoteExecService.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { StoreStatePort } from '../ports/store.ts';
import type { GrantStorePort } from '../ports/grants.ts';
import type { RequestLog } from '../requestLog/requestLog.ts';
import { ApprovalQueue, type TargetedCall, type TargetHistoryPort } from './approvalQueue.ts';
import type { AssistantLibrary, ConversationSession, ModelChoice } from './assistantLibrary.ts';
import { OpenConversation, type SessionOptions } from './conversationSession.ts';
import type { CardQueue } from './cardQueue.ts';
import { createRun, type RunParts } from './createRun.ts';
import { loadConversation } from './loadConversation.ts';
import type { ModelCatalog } from './modelCatalog.ts';
import type { QuestionQueue } from './questionQueue.ts';
import type { RaisedHosts } from './raisedHosts.ts';
import type { RunLimits } from './runLimits.ts';

export interface ConversationLibraryOptions {
  readonly store: RunStorePort;
  readonly storeState: Pick<StoreStatePort, 'onDidChangeRows' | 'keepChecking'>;
  readonly exec: RemoteExecService;
  readonly models: Pick<ModelCatalog, 'choices' | 'open'>;
  /** Fires when `models` gives others. */
  readonly onDidChangeModels: Event<unknown>;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly systemPrompt: string;
  /** The mode and model that new conversations start with. */
  readonly defaultMode: () => PermissionMode;
  readonly redact: (text: string) => string;
  readonly runs: RunParts;
  /** Absent = what is sent to providers is not logged. */
  readonly requestLog?: Pick<RequestLog, 'watch' | 'follow'>;
  /** The one queue of this window and its questions; the tools of `runs` ask there too. The library disposes both. */
  readonly cards: CardQueue;
  readonly questions: QuestionQueue;
  /** The same that the tools of `runs` look at. The library disposes it. */
  readonly raised: RaisedHosts;
  /** What was opened for this run can be closed. */
  readonly onRunEnd?: (run: RunId) => void;
  readonly grants: GrantStorePort;
  /** What a run may use with a model, as the settings stand. */
  readonly limits: (modelRef: string) => RunLimits;
  /** The security review and the model that the person chose for it, undefined when they chose none. Absent = nothing is reviewed. */
  readonly review?: {
    readonly guardian: Guardian;
    readonly openReviewer: () => ModelStreamPort | undefined;
  };
  /** Absent = conversations keep the first words as their title. */
  readonly proposeTitle?: SessionOptions['proposeTitle'];
}

/**
 * The conversations of this window and their one queue of decisions. The first look at the store ends the runs that dead windows
 * left behind; nothing of them is resumed. Disposing denies what waits and stops the live runs. Source: seed 1, "State lifetimes".
 */
export class ConversationLibrary implements AssistantLibrary, TargetHistoryPort, Disposable {
  readonly approvals: ApprovalQueue;
  readonly cards: QuestionQueue;
  readonly raised: RaisedHosts;
  readonly grants: Pick<GrantStorePort, 'list' | 'revoke'>;
  readonly #options: ConversationLibraryOptions;
  readonly #changed: Emitter<void>;
  readonly #open = new Map<ConversationId, OpenConversation>();
  readonly #bag = new DisposableBag();
  #cleared: Promise<void> | undefined;
  #comparing: Promise<void> | undefined;
  #compareAgain = false;

  constructor(options: ConversationLibraryOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('assistant', 'a listener failed', error));
    this.approvals = new ApprovalQueue(this, options.cards);
    this.cards = options.questions;
    this.raised = options.raised;
    this.grants = options.grants;
    this.#bag.add(
      options.storeState.onDidChangeRows((area) => {
        if (area === 'conversations') this.#rowsChanged();
      }),
    );
    this.#bag.add(options.onDidChangeModels(() => this.#changed.fire()));
  }

  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  async list(): Promise<readonly ConversationSummary[]> {
    await this.#clearLapsedRuns();
    return this.#options.store.listConversations();
  }

  async create(): Promise<ConversationSession> {
    const { store, models, clock, systemPrompt, defaultMode } = this.#options;
    const id = newConversationId();
    const choices = models.choices();
    await store.createConversation({
      id,
      title: '',
      systemPrompt,
      permissionMode: defaultMode(),
      modelRef: (choices.find((choice) => choice.ready) ?? choices[0])?.ref ?? '',
      createdAt: clock.now(),
    });
    const session = await this.open(id);
    if (session === undefined) throw new Error('a conversation was created and is not there');
    this.#changed.fire();
    return session;
  }

  async open(id: ConversationId): Promise<ConversationSession | undefined> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    await this.#clearLapsedRuns();
    const stored = await loadConversation(this.#options.store, id);
    if (stored === undefined) return undefined;
    const raced = this.#open.get(id);
    if (raced !== undefined) return raced;
    const session = new OpenConversation(stored, this.#sessionOptions(id));
    this.#open.set(id, session);
    return session;
  }

  async rename(id: ConversationId, title: string): Promise<void> {
    const session = this.#open.get(id);
    if (session !== undefined) return session.rename(title);
    await this.#options.store.updateMetadata(id, { title });
    this.#changed.fire();
  }

  /** Stops a live run first. Its commands on hosts are cut off from this window; they may go on there. */
  async delete(id: ConversationId): Promise<void> {
    const session = this.#open.get(id);
    session?.stop();
    await session?.settled();
    await this.#options.store.deleteConversation(id);
    session?.dispose();
    this.#open.delete(id);
    this.#options.exec.forget(id);
    this.raised.endRun(id);
    this.#options.review?.guardian.forget(id);
    this.#changed.fire();
  }

  models(): readonly ModelChoice[] {
    return this.#options.models.choices();
  }

  targetedCalls(id: ConversationId): readonly TargetedCall[] {
    return this.#open.get(id)?.targetedCalls() ?? [];
  }

  /** Stops every live run and resolves when their ends are stored. */
  async settle(): Promise<void> {
    this.#closeDesk();
    for (const session of this.#open.values()) session.dispose();
    await Promise.all([...this.#open.values()].map((session) => session.settled()));
  }

  dispose(): void {
    this.#closeDesk();
    this.#bag.dispose();
    for (const session of this.#open.values()) session.dispose();
    this.#options.cards.dispose();
    this.raised.dispose();
    this.#changed.dispose();
  }

  #closeDesk(): void {
    this.approvals.dispose();
    this.cards.dispose();
  }

  #sessionOptions(id: ConversationId): SessionOptions {
    const { store, exec, models, clock, log, redact, storeState, runs, limits, proposeTitle, requestLog } =
      this.#options;
    const desk = { approvals: this.approvals, questions: this.cards.runQuestions };
    return {
      store,
      exec,
      clock,
      log,
      redact,
      openModel: (ref) => {
        const model = models.open(ref);
        return model === undefined || requestLog === undefined ? model : requestLog.watch(id, model);
      },
      createRun: (order) => {
        const run = createRun(runs, { ...desk, review: this.#reviewerOf(id, order.runId) }, order);
        requestLog?.follow(id, run);
        run.onEvent(({ body }) => {
          if (body.kind !== 'runFinished') return;
          this.raised.endRun(id);
          this.#options.onRunEnd?.(order.runId);
        });
        return run;
      },
      limits,
      waiting: () => this.cards.waiting.filter(({ conversationId }) => conversationId === id),
      answerLoop: (runId, message) => this.cards.answerLoop(runId, message),
      proposeTitle,
      keepChecking: () => storeState.keepChecking(),
      onListChange: () => this.#changed.fire(),
      // It was the request that the raise was for.
      onOtherRun: () => this.raised.endRun(id),
    };
  }

  /** What is sent to the reviewer is in the request log like everything else. */
  #reviewerOf(conversationId: ConversationId, runId: RunId): SecurityReviewer | undefined {
    const { review, requestLog, limits } = this.#options;
    const openReviewer = (): OpenedReviewer | undefined => {
      const model = review?.openReviewer();
      if (model === undefined) return undefined;
      const { price } = limits(model.ref);
      return { model: requestLog?.watch(conversationId, model) ?? model, price };
    };
    return review?.guardian.reviewerOf({ conversationId, runId, openReviewer });
  }

  #rowsChanged(): void {
    this.#changed.fire();
    this.#compareAgain = true;
    this.#comparing ??= this.#compareOpen().finally(() => (this.#comparing = undefined));
  }

  /** Lets the open conversations follow their rows, unless those have changed again meanwhile. Never rejects. */
  async #compareOpen(): Promise<void> {
    while (this.#compareAgain) {
      this.#compareAgain = false;
      if (this.#open.size === 0) return;
      try {
        const summaries = new Map(
          (await this.#options.store.listConversations()).map((row) => [row.id, row]),
        );
        if (this.#isOutdated()) continue;
        for (const session of this.#open.values()) await session.follow(summaries.get(session.id));
      } catch (error) {
        this.#options.log.error('assistant', 'conversations were not read again', error);
      }
    }
  }

  /** Asked anew behind an await. */
  #isOutdated(): boolean {
    return this.#compareAgain;
  }

  /** Once; a store that cannot be written yet is asked again next time. */
  #clearLapsedRuns(): Promise<void> {
    this.#cleared ??= this.#options.store.interruptLapsedRuns().then(
      () => undefined,
      (error: unknown) => {
        this.#cleared = undefined;
        this.#options.log.warn(
          'assistant',
          `left-over runs were not ended: ${error instanceof Error ? error.message : 'unknown cause'}`,
        );
      },
    );
    return this.#cleared;
  }
}
