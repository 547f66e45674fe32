import { html, nothing } from 'lit';
import { limits, type ApprovalCard } from '../protocol.ts';
import { fill } from '../text/format.ts';
import { visibleParts } from '../text/visibleText.ts';
import { compose } from './context.ts';
import { icon } from './icon.ts';
import { keyNames, PinnedCardElement } from './pinnedCard.ts';
import { moveFocus } from './rovingFocus.ts';

/** A decision about a call: a click or a key on a button, or the shortcut with a modifier while the focus is in this card. */
export class ApprovalCardElement extends PinnedCardElement<ApprovalCard> {
  static override properties = {
    isDenying: { state: true },
    isEditing: { state: true },
    hasSeenAll: { state: true },
  };
  declare isDenying: boolean;
  declare isEditing: boolean;
  /** The end of all that the digest covers was on the screen; before that nothing can be allowed. */
  declare hasSeenAll: boolean;
  #observer: IntersectionObserver | undefined;
  #hasFocus = false;

  constructor() {
    super();
    this.isDenying = false;
    this.isEditing = false;
    this.hasSeenAll = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('focusin', this.#focusMoved);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('focusin', this.#focusMoved);
    this.#observer?.disconnect();
  }

  /** On the exact text. */
  override focusCard(): void {
    this.querySelector<HTMLElement>('.exact')?.focus();
  }

  protected override firstUpdated(): void {
    super.firstUpdated();
    this.#watchEnd();
  }

  protected override announcement(): string {
    return fill(
      this.context.strings.approvalAnnouncement,
      this.card.action.slice(0, 200),
      [this.#where(), this.card.tierLabel].filter((part) => part !== '').join(', '),
    );
  }

  protected override render(): unknown {
    const { card } = this;
    const { strings } = this.context;
    return html`
      <section
        class="pinned-card approval tier-${card.tier === '' ? 'none' : card.tier}"
        aria-label=${strings.needsDecision}
        @keydown=${this.#key}
        @focusout=${this.#focusLeft}
      >
        ${this.heading({
          symbol: 'shield',
          alone: strings.needsDecision,
          amongOthers: strings.needsDecisionOf,
          title: `SHA-256 ${card.digest}`,
        })}
        ${this.#target()}
        ${
          card.tooLarge
            ? html`<p class="problem">${strings.tooLargeToShow}</p>`
            : html`<div class="pinned-body approval-body">${this.#content()}</div>`
        }
        ${this.problemLine()} ${this.#controls()}
      </section>
    `;
  }

  #where(): string {
    const { card, context } = this;
    if (card.target === '') return context.strings.runLocally;
    return card.identity === ''
      ? fill(context.strings.runOn, card.target)
      : fill(context.strings.runOnAs, card.target, card.identity);
  }

  #controls(): unknown {
    if (this.isDenying) return this.#denyRow();
    return this.isEditing ? this.#editRow() : this.#actions();
  }

  #target(): unknown {
    const { card } = this;
    return html`
      <div class="target">
        <span class="where">${this.#where()}</span>
        ${
          card.tierLabel === ''
            ? nothing
            : html`<span class="tier">${icon('circle-filled')}${card.tierLabel}</span>`
        }
        ${
          card.targetChanged
            ? html`<strong class="changed">${icon('warning')}${this.context.strings.differentHost}</strong>`
            : nothing
        }
        ${card.isEdited ? html`<span class="edited">${icon('edit')}${this.context.strings.editedByYou}</span>` : nothing}
      </div>
    `;
  }

  #content(): unknown {
    const { card } = this;
    const { strings } = this.context;
    return html`
      <div
        class="exact"
        role="group"
        tabindex="0"
        aria-label=${strings.exactText}
        aria-describedby="exact-literal"
      >
        <span id="exact-literal">${exactText(card.action)}</span>
      </div>
      ${
        card.reasons.length === 0
          ? nothing
          : html`<ul class="reasons">
              ${card.reasons.map((reason) => html`<li>${reason}</li>`)}
            </ul>`
      }
      ${
        card.details.length === 0
          ? nothing
          : html`<dl class="details">
              ${card.details.map(
                ({ label, value }) =>
                  html`<div>
                    <dt>${label}</dt>
                    <dd>${exactText(value)}</dd>
                  </div>`,
              )}
            </dl>`
      }
      <span class="end"></span>
      ${
        card.before.length === 0
          ? nothing
          : html`<p class="before">
              <span>${fill(strings.beforeOn, card.target)}:</span>
              ${card.before.map((command) => html`<code>${exactText(command)}</code>`)}
            </p>`
      }
    `;
  }

  #actions(): unknown {
    const { strings } = this.context;
    return html`
      <div class="actions">
        <vscode-button
          secondary
          class="deny"
          .tabIndex=${this.card.tooLarge ? 0 : -1}
          @click=${this.#startDenying}
          >${strings.denyWithReason}</vscode-button
        >
        ${
          this.card.editable === undefined
            ? nothing
            : html`<vscode-button secondary class="edit" .tabIndex=${-1} @click=${this.#startEditing}
                >${strings.edit}</vscode-button
              >`
        }
        ${
          this.card.canGrant
            ? html`<vscode-button
                secondary
                class="grant"
                .tabIndex=${-1}
                ?disabled=${!this.hasSeenAll}
                @click=${this.#allowForConversation}
                >${strings.allowForConversation}</vscode-button
              >`
            : nothing
        }
        ${
          this.card.tooLarge
            ? nothing
            : html`<vscode-button
                secondary
                class="allow"
                .tabIndex=${-1}
                ?disabled=${!this.hasSeenAll}
                @click=${this.#allow}
                >${strings.allowOnce}</vscode-button
              >`
        }
      </div>
      ${this.card.canGrant ? html`<p class="hint">${strings.grantHint}</p>` : nothing}
      <p class="keys ${this.hasSeenAll ? '' : 'wait'}">
        ${this.hasSeenAll || this.card.tooLarge ? fill(strings.approveKeys, keyNames('ctrlAlt', 'Enter'), keyNames('ctrlAlt', 'Backspace')) : strings.readToEnd}
      </p>
    `;
  }

  #denyRow(): unknown {
    const { strings } = this.context;
    return html`
      <div class="deny-row">
        <label for="deny-reason">${strings.denyReason}</label>
        <input
          id="deny-reason"
          type="text"
          maxlength="1000"
          placeholder=${strings.denyReasonHint}
          @keydown=${this.#reasonKey}
        />
        <div class="actions">
          <vscode-button secondary @click=${this.#stopDenying}>${strings.back}</vscode-button>
          <vscode-button secondary class="deny" @click=${this.#deny}>${strings.deny}</vscode-button>
        </div>
      </div>
    `;
  }

  #editRow(): unknown {
    const { strings } = this.context;
    return html`
      <div class="edit-row">
        <label for="edit-text">${strings.editedText}</label>
        <textarea
          id="edit-text"
          rows="4"
          spellcheck="false"
          maxlength=${limits.editableBytes}
          aria-describedby="edit-hint"
          .value=${this.card.editable ?? ''}
        ></textarea>
        <p class="hint" id="edit-hint">${strings.editHint}</p>
        <div class="actions">
          <vscode-button secondary @click=${this.#stopEditing}>${strings.back}</vscode-button>
          <vscode-button secondary class="use-edit" @click=${this.#useEdit}>${strings.useEdit}</vscode-button>
        </div>
      </div>
    `;
  }

  #watchEnd(): void {
    const end = this.querySelector('.end');
    if (end === null) return;
    this.#observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting) || document.visibilityState !== 'visible') return;
      this.#observer?.disconnect();
      this.hasSeenAll = true;
      this.#sayShown();
    });
    this.#observer.observe(end);
  }

  #sayShown(): void {
    if (!this.hasSeenAll) return;
    const { approvalId, digest } = this.card;
    // While the person writes another version, no key of the editor decides about this one.
    const hasFocus = this.#hasFocus && !this.isEditing;
    this.context.host.send({ kind: 'shown', approvalId, digest, hasFocus });
  }

  readonly #focusMoved = (event: FocusEvent): void => {
    this.#setFocus(event.target instanceof Node && this.contains(event.target));
  };

  /** The focus stays with the card while another part of the editor has it, for example the command palette. */
  readonly #focusLeft = (): void => {
    setTimeout(() => {
      if (document.hasFocus()) this.#setFocus(this.contains(document.activeElement));
    });
  };

  #setFocus(hasFocus: boolean): void {
    if (this.#hasFocus === hasFocus) return;
    this.#hasFocus = hasFocus;
    this.#sayShown();
  }

  readonly #key = (event: KeyboardEvent): void => {
    const hasModifier = (event.ctrlKey || event.metaKey) && event.altKey;
    if (hasModifier && (event.key === 'Enter' || event.key === 'Backspace')) {
      event.preventDefault();
      event.stopPropagation();
      if (!this.isSettled || event.repeat || this.isEditing) return;
      if (event.key === 'Backspace') this.#decide('deny', this.#reason());
      else if (this.hasSeenAll) this.#decide('approve', undefined);
      return;
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      if (this.isDenying) this.#stopDenying();
      else if (this.isEditing) this.#stopEditing();
      else compose(this, undefined);
      return;
    }
    if (this.isEditing) return;
    moveFocus(event, [...this.querySelectorAll<HTMLElement>('.exact, vscode-button')]);
  };

  readonly #startDenying = (): void => {
    if (!this.isSettled) return;
    this.isDenying = true;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('#deny-reason')?.focus());
  };

  readonly #stopDenying = (): void => {
    this.isDenying = false;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('.deny')?.focus());
  };

  readonly #reasonKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing || event.altKey) return;
    event.preventDefault();
    this.#deny();
  };

  readonly #deny = (): void => {
    this.#decide('deny', this.#reason());
  };

  readonly #startEditing = (): void => {
    if (!this.isSettled) return;
    this.isEditing = true;
    this.problem = '';
    this.#sayShown();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('#edit-text')?.focus());
  };

  readonly #stopEditing = (): void => {
    this.isEditing = false;
    this.problem = '';
    this.#sayShown();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('.edit')?.focus());
  };

  readonly #useEdit = (): void => {
    const text = this.querySelector<HTMLTextAreaElement>('#edit-text')?.value ?? '';
    const { approvalId, digest, editable } = this.card;
    // The same text is the same question: this card stays.
    if (text === editable) return this.#stopEditing();
    this.settle({ kind: 'revise', approvalId, shownDigest: digest, text });
  };

  readonly #allowForConversation = (): void => {
    if (this.isSettled && this.hasSeenAll) this.#decide('approveForConversation', undefined);
  };

  readonly #allow = (): void => {
    if (this.isSettled && this.hasSeenAll) this.#decide('approve', undefined);
  };

  #reason(): string | undefined {
    const text = this.querySelector<HTMLInputElement>('#deny-reason')?.value.trim() ?? '';
    return text === '' ? undefined : text;
  }

  #decide(verdict: 'approve' | 'approveForConversation' | 'deny', reason: string | undefined): void {
    const { approvalId, digest } = this.card;
    this.settle({ kind: 'decide', approvalId, shownDigest: digest, verdict, reason });
  }
}

/** Made node by node: every blank in it is one of the text. */
function exactText(text: string): HTMLElement {
  const exact = document.createElement('span');
  exact.className = 'literal';
  for (const part of visibleParts(text)) {
    if (part.kind === 'text') {
      exact.append(part.text);
      continue;
    }
    const mark = document.createElement('span');
    mark.className = 'mark';
    mark.title = part.name;
    mark.textContent = part.label;
    exact.append(mark, ...(part.breaks ? [document.createElement('br')] : []));
  }
  return exact;
}

customElements.define('termind-approval', ApprovalCardElement);
