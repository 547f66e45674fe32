import { html, nothing } from 'lit';
import { limits, type AskedQuestion, type QuestionsCard } from '../protocol.ts';
import {
  answersOf,
  noAnswer,
  withOption,
  withOwn,
  withText,
  type AnswerDraft,
} from '../state/answerDraft.ts';
import { fill, formatMoment } from '../text/format.ts';
import { finishedSentences } from '../text/sentences.ts';
import { compose } from './context.ts';
import './markdown.ts';
import { keyNames, PinnedCardElement } from './pinnedCard.ts';

/**
 * Questions of the model. They are answered by a button, or by the shortcut with a modifier; Enter and Escape answer nothing. What is
 * filled in survives the page.
 */
export class QuestionsCardElement extends PinnedCardElement<QuestionsCard> {
  static override properties = { drafts: { attribute: false } };
  /** By the place of the question. */
  declare drafts: readonly AnswerDraft[];

  constructor() {
    super();
    this.drafts = [];
  }

  /** On the card as a whole; the first choice is the next stop. */
  override focusCard(): void {
    this.querySelector<HTMLElement>('section')?.focus();
  }

  protected override announcement(): string {
    const [first] = this.card.questions;
    const { text } = finishedSentences(first?.prompt ?? '', 0, true);
    return fill(this.context.strings.questionsAnnouncement, text.slice(0, 400));
  }

  protected override render(): unknown {
    const { strings, locale } = this.context;
    const { questions, closesAt, otherConversation } = this.card;
    const hints = [
      questions.length > 1 ? strings.answerSome : undefined,
      closesAt === undefined
        ? undefined
        : fill(strings.openUntil, formatMoment(closesAt, Date.now(), locale)),
      otherConversation === undefined ? strings.messageInstead : undefined,
    ];
    return html`
      <section
        class="pinned-card questions-card"
        tabindex="-1"
        aria-label=${strings.asksYou}
        @keydown=${this.#key}
      >
        ${this.heading({ symbol: 'question', alone: strings.asksYou, amongOthers: strings.asksYouOf })}
        <div class="pinned-body">
          ${questions.map((question, index) => this.#question(question, index))}
          <p class="hint">${hints.filter((hint) => hint !== undefined).join(' ')}</p>
        </div>
        ${this.problemLine()}
        <div class="actions">
          <vscode-button secondary @click=${this.#cancel}>${strings.doNotAnswer}</vscode-button>
          <vscode-button secondary ?disabled=${this.#answers.length === 0} @click=${() => this.#send()}
            >${strings.sendAnswers}</vscode-button
          >
        </div>
        <p class="keys">${fill(strings.answerKeys, keyNames('ctrl', 'Enter'))}</p>
      </section>
    `;
  }

  get #answers(): ReturnType<typeof answersOf> {
    return answersOf(this.card.questions, this.drafts);
  }

  #question(question: AskedQuestion, index: number): unknown {
    const { strings } = this.context;
    const isFree = question.options.length === 0;
    return html`
      <div
        class="question"
        role=${isFree ? 'group' : question.isMultiple ? 'group' : 'radiogroup'}
        aria-labelledby="question-${index}"
      >
        <div id="question-${index}" class="prompt">
          ${question.header === '' ? nothing : html`<p class="topic">${question.header}</p>`}
          <termind-markdown
            .markdown=${question.prompt}
            .hasTabStops=${true}
            .levelAbove=${2}
            .context=${this.context}
          ></termind-markdown>
        </div>
        ${
          isFree
            ? this.#ownWords(question, index)
            : html`
                <p class="hint">${question.isMultiple ? strings.chooseSeveral : strings.chooseOne}</p>
                ${question.options.map((option) => this.#option(question, index, option))}
                ${question.allowsOwnWords ? this.#somethingElse(question, index) : nothing}
              `
        }
      </div>
    `;
  }

  #option(question: AskedQuestion, index: number, option: AskedQuestion['options'][number]): unknown {
    const { strings } = this.context;
    return html`
      <label class="choice">
        <input
          type=${question.isMultiple ? 'checkbox' : 'radio'}
          name="question-${index}"
          .checked=${this.#draft(index).selected.includes(option.id)}
          @change=${(event: Event) =>
            this.#change(index, (draft) =>
              withOption(question, draft, { id: option.id, isOn: isChecked(event) }),
            )}
        />
        <span class="choice-text">
          <span class="choice-label"
            >${option.label}${
              option.recommended ? html` <span class="badge">${strings.recommended}</span>` : nothing
            }</span
          >
          ${
            option.description === ''
              ? nothing
              : html`<span class="choice-description">${option.description}</span>`
          }
        </span>
      </label>
    `;
  }

  #somethingElse(question: AskedQuestion, index: number): unknown {
    const { isOwn } = this.#draft(index);
    return html`
      <label class="choice">
        <input
          type=${question.isMultiple ? 'checkbox' : 'radio'}
          name="question-${index}"
          .checked=${isOwn}
          @change=${(event: Event) =>
            this.#change(index, (draft) => withOwn(question, draft, isChecked(event)))}
        />
        <span class="choice-text"><span class="choice-label">${this.context.strings.ownWords}</span></span>
      </label>
      ${isOwn ? this.#ownWords(question, index) : nothing}
    `;
  }

  #ownWords(question: AskedQuestion, index: number): unknown {
    return html`<textarea
      class="own-words"
      rows="1"
      maxlength=${limits.ownWords}
      aria-label=${this.context.strings.yourAnswer}
      placeholder=${question.placeholder === '' ? this.context.strings.yourAnswer : question.placeholder}
      .value=${this.#draft(index).text}
      @input=${(event: Event) => this.#change(index, (draft) => withText(question, draft, textOf(event)))}
    ></textarea>`;
  }

  #draft(index: number): AnswerDraft {
    return this.drafts[index] ?? noAnswer;
  }

  #change(index: number, change: (draft: AnswerDraft) => AnswerDraft): void {
    this.drafts = this.card.questions.map((_, at) =>
      at === index ? change(this.#draft(at)) : this.#draft(at),
    );
    const detail = { cardId: this.card.cardId, drafts: this.drafts };
    this.dispatchEvent(new CustomEvent('termind-answers', { bubbles: true, detail }));
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      compose(this, undefined);
      return;
    }
    const isShortcut = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isShortcut) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) this.#send();
  };

  #send(): void {
    const answers = this.#answers;
    if (!this.isSettled || answers.length === 0) return;
    this.settle({ kind: 'answerQuestions', cardId: this.card.cardId, answers });
  }

  readonly #cancel = (): void => {
    if (this.isSettled) this.settle({ kind: 'cancelQuestions', cardId: this.card.cardId });
  };
}

function isChecked(event: Event): boolean {
  return event.target instanceof HTMLInputElement && event.target.checked;
}

function textOf(event: Event): string {
  return event.target instanceof HTMLTextAreaElement ? event.target.value : '';
}

declare global {
  interface HTMLElementEventMap {
    /** What is filled in has changed. */
    'termind-answers': CustomEvent<{ readonly cardId: string; readonly drafts: readonly AnswerDraft[] }>;
  }
}

customElements.define('termind-questions-card', QuestionsCardElement);
