import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { Host, type EditorApi } from '../host/host.ts';
import type { Frame, PinnedCard, ReplyValue, ToWebview } from '../protocol.ts';
import { fromStored, toStored, type PersistedState } from '../state/persisted.ts';
import { applyMessage, type ScreenState } from '../state/screenState.ts';
import './answerRow.ts';
import './approvalCard.ts';
import './cardRow.ts';
import { ComposerElement } from './composer.ts';
import { PageElement, type ScreenContext } from './context.ts';
import './elapsed.ts';
import { emptyState } from './emptyState.ts';
import { icon } from './icon.ts';
import { notice } from './notice.ts';
import { PinnedCardElement } from './pinnedCard.ts';
import './planRow.ts';
import './questionsCard.ts';
import './questionsRow.ts';
import './runCard.ts';
import { statusLine } from './statusLine.ts';
import './tasks.ts';
import { TranscriptElement } from './transcript.ts';
import './userRow.ts';

const saveDelayMs = 250;

/** The whole screen: draws the state that the extension host sends, keeps draft and place, and nothing else. */
export class AssistantElement extends PageElement {
  static override properties = { state: { state: true } };
  declare state: ScreenState | undefined;
  readonly #host: Host;
  readonly #api: EditorApi;
  #context: ScreenContext | undefined;
  #persisted: PersistedState;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #isResyncing = false;
  #isDraftRestored = false;
  #focusLater: (() => void) | undefined;
  #hadFocusInCard = false;

