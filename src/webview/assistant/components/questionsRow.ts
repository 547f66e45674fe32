import { html, nothing } from 'lit';
import type { QuestionsRow } from '../protocol.ts';
import { PageElement, type ScreenContext } from './context.ts';
import { icon } from './icon.ts';
import './markdown.ts';

/** Questions of the model in the transcript, with the answers once there are some. They are answered in the pinned card. */
export class QuestionsRowElement extends PageElement {
  static override properties = { row: { attribute: false }, context: { attribute: false } };
  declare row: QuestionsRow;
  declare context: ScreenContext;

  protected override render(): unknown {
    const { row, context } = this;
    const isOpen = row.state === 'proposed' || row.state === 'waiting';
    return html`
      <div class="card asked state-${row.state}">
        <div class="asked-head">${icon('question')}<span>${context.strings.question}</span></div>
        <dl>
          ${row.items.map(
            ({ question, answer }) => html`
              <div>
                <dt>
                  <termind-markdown .markdown=${question} .context=${context}></termind-markdown>
                </dt>
                ${
                  answer !== undefined
                    ? html`<dd class="answer">
                        ${icon('check')}<span class="answer-text" .textContent=${answer}></span>
                      </dd>`
                    : isOpen
                      ? nothing
                      : html`<dd class="answer none">
                          ${icon('dash')}<span>${context.strings.noAnswer}</span>
                        </dd>`
                }
              </div>
            `,
          )}
        </dl>
        ${row.reason === undefined ? nothing : html`<div class="reason">${row.reason}</div>`}
      </div>
    `;
  }
}

customElements.define('termind-questions-row', QuestionsRowElement);
