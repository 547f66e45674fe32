import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { MarkdownBlocks, type Block } from '../markdown/blocks.ts';
import { highlighted } from '../markdown/highlight.ts';
import { renderBlock } from '../markdown/renderMarkdown.ts';
import { sanitized } from '../markdown/sanitize.ts';
import type { AssistantRow } from '../protocol.ts';
import { fill, formatDuration } from '../text/format.ts';
import { finishedSentences } from '../text/sentences.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';
import { expandRow } from './expandRow.ts';
import { icon } from './icon.ts';

/** An answer that is longer than this when it appears was there before the page; its beginning is not read aloud again. */
const heardBefore = 600;

/** An answer: folded thoughts, then Markdown whose finished blocks are drawn once. */
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
  readonly #markdown = new MarkdownBlocks();
  readonly #drawn = new WeakMap<Block, DocumentFragment | HTMLElement>();
  #spokenTo = 0;
  #wasStreaming = false;

  constructor() {
    super();
    this.isExpanded = false;
    this.rest = '';
    this.problem = '';
  }

  protected override render(): unknown {
    const blocks = this.#markdown.update(this.row.markdown, !this.row.streaming);
    return html`
      ${this.#thoughts()}
      <div class="markdown" @click=${this.#click} @keydown=${this.#key}>
        ${repeat(
          blocks,
          (_, index) => index,
          (block) => this.#draw(block),
        )}
      </div>
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

  /** A frozen block is drawn and highlighted once; an open one each time it grows. */
  #draw(block: Block): unknown {
    const known = this.#drawn.get(block);
    if (known !== undefined) return known;
    const element = document.createElement('div');
    element.className = 'block';
    element.append(sanitized(renderBlock(block.tokens)));
    for (const pre of element.querySelectorAll<HTMLElement>('pre.code')) this.#finishCode(pre, !block.isOpen);
    for (const table of element.querySelectorAll('table')) wrapTable(table);
    if (!block.isOpen) this.#drawn.set(block, element);
    return element;
  }

  #finishCode(pre: HTMLElement, isFrozen: boolean): void {
    const code = pre.querySelector('code');
    if (code === null) return;
    const colours = isFrozen
      ? highlighted(code.textContent, pre.getAttribute('data-language') ?? '')
      : undefined;
    if (colours !== undefined) code.replaceChildren(sanitized(colours));
    const frame = document.createElement('div');
    frame.className = 'code-frame';
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'icon-button copy-code codicon codicon-copy';
    copy.tabIndex = -1;
    copy.title = this.context.strings.copyCode;
    copy.setAttribute('aria-label', this.context.strings.copyCode);
    pre.replaceWith(frame);
    frame.append(pre, copy);
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

  readonly #click = (event: Event): void => {
    const target = event.target instanceof Element ? event.target : undefined;
    const link = target?.closest<HTMLElement>('a[data-href]');
    if (link) {
      event.preventDefault();
      this.#open(link.dataset['href'] ?? '');
    }
    const copy = target?.closest('.copy-code');
    if (copy) {
      this.context.host.send({
        kind: 'copyText',
        text: copy.parentElement?.querySelector('code')?.textContent ?? '',
      });
      announce(this, this.context.strings.copied);
    }
  };

  readonly #key = (event: KeyboardEvent): void => {
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    if (event.key === 'Enter' && target?.matches('a[data-href]') === true) {
      event.preventDefault();
      this.#open(target.dataset['href'] ?? '');
    }
  };

  #open(url: string): void {
    this.context.host.request({ kind: 'openLink', url }).catch((failure: unknown) => {
      announce(this, failure instanceof Error && 'text' in failure ? String(failure.text) : '');
    });
  }
}

/** A wide table scrolls inside its own box. */
function wrapTable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  table.replaceWith(frame);
  frame.append(table);
}

customElements.define('termind-answer-row', AnswerRowElement);
