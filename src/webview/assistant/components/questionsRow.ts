import { html, nothing } from 'lit';
import type { QuestionsRow } from '../protocol.ts';
import { PageElement, type ScreenContext } from './context.ts';
import { icon } from './icon.ts';
import './markdown.ts';

/**
 * Questions of the model in the transcript, with the answers. While they wait they stand in the pinned card, and here is one line for
 * them.
 */
export class QuestionsRowElement extends PageElement {
  static override properties = { row: { attribute: false }, context: { attribute: false } };
  declare row: QuestionsRow;
  declare context: ScreenContext;

  protected override render(): unknown {
    const { row, context } = this;
    const { strings } = context;
    const isOpen = row.state === 'proposed' || row.state === 'waiting';
    return html`
      <div class="card asked state-${row.state}">
        <div class="asked-head">
          ${icon('question')}<span>${isOpen ? strings.waitsForAnswer : strings.question}</span>
        </div>
        ${isOpen ? nothing : html`<dl>${row.items.map((item) => this.#item(item))}</dl>`}
        ${row.reason === undefined ? nothing : html`<div class="reason">${row.reason}</div>`}
      </div>
    `;
  }

  #item({ question, answer }: QuestionsRow['items'][number]): unknown {
    return html`
      <div>
        <dt><termind-markdown .markdown=${question} .context=${this.context}></termind-markdown></dt>
        ${
          answer === undefined
            ? html`<dd class="answer none">${icon('dash')}<span>${this.context.strings.noAnswer}</span></dd>`
            : html`<dd class="answer">
                ${icon('check')}<span class="answer-text" .textContent=${answer}></span>
              </dd>`
        }
      </div>
    `;
  }
}

customElements.define('termind-questions-row', QuestionsRowElement);