  constructor(api: EditorApi) {
    super();
    this.#api = api;
    this.#persisted = fromStored(api.getState());
    this.#host = new Host(api, {
      onMessage: (message) => this.#take(message),
      onPage: (page) => this.#apply(page),
    });
    this.addEventListener('termind-draft', (event) =>
      this.#keep({ draft: event.detail, sending: undefined }),
    );
    this.addEventListener('termind-sending', (event) => {
      this.#keep({ sending: event.detail });
      // The page may be gone before the answer comes.
      this.#save();
    });
    this.addEventListener('termind-answers', (event) => this.#keep({ answers: event.detail }));
    this.addEventListener('termind-tasks', (event) => this.#keep({ areTasksOpen: event.detail }));
    this.addEventListener('termind-sent', () => this.#transcript?.toEnd());
    this.addEventListener('termind-scrolled', () => this.#saveLater());
    this.addEventListener('termind-compose', (event) => this.#composer?.focusInput(event.detail.text));
    this.addEventListener('termind-announce', (event) => this.#announce(event.detail));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.#received);
    this.#host.hello();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#received);
    clearTimeout(this.#saveTimer);
  }

  protected override willUpdate(): void {
    this.#hadFocusInCard = this.#card?.contains(document.activeElement) ?? false;
  }

  protected override updated(): void {
    const composer = this.#composer;
    if (composer !== null && !this.#isDraftRestored) {
      this.#isDraftRestored = true;
      composer.draft = this.#persisted.draft;
    }
    this.#returnFocus();
    this.#focusLater?.();
    this.#focusLater = undefined;
  }

  protected override render(): unknown {
    const { state } = this;
    if (state === undefined) return nothing;
    const { frame } = state;
    const context = this.#contextOf(state);
    return html`
      ${this.#header(context, frame)}
      <main>
        ${frame.banner === undefined ? nothing : html`<div class="banner">${notice(frame.banner, context, 0)}</div>`}
        ${
          frame.empty === undefined
            ? html`<termind-transcript .state=${state} .context=${context}></termind-transcript>`
            : emptyState(frame.empty, (text) => this.#composer?.focusInput(text))
        }
        <div class="dock">
          ${frame.status === undefined ? nothing : statusLine(frame.status, state.statusAt - frame.status.elapsedMs, context)}
          ${
            frame.tasks.length === 0
              ? nothing
              : html`<termind-tasks
                  .tasks=${frame.tasks}
                  .context=${context}
                  .isOpen=${this.#persisted.areTasksOpen}
                ></termind-tasks>`
          }
          ${frame.pinned === undefined ? nothing : keyed(keyOf(frame.pinned), this.#pinned(frame.pinned, context))}
          <termind-composer .composer=${frame.composer} .context=${context}></termind-composer>
        </div>
        <div class="sr-only urgent" aria-live="assertive"></div>
      </main>
    `;
  }

  /** The title of the conversation. In a view its buttons are in the bar that the editor draws. */
  #header({ strings, host }: ScreenContext, { title, empty }: Frame): unknown {
    const isPanel = document.body.dataset['surface'] === 'panel';
    if (!isPanel && empty !== undefined) return nothing;
    const button = (name: string, label: string, send: () => void): unknown =>
      html`<button type="button" class="icon-button" title=${label} aria-label=${label} @click=${send}>
        ${icon(name)}
      </button>`;
    return html`
      <header class="title-bar">
        <h1 title=${title}>${title}</h1>
        ${
          isPanel
            ? [
                button('history', strings.history, () => host.send({ kind: 'openHistory' })),
                button('add', strings.newConversation, () => host.send({ kind: 'newConversation' })),
              ]
            : nothing
        }
      </header>
    `;
  }

  #pinned(card: PinnedCard, context: ScreenContext): unknown {
    switch (card.kind) {
      case 'approval':
        return html`<termind-approval class="pinned" .card=${card} .context=${context}></termind-approval>`;
      case 'questions': {
        const { answers } = this.#persisted;
        const drafts = answers?.cardId === card.cardId ? answers.drafts : [];
        return html`<termind-questions-card
          class="pinned"
          .card=${card}
          .context=${context}
          .drafts=${drafts}
        ></termind-questions-card>`;
      }
      case 'run':
        return html`<termind-run-card class="pinned" .card=${card} .context=${context}></termind-run-card>`;
    }
  }

  get #card(): PinnedCardElement<PinnedCard> | undefined {
    const element = this.querySelector('.pinned');
    return element instanceof PinnedCardElement ? element : undefined;
  }

  get #composer(): ComposerElement | null {
    const element = this.querySelector('termind-composer');
    return element instanceof ComposerElement ? element : null;
  }

  get #transcript(): TranscriptElement | null {
    const element = this.querySelector('termind-transcript');
    return element instanceof TranscriptElement ? element : null;
  }

  #contextOf(state: ScreenState): ScreenContext {
    if (this.#context?.strings !== state.strings)
      this.#context = {
        strings: state.strings,
        locale: document.documentElement.lang || 'en',
        host: this.#host,
      };
    return this.#context;
  }

  readonly #received = (event: MessageEvent<ToWebview>): void => this.#host.take(event.data);

  #take(message: Parameters<ConstructorParameters<typeof Host>[1]['onMessage']>[0]): void {
    switch (message.kind) {
      case 'frame':
      case 'delta':
        return this.#apply(message);
      case 'focusComposer':
        return this.#whenDrawn(() => this.#composer?.focusInput(message.text));
      case 'focusPinned':
        return this.#whenDrawn(() => this.#focusCard());
    }
  }

  #apply(
    message: Extract<ToWebview, { kind: 'frame' | 'delta' }> | Extract<ReplyValue, { kind: 'page' }>,
  ): void {
    const isFirst = this.state === undefined;
    const applied = applyMessage(this.state, message, performance.now());
    switch (applied.kind) {
      case 'none':
        return;
      case 'resync':
        return this.#resync();
      case 'state':
        if (message.kind === 'frame') {
          this.#isResyncing = false;
          this.#noteStored(message.storedDraftId);
        }
        this.state = applied.state;
        if (isFirst) this.#restorePlace();
        if (message.kind === 'frame') this.#saveLater();
    }
  }

  /** What this page or the one before it sent is stored: it is no draft any more. */
  #noteStored(draftId: string | undefined): void {
    if (draftId === undefined) return;
    const composer = this.#composer;
    composer?.noteStored(draftId);
    if (this.#persisted.sending !== draftId) return;
    this.#keep({ draft: '', sending: undefined });
    if (composer !== null && this.#isDraftRestored) composer.draft = '';
  }

  /** Asks once for a frame; whatever arrives before it is dropped. */
  #resync(): void {
    if (this.#isResyncing || this.state === undefined) return;
    this.#isResyncing = true;
    this.#host.send({ kind: 'resync', generation: this.state.generation, afterSeq: this.state.seq });
  }

  #restorePlace(): void {
    const { anchor, conversationId } = this.#persisted;
    if (anchor === undefined || conversationId !== this.state?.frame.conversationId) return;
    void this.updateComplete.then(() => {
      const transcript = this.#transcript;
      if (transcript === null) return;
      transcript.restore = anchor;
      transcript.requestUpdate();
    });
  }

  #whenDrawn(action: () => void): void {
    this.#focusLater = action;
    this.requestUpdate();
  }

  #focusCard(): void {
    const card = this.#card;
    void card?.updateComplete.then(() => card.focusCard());
  }

  /** A card that had the focus and is gone gives it to the next card, or to the composer. */
  #returnFocus(): void {
    if (!this.#hadFocusInCard || document.activeElement !== document.body) return;
    if (this.#card === undefined) this.#composer?.focusInput();
    else this.#focusCard();
  }

  #announce({ text, isUrgent }: { readonly text: string; readonly isUrgent: boolean }): void {
    if (!isUrgent) {
      this.#transcript?.speak(text);
      return;
    }
    const urgent = this.querySelector('.urgent');
    if (urgent !== null) urgent.textContent = text;
  }

  #keep(change: Partial<PersistedState>): void {
    this.#persisted = { ...this.#persisted, ...change };
    this.#saveLater();
  }

  #saveLater(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), saveDelayMs);
  }

  #save(): void {
    const { answers } = this.#persisted;
    const pinned = this.state?.frame.pinned;
    const isOpen = pinned?.kind === 'questions' && pinned.cardId === answers?.cardId;
    this.#persisted = {
      ...this.#persisted,
      answers: isOpen ? answers : undefined,
      anchor: this.#transcript?.anchor,
      conversationId: this.state?.frame.conversationId,
    };
    this.#api.setState(toStored(this.#persisted));
  }
}

/** What makes a card another one. */
function keyOf(card: PinnedCard): string {
  return card.kind === 'approval' ? `${card.approvalId} ${card.digest}` : `${card.kind} ${card.cardId}`;
}

customElements.define('termind-assistant', AssistantElement);
