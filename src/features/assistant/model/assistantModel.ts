import {
  conversationId,
  DisposableBag,
  Emitter,
  type ClockPort,
  type ConversationId,
  type Disposable,
  type Event,
  type PermissionMode,
} from '../../../agentkit/index.ts';
import type {
  AssistantLibrary,
  ConversationSession,
  ModelChoice,
} from '../../../application/assistant/assistantLibrary.ts';
import type { WaitingCard } from '../../../application/assistant/cardQueue.ts';
import type { HostDirectory } from '../../../application/ports/hosts.ts';
import type { StoreStatePort } from '../../../application/ports/store.ts';
import type { Fault } from '../../../domain/fault.ts';
import type { Banner, Composer, Frame } from '../../../webview/assistant/protocol.ts';
import { noticeButton } from '../presentation/failure.ts';
import { presentPinned } from '../presentation/pinnedCard.ts';
import type { EndTexts } from '../presentation/runEnd.ts';
import { presentStatus } from '../presentation/status.ts';
import { LiveConversation, type ConversationChange } from './liveConversation.ts';

/** What the assistant needs of the runtime. */
export interface AssistantServices {
  readonly assistant: AssistantLibrary;
  readonly hosts: Pick<HostDirectory, 'list' | 'onDidChange'>;
  readonly store: Pick<StoreStatePort, 'state' | 'onDidChangeState'>;
}

export interface AssistantModelOptions {
  readonly texts: EndTexts;
  readonly clock: ClockPort;
  /** One localised sentence with cause and next step. */
  describeError(error: unknown): string;
  describeFault(fault: Fault): string;
  /** The mode that new conversations start with. */
  defaultMode(): PermissionMode;
  /** Reference of the model that reviews, as the settings say; empty when none is chosen. */
  reviewModel(): string;
  onError(error: unknown): void;
}

/** What stands around the rows. `statusSince` tells two waits with the same words apart. */
export type Head = Omit<Frame, 'rows' | 'hasOlder' | 'hasNewer'> & {
  readonly statusSince: number | undefined;
};

/** What a person has chosen for a conversation that does not exist yet. */
interface Choice {
  readonly mode?: PermissionMode;
  readonly modelRef?: string;
  readonly planning?: boolean;
}

/**
 * What all screens of the assistant show: one conversation and the oldest card that waits for the person. Usable before the runtime is there;
 * `attach` or `fail` follows once. Conversations whose run goes on are kept when another one is shown.
 */
export class AssistantModel implements Disposable {
  readonly #options: AssistantModelOptions;
  readonly #bag = new DisposableBag();
  readonly #changed: Emitter<ConversationChange>;
  readonly #kept = new Map<ConversationId, { live: LiveConversation; listener: Disposable }>();
  #services: AssistantServices | undefined;
  #startError: string | undefined;
  #current: LiveConversation | undefined;
  #titles: ReadonlyMap<string, string> = new Map();
  #hostLabel: string | undefined;
  /** What a person chose for the conversation that begins with the next message. */
  #choice: Choice = {};
  /** That conversation while it is made. */
  #beginning: Promise<ConversationSession | undefined> | undefined;

  constructor(options: AssistantModelOptions) {
    this.#options = options;
    this.#changed = this.#bag.add(new Emitter<ConversationChange>((error) => options.onError(error)));
  }

  /** Changes of what is shown. */
  readonly onDidChange: Event<ConversationChange> = (listener) => this.#changed.event(listener);

  get current(): LiveConversation | undefined {
    return this.#current;
  }

  get services(): AssistantServices | undefined {
    return this.#services;
  }

  /** Everything that waits for the person in this window, oldest first. */
  get waiting(): readonly WaitingCard[] {
    return this.#services?.assistant.cards.waiting ?? [];
  }

  /** The card that waits longest is on a screen. */
  notePinnedShown(): void {
    const [oldest] = this.waiting;
    if (oldest !== undefined) this.#services?.assistant.cards.noteShown(oldest.id);
  }

  get models(): readonly ModelChoice[] {
    return this.#services?.assistant.models() ?? [];
  }

  /** The model that reviews in the mode `review`; undefined when none is chosen or it is not there. */
  get reviewer(): ModelChoice | undefined {
    const ref = this.#options.reviewModel();
    return this.models.find((model) => model.ref === ref);
  }

  /** Reference of the model that answers next; undefined when none is set up. */
  get modelRef(): string | undefined {
    return this.#model()?.ref;
  }

  get mode(): PermissionMode {
    return this.#current?.summary.permissionMode ?? this.#choice.mode ?? this.#options.defaultMode();
  }

  /** The next run only looks, and hands over a plan. */
  get planning(): boolean {
    return this.#current?.summary.planning ?? this.#choice.planning ?? false;
  }

