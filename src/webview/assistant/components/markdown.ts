import { html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { MarkdownBlocks, type Block } from '../markdown/blocks.ts';
import { highlighted } from '../markdown/highlight.ts';
import { renderBlock } from '../markdown/renderMarkdown.ts';
import { sanitized } from '../markdown/sanitize.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';

/** A block as it is in the page, and the level of the last heading up to its end. */
interface Drawn {
  readonly element: HTMLElement;
  readonly level: number;
}

/**
 * Markdown of a model, the only way in which its text becomes part of the page. Finished blocks are drawn once; links go to the
 * extension host, which checks them. Source: vscode.md section 5.
 */
export class MarkdownElement extends PageElement {
  static override properties = {
    markdown: { attribute: false },
    isStreaming: { attribute: false },
    hasTabStops: { attribute: false },
    levelAbove: { attribute: false },
    context: { attribute: false },
  };
  declare markdown: string;
  /** More of the text may follow. */
  declare isStreaming: boolean;
  /** Links and buttons are tab stops; inside the transcript, which has one, they are not. */
  declare hasTabStops: boolean;
  /** Of the heading that stands over the text; its own headings begin one below, however deep their author began. */
  declare levelAbove: number;
  declare context: ScreenContext;
  readonly #blocks = new MarkdownBlocks();
  readonly #drawn = new WeakMap<Block, Drawn>();

  constructor() {
    super();
    this.isStreaming = false;
    this.hasTabStops = false;
    this.levelAbove = 1;
  }

  protected override render(): unknown {
    let level = this.levelAbove;
    const elements: HTMLElement[] = [];
    for (const block of this.#blocks.update(this.markdown, !this.isStreaming)) {
      const drawn = this.#draw(block, level);
      level = drawn.level;
      elements.push(drawn.element);
    }
    return html`
      <div class="markdown" @click=${this.#click} @keydown=${this.#key}>
        ${repeat(
          elements,
          (_, index) => index,
          (element) => element,
        )}
      </div>
    `;
  }

  /** A frozen block is drawn and highlighted once; an open one each time it grows. */
  #draw(block: Block, levelBefore: number): Drawn {
    const known = this.#drawn.get(block);
    if (known !== undefined) return known;
    const element = document.createElement('div');
    element.className = 'block';
    element.append(sanitized(renderBlock(block.tokens)));
    for (const pre of element.querySelectorAll<HTMLElement>('pre.code')) this.#finishCode(pre, !block.isOpen);
    for (const table of element.querySelectorAll('table')) wrapTable(table);
    if (this.hasTabStops)
      for (const stop of element.querySelectorAll<HTMLElement>('a[data-href], button')) stop.tabIndex = 0;
    const drawn = { element, level: setLevels(element, levelBefore) };
    if (!block.isOpen) this.#drawn.set(block, drawn);
    return drawn;
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

/** Gives headings levels without gaps, which a reader goes by; how they look stays. Gives the last level. */
function setLevels(element: HTMLElement, levelBefore: number): number {
  let level = levelBefore;
  for (const heading of element.querySelectorAll('h3, h4, h5, h6')) {
    level = Math.min(level + 1, Number(heading.tagName.slice(1)));
    heading.setAttribute('aria-level', String(level));
  }
  return level;
}

/** A wide table scrolls inside its own box. */
function wrapTable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  table.replaceWith(frame);
  frame.append(table);
}

customElements.define('termind-markdown', MarkdownElement);
