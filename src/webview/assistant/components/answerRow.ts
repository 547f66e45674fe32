import { html, nothing } from 'lit';
import type { AssistantRow } from '../protocol.ts';
import { fill, formatDuration } from '../text/format.ts';
import { finishedSentences } from '../text/sentences.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';
import { expandRow } from './expandRow.ts';
import { icon } from './icon.ts';
import './markdown.ts';

/** An answer that is longer than this when it appears was there before the page; its beginning is not read aloud again. */
const heardBefore = 600;

/** An answer: folded thoughts, then Markdown. */
export class AnswerRowElement extends PageElement {
  static override properties = {
    row: { attribute: false },
    context: { attribute: false },
    isExpanded: { state: true },
    rest: { state: true },
    problem: { state: true },
  };
  declare row: AssistantRow;
  declare context: ScreenContext;
  declare isExpanded: boolean;
  /** Thoughts behind those that came with the row. */
  declare rest: string;
  declare problem: string;
  #spokenTo = 0;
  #wasStreaming = false;

  constructor() {
    super();
    this.isExpanded = false;
    this.rest = '';
    this.problem = '';
  }

  protected override render(): unknown {
    return html`
      ${this.#thoughts()}
      <termind-markdown
        .markdown=${this.row.markdown}
        .isStreaming=${this.row.streaming}
        .context=${this.context}
      ></termind-markdown>
    `;
  }

  protected override firstUpdated(): void {
    if (this.row.markdown.length > heardBefore) this.#spokenTo = this.row.markdown.length;
  }

  protected override updated(): void {
    if (this.row.streaming) this.#wasStreaming = true;
    if (!this.#wasStreaming) return;
    const spoken = finishedSentences(this.row.markdown, this.#spokenTo, !this.row.streaming);
    this.#spokenTo = spoken.offset;
    announce(this, spoken.text);
    if (!this.row.streaming) this.#wasStreaming = false;
  }

  #thoughts(): unknown {
    const { reasoning } = this.row;
    if (reasoning === undefined) return nothing;
    const { strings, locale } = this.context;
    const isThinking = reasoning.durationMs === undefined && this.row.streaming;
    const label = isThinking
      ? strings.thinking
      : reasoning.durationMs === undefined
        ? strings.thought
        : fill(strings.thoughtFor, formatDuration(reasoning.durationMs, strings, locale));
    return html`
      <div class="thoughts">
        <button
          type="button"
          class="disclosure"
          tabindex="-1"
          aria-expanded=${this.isExpanded}
          @click=${this.#toggle}
        >
          ${icon(this.isExpanded ? 'chevron-down' : 'chevron-right')}${label}
        </button>
        ${this.isExpanded ? html`<div class="thought-text" .textContent=${reasoning.text + this.rest}></div>` : nothing}
        ${this.problem === '' ? nothing : html`<div class="problem">${this.problem}</div>`}
      </div>
    `;
  }

  readonly #toggle = (): void => {
    this.isExpanded = !this.isExpanded;
    const { reasoning } = this.row;
    if (!this.isExpanded || reasoning?.hasMore !== true || this.rest !== '') return;
    void this.#loadRest(reasoning.text.length);
  };

  async #loadRest(from: number): Promise<void> {
    const loaded = await expandRow(this.context, { rowId: this.row.id, part: 'reasoning', from });
    this.rest = loaded.sections.join('');
    this.problem = loaded.problem;
  }
}

customElements.define('termind-answer-row', AnswerRowElement);