  /** The runtime is there. Lists are read in the background; nothing waits for them. */
  attach(services: AssistantServices): void {
    if (this.#services !== undefined) return;
    this.#services = services;
    const head = (): void => this.#changed.fire({ kind: 'head' });
    this.#bag.add(services.assistant.cards.onDidChange(head));
    this.#bag.add(services.assistant.raised.onDidChange(head));
    this.#bag.add(services.assistant.onDidChange(() => void this.#readTitles(services)));
    this.#bag.add(services.hosts.onDidChange(() => void this.#readHosts(services)));
    this.#bag.add(services.store.onDidChangeState(head));
    void this.#readTitles(services);
    void this.#readHosts(services);
    this.#changed.fire({ kind: 'reset' });
  }

  /** The runtime could not be loaded. */
  fail(error: unknown): void {
    this.#startError = this.#options.describeError(error);
    this.#changed.fire({ kind: 'head' });
  }

  /** Shows a conversation; undefined = a new one that is created with its first message. */
  show(session: ConversationSession | undefined): void {
    const before = this.#current;
    this.#current = session === undefined ? undefined : this.#keep(session);
    if (before !== undefined && before !== this.#current && !before.session.isRunning)
      this.#drop(before.session.id);
    this.#changed.fire({ kind: 'reset' });
  }

  /** Opens a stored conversation and shows it; false when it is gone. */
  async open(id: string): Promise<boolean> {
    const kept = this.#kept.get(conversationId(id));
    const session = kept?.live.session ?? (await this.#services?.assistant.open(conversationId(id)));
    if (session === undefined) return false;
    this.show(session);
    return true;
  }

  /** A conversation was deleted: stops showing it. */
  forget(id: string): void {
    if (this.#current?.session.id === id) this.show(undefined);
    this.#drop(conversationId(id));
  }

  /**
   * The session that is shown; creates one with what was chosen for it where there is none. Undefined before the runtime is there.
   * Rejects as `AssistantLibrary.create` does.
   */
  async ensureSession(): Promise<ConversationSession | undefined> {
    if (this.#current !== undefined) return this.#current.session;
    this.#beginning ??= this.#begin().finally(() => (this.#beginning = undefined));
    return this.#beginning;
  }

  /** For the conversation that is shown, or the one that begins with the next message. */
  async setMode(mode: PermissionMode): Promise<void> {
    if (this.#current !== undefined) return this.#current.session.setMode(mode);
    this.#choose({ mode });
  }

  /** For the conversation that is shown, or the one that begins with the next message. */
  async setModel(modelRef: string): Promise<void> {
    if (this.#current !== undefined) return this.#current.session.setModel(modelRef);
    this.#choose({ modelRef });
  }

  /** For the conversation that is shown, or the one that begins with the next message. */
  async setPlanning(planning: boolean): Promise<void> {
    if (this.#current !== undefined) return this.#current.session.setPlanning(planning);
    this.#choose({ planning });
  }

  /** Of the conversation, or of a new one. */
  get title(): string {
    return titleOr(this.#current?.title, this.#options.texts.texts.newConversation());
  }

  head(): Head {
    const { texts } = this.#options.texts;
    const now = this.#options.clock.now();
    const current = this.#current;
    const status = current?.status;
    const isStarting = this.#services === undefined && this.#startError === undefined;
    return {
      conversationId: current?.session.id,
      title: this.title,
      banner: this.#banner(),
      status:
        status === undefined
          ? isStarting
            ? { text: texts.starting(), elapsedMs: 0, canStop: false }
            : undefined
          : presentStatus(status, texts, now),
      statusSince: status?.since,
      tasks: current?.tasks ?? [],
      pinned: presentPinned(this.waiting, texts, (card) => this.#otherTitle(card)),
      composer: this.#composer(),
      empty: current === undefined || current.transcript.ids.length === 0 ? this.#empty() : undefined,
    };
  }

  dispose(): void {
    for (const { live, listener } of this.#kept.values()) {
      listener.dispose();
      live.dispose();
    }
    this.#kept.clear();
    this.#bag.dispose();
  }

  /** What was chosen is kept until it is stored: another try must not begin with less. */
  async #begin(): Promise<ConversationSession | undefined> {
    const session = await this.#services?.assistant.create();
    if (session === undefined) return undefined;
    const { mode, modelRef, planning } = this.#choice;
    if (mode !== undefined) await session.setMode(mode);
    if (modelRef !== undefined) await session.setModel(modelRef);
    if (planning !== undefined) await session.setPlanning(planning);
    this.#choice = {};
    this.show(session);
    return session;
  }

  #choose(choice: Choice): void {
    this.#choice = { ...this.#choice, ...choice };
    this.#changed.fire({ kind: 'head' });
  }

  #composer(): Composer {
    const { texts } = this.#options.texts;
    const context = this.#current?.context;
    return {
      blocked: this.#blocked(),
      mode: this.mode,
      modeLabel: texts.mode(this.mode),
      modelLabel: this.#model()?.label ?? '',
      running: this.#current?.status !== undefined,
      planning: this.planning,
      contextTokens: context?.tokens,
      contextWindow: context?.window,
    };
  }

  #blocked(): Composer['blocked'] {
    const { texts } = this.#options.texts;
    const services = this.#services;
    if (services === undefined) return undefined;
    const state = services.store.state();
    if (state.k === 'readOnly' || state.k === 'unavailable')
      return { reason: this.#options.describeFault(state.fault), action: noticeButton('showLog', texts) };
    if (this.#current?.isReadOnly === true) return { reason: texts.readOnly(), action: undefined };
    const model = this.#model();
    if (model === undefined) return { reason: texts.noModel(), action: noticeButton('addProvider', texts) };
    if (!model.ready && model.problem !== undefined)
      return { reason: this.#options.describeFault(model.problem), action: noticeButton('setKey', texts) };
    return undefined;
  }

  #model(): ModelChoice | undefined {
    const ref = this.#current?.summary.modelRef ?? this.#choice.modelRef;
    const { models } = this;
    return models.find((model) => model.ref === ref) ?? models.find((model) => model.ready) ?? models[0];
  }

  #banner(): Banner | undefined {
    const { texts } = this.#options.texts;
    if (this.#startError !== undefined)
      return { level: 'error', text: this.#startError, action: noticeButton('showLog', texts) };
    const raised = this.#raised();
    if (raised.length > 0)
      return { level: 'warning', text: texts.hostsRaised(raised.join(', ')), action: undefined };
    if (this.#services?.store.state().k === 'memory')
      return { level: 'warning', text: texts.notSaved(), action: undefined };
    if (this.mode === 'review' && this.#services !== undefined && this.reviewer === undefined)
      return {
        level: 'warning',
        text: texts.noReviewModel(),
        action: noticeButton('pickReviewModel', texts),
      };
    if (this.#current?.isReviewSuspended === true)
      return { level: 'warning', text: texts.reviewSuspended(), action: undefined };
    if (this.#current?.costCeiling === 'noPrice') {
      const model = this.#model();
      const text = texts.costNotEnforced(model?.label ?? this.#current.summary.modelRef);
      return { level: 'warning', text, action: noticeButton('setPrice', texts) };
    }
    return undefined;
  }

  /** Labels of production hosts that the conversation may change for the moment. */
  #raised(): readonly string[] {
    if (this.#services === undefined || this.#current === undefined) return [];
    return this.#services.assistant.raised.list(this.#current.session.id).map(({ label }) => label);
  }

  #empty(): Frame['empty'] {
    const { texts } = this.#options.texts;
    return {
      title: texts.emptyTitle(),
      lines: texts.emptyLines(),
      examplesTitle: texts.examplesTitle(),
      examples: this.#hostLabel === undefined ? texts.examplesWithoutHost() : texts.examples(this.#hostLabel),
      disclosure: texts.disclosure(this.#model()?.label ?? ''),
    };
  }

  #otherTitle(card: WaitingCard): string | undefined {
    if (card.conversationId === this.#current?.session.id) return undefined;
    return titleOr(this.#titles.get(card.conversationId), this.#options.texts.texts.newConversation());
  }

  #keep(session: ConversationSession): LiveConversation {
    const kept = this.#kept.get(session.id);
    if (kept !== undefined) return kept.live;
    const live = new LiveConversation(session, this.#options.texts, this.#options.clock);
    const listener = live.onDidChange((change) => {
      if (live === this.#current) this.#changed.fire(change);
      else if (live.status === undefined) this.#drop(session.id);
    });
    this.#kept.set(session.id, { live, listener });
    return live;
  }

  #drop(id: ConversationId): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    kept.listener.dispose();
    kept.live.dispose();
  }

  async #readTitles(services: AssistantServices): Promise<void> {
    try {
      const list = await services.assistant.list();
      this.#titles = new Map(list.map((summary) => [summary.id as string, summary.title]));
      this.#changed.fire({ kind: 'head' });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #readHosts(services: AssistantServices): Promise<void> {
    try {
      const [first] = await services.hosts.list();
      this.#hostLabel = first?.label;
      this.#changed.fire({ kind: 'head' });
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** A conversation has no title before its first message. */
function titleOr(title: string | undefined, otherwise: string): string {
  return title === undefined || title === '' ? otherwise : title;
}
