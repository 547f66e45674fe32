import { html, nothing } from 'lit';
import type { RunCard } from '../protocol.ts';
import { fill } from '../text/format.ts';
import { compose } from './context.ts';
import { PinnedCardElement } from './pinnedCard.ts';
import { moveFocus } from './rovingFocus.ts';

/** Whether a run goes on: what happened, in numbers, and the two ways from here. */
export class RunCardElement extends PinnedCardElement<RunCard> {
  /** On what happened. */
  override focusCard(): void {
    this.querySelector<HTMLElement>('.happened')?.focus();
  }

  protected override announcement(): string {
    return fill(this.context.strings.runAnnouncement, this.#happened());
  }

  protected override render(): unknown {
    const { strings } = this.context;
    const { question, otherConversation } = this.card;
    return html`
      <section class="pinned-card run-card" aria-label=${strings.needsDecision} @keydown=${this.#key}>
        ${this.heading({
          symbol: question.kind === 'loop' ? 'sync' : 'dashboard',
          alone: strings.needsDecision,
          amongOthers: strings.needsDecisionOf,
        })}
        <div class="pinned-body">
          <div class="happened" role="group" tabindex="0" aria-label=${this.#happened()}>
            <p class="sentence">${this.#happened()}</p>
            ${
              question.kind === 'loop' && question.toolNames.length > 0
                ? html`<p class="before">${question.toolNames.map((name) => html`<code>${name}</code>`)}</p>`
                : nothing
            }
          </div>
          ${
            question.kind === 'ceiling'
              ? html`<p class="hint">${this.#more(question)}</p>`
              : otherConversation === undefined
                ? html`<p class="hint">${strings.loopHint}</p>`
                : nothing
          }
        </div>
        ${this.problemLine()}
        <div class="actions">
          <vscode-button secondary .tabIndex=${-1} @click=${() => this.#decide('stop')}
            >${strings.stopRun}</vscode-button
          >
          <vscode-button secondary .tabIndex=${-1} @click=${() => this.#decide('continue')}
            >${strings.goOn}</vscode-button
          >
        </div>
      </section>
    `;
  }

  #happened(): string {
    const { strings, locale } = this.context;
    const { question } = this.card;
    if (question.kind === 'loop') return fill(strings.loopReached, question.repeats);
    const number = figures(locale);
    const sentence = question.unit === 'turns' ? strings.turnsReached : strings.costReached;
    return fill(sentence, number.format(question.used), number.format(question.limit));
  }

  #more({ unit, used, more }: Extract<RunCard['question'], { kind: 'ceiling' }>): string {
    const { strings, locale } = this.context;
    const number = figures(locale);
    const sentence = unit === 'turns' ? strings.moreTurns : strings.moreCost;
    return fill(sentence, number.format(more), number.format(used + more));
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      compose(this, undefined);
      return;
    }
    moveFocus(event, [...this.querySelectorAll<HTMLElement>('.happened, vscode-button')]);
  };

  #decide(verdict: 'continue' | 'stop'): void {
    if (this.isSettled) this.settle({ kind: 'decideRun', cardId: this.card.cardId, verdict });
  }
}

function figures(locale: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 4 });
}

customElements.define('termind-run-card', RunCardElement);
