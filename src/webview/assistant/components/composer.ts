import { html, nothing } from 'lit';
import { limits, type Composer } from '../protocol.ts';
import { fill } from '../text/format.ts';
import { PageElement, type ScreenContext } from './context.ts';
import { failureText } from './expandRow.ts';
import { icon } from './icon.ts';
import { moveFocus } from './rovingFocus.ts';

/** Room for kind and id of the message that carries the text. */
const envelopeBytes = 256;

/** Where a message is written: Enter sends, Shift+Enter breaks the line. It grows to eight lines and never decides anything. */
export class ComposerElement extends PageElement {
  static override properties = {
    composer: { attribute: false },
    context: { attribute: false },
    draft: { state: true },
    isSending: { state: true },
    problem: { state: true },
  };
  declare composer: Composer;
  declare context: ScreenContext;
  declare draft: string;
  declare isSending: boolean;
  declare problem: string;
  /** What is on its way and was not answered in time, or not yet. */
  #sending: { readonly id: string; readonly text: string } | undefined;

  constructor() {
    super();
    this.draft = '';
    this.isSending = false;
    this.problem = '';
  }

  get #input(): HTMLTextAreaElement | null {
    return this.querySelector('textarea');
  }

  /** Focuses the field; `text` goes in front of what is there. */
  focusInput(text?: string): void {
    if (text !== undefined && !this.draft.startsWith(text)) {
      this.draft = this.draft === '' ? text : `${text}\n${this.draft}`;
      this.#changed();
    }
    void this.updateComplete.then(() => {
      this.#input?.focus();
      this.#input?.setSelectionRange(this.draft.length, this.draft.length);
    });
  }

  /** Sends what is written, as if Enter had been pressed. */
  async submit(): Promise<void> {
    const text = this.draft;
    if (text.trim() === '' || this.isSending || this.composer.blocked !== undefined) return;
    const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
    const room = limits.messageBytes - envelopeBytes;
    if (bytes > room) {
      this.problem = fill(this.context.strings.tooLong, bytes, room);
      return;
    }
    const draftId = crypto.randomUUID();
    this.#sending = { id: draftId, text };
    this.isSending = true;
    this.problem = '';
    this.dispatchEvent(new CustomEvent('termind-sending', { bubbles: true, detail: draftId }));
    try {
      await this.context.host.request({ kind: 'send', text, draftId });
      this.noteStored(draftId);
    } catch (error) {
      if (!this.#isStored(draftId)) this.problem = failureText(error, this.context);
    } finally {
      this.isSending = false;
    }
  }

  #isStored(draftId: string): boolean {
    return this.#sending?.id !== draftId;
  }

  /** The text that was sent under this id is stored. It may be told more than once, and by another message than the answer. */
  noteStored(draftId: string): void {
    const sent = this.#sending;
    if (sent?.id !== draftId) return;
    this.#sending = undefined;
    this.problem = '';
    if (this.draft === sent.text) this.draft = '';
    this.#changed();
    this.dispatchEvent(new CustomEvent('termind-sent', { bubbles: true }));
  }

  protected override render(): unknown {
    const { composer } = this;
    const { strings } = this.context;
    return html`
      <div class="composer ${composer.blocked === undefined ? '' : 'blocked'}">
        ${this.#blockedLine()}
        ${
          composer.planning
            ? html`<p class="mode-note">${icon('checklist')}<span>${strings.planModeOn}</span></p>`
            : nothing
        }
        ${this.problem === '' ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
        <textarea
          rows="1"
          aria-label=${strings.composer}
          placeholder=${this.#placeholder}
          .value=${this.draft}
          @input=${this.#typed}
          @keydown=${this.#key}
        ></textarea>
        <div class="tools" role="toolbar" aria-label=${strings.composerTools} @keydown=${this.#toolKey}>
          ${this.#pickers()} ${this.#contextMeter()} ${this.#sendButton()}
        </div>
      </div>
    `;
  }

  get #placeholder(): string {
    const { strings } = this.context;
    if (this.composer.running) return strings.composerPlaceholderRunning;
    return this.composer.planning ? strings.composerPlaceholderPlanning : strings.composerPlaceholder;
  }

  protected override updated(): void {
    const fillBar = this.querySelector<HTMLElement>('.meter-fill');
    if (fillBar !== null) fillBar.style.width = `${this.#usedPercent ?? 0}%`;
  }

  get #usedPercent(): number | undefined {
    const { contextTokens, contextWindow } = this.composer;
    if (contextTokens === undefined || contextWindow === undefined) return undefined;
    return Math.min(100, Math.round((contextTokens / contextWindow) * 100));
  }

  #blockedLine(): unknown {
    const { blocked } = this.composer;
    if (blocked === undefined) return nothing;
    const { action } = blocked;
    return html`
      <div class="blocked-line">
        <span>${blocked.reason}</span>
        ${
          action === undefined
            ? nothing
            : html`<vscode-button @click=${() => this.context.host.send({ kind: 'act', action: action.id })}
                >${action.label}</vscode-button
              >`
        }
      </div>
    `;
  }

  #pickers(): unknown {
    const { composer } = this;
    const { strings, host } = this.context;
    const model = composer.modelLabel === '' ? strings.noModel : composer.modelLabel;
    return html`
      <button
        type="button"
        class="picker mode-${composer.mode}"
        tabindex="0"
        aria-haspopup="dialog"
        aria-label=${fill(strings.pickMode, composer.modeLabel)}
        title=${fill(strings.pickMode, composer.modeLabel)}
        @click=${() => host.send({ kind: 'pickMode' })}
      >
        ${icon('shield')}<span>${composer.modeLabel}</span>${icon('chevron-down', 'small')}
      </button>
      <button
        type="button"
        class="picker"
        tabindex="-1"
        aria-haspopup="dialog"
        aria-label=${fill(strings.pickModel, model)}
        title=${fill(strings.pickModel, model)}
        @click=${() => host.send({ kind: 'pickModel' })}
      >
        <span>${model}</span>${icon('chevron-down', 'small')}
      </button>
      <button
        type="button"
        class="picker plan-mode"
        role="checkbox"
        tabindex="-1"
        aria-checked=${composer.planning}
        aria-label=${strings.planMode}
        title=${strings.planMode}
        @click=${this.#togglePlanning}
      >
        <span class="box">${composer.planning ? icon('check', 'small') : nothing}</span
        ><span>${strings.plan}</span>
      </button>
    `;
  }

  #contextMeter(): unknown {
    const { contextTokens, contextWindow } = this.composer;
    if (contextTokens === undefined) return nothing;
    const { strings, locale } = this.context;
    const number = new Intl.NumberFormat(locale);
    const tokens = number.format(contextTokens);
    const label =
      contextWindow === undefined
        ? fill(strings.context, tokens)
        : fill(strings.contextOf, tokens, number.format(contextWindow));
    const percent = this.#usedPercent;
    if (percent === undefined) return nothing;
    return html`
      <span class="context" role="img" aria-label=${label} title=${label}>
        <span class="meter ${percent >= 85 ? 'full' : ''}"><span class="meter-fill"></span></span>${percent}%
      </span>
    `;
  }

  #sendButton(): unknown {
    const { strings, host } = this.context;
    const isStop = this.composer.running && this.draft.trim() === '';
    const label = isStop ? strings.stop : strings.send;
    const isOff =
      !isStop && (this.draft.trim() === '' || this.composer.blocked !== undefined || this.isSending);
    return html`<button
      type="button"
      class="icon-button send"
      tabindex="-1"
      aria-label=${label}
      title=${label}
      aria-disabled=${isOff}
      @click=${() => {
        if (isStop) host.send({ kind: 'stop' });
        else void this.submit();
      }}
    >
      ${icon(isStop ? 'stop-circle' : 'send')}
    </button>`;
  }

  readonly #togglePlanning = (): void => {
    this.problem = '';
    this.context.host
      .request({ kind: 'setPlanning', on: !this.composer.planning })
      .catch((error: unknown) => {
        this.problem = failureText(error, this.context);
      });
  };

  readonly #typed = (): void => {
    this.draft = this.#input?.value ?? '';
    this.problem = '';
    this.#changed();
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.isComposing) return;
    event.preventDefault();
    void this.submit();
  };

  readonly #toolKey = (event: KeyboardEvent): void => {
    moveFocus(event, [...this.querySelectorAll<HTMLElement>('.tools button')]);
  };

  #changed(): void {
    this.dispatchEvent(new CustomEvent('termind-draft', { bubbles: true, detail: this.draft }));
  }
}

declare global {
  interface HTMLElementEventMap {
    /** The unsent text has changed. */
    'termind-draft': CustomEvent<string>;
    /** The text is on its way, under this id. */
    'termind-sending': CustomEvent<string>;
    /** The text is stored. */
    'termind-sent': CustomEvent<undefined>;
  }
}

customElements.define('termind-composer', ComposerElement);
