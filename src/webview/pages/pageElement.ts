import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PageDocument, PageNotice } from '../../domain/page/pageDocument.ts';
import { blocksOf, codeCounter } from './blocks.ts';
import { icon, toneIcons } from './icons.ts';
import { pagesProtocol, type FromPage, type PageStrings, type ToPage } from './protocol.ts';
import './pageTable.ts';

/** The whole page. The extension host owns what it shows; the page keeps nothing but filters and folds. Source: vscode.md 5. */
export class PageElement extends LitElement {
  readonly #post: (message: FromPage) => void;
  #document: PageDocument | undefined;
  #strings: PageStrings | undefined;
  #isLoading = true;
  #said = '';

  constructor(post: (message: FromPage) => void) {
    super();
    this.#post = post;
  }

  protected override createRenderRoot(): this {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('message', this.#take);
    this.#post({ kind: 'hello', protocol: pagesProtocol });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('message', this.#take);
  }

  protected override render(): TemplateResult | typeof nothing {
    const strings = this.#strings;
    if (strings === undefined) return nothing;
    return html`
      ${this.#document === undefined ? nothing : this.#page(this.#document, strings)}
      <div class="progress" role="status">${this.#isLoading ? strings.loading : ''}</div>
      <div class="sr-only" role="status">${this.#said}</div>
    `;
  }

  readonly #take = (event: MessageEvent<ToPage>): void => {
    const message = event.data;
    switch (message.kind) {
      case 'loading':
        this.#strings = message.strings;
        this.#isLoading = true;
        break;
      case 'show':
        this.#strings = message.strings;
        this.#document = message.document;
        this.#isLoading = false;
        document.title = message.document.title;
        break;
      case 'say':
        this.#said = message.text;
        break;
    }
    this.requestUpdate();
  };

  #page(page: PageDocument, strings: PageStrings): TemplateResult {
    const act = (action: string): void => this.#post({ kind: 'act', action });
    const context = {
      act,
      strings,
      nextCode: codeCounter((index) => this.#post({ kind: 'copyCode', index })),
    };
    return html`<main aria-busy=${this.#isLoading}>
      <header>
        <div class="headline">
          <h1>${page.title}</h1>
          ${page.subtitle === undefined ? nothing : html`<p class="quiet">${page.subtitle}</p>`}
        </div>
        <div class="buttons">
          ${textButton(strings.copyAsText, () => this.#post({ kind: 'copyAll' }))}
          ${textButton(strings.reload, () => this.#post({ kind: 'reload' }))}
        </div>
      </header>
      ${page.notices.map((notice) => noticeOf(notice, act))}
      ${page.sections.map(
        (section) =>
          html`<section>
            <h2>${section.title}</h2>
            ${blocksOf(section.blocks, context)}
          </section>`,
      )}
    </main>`;
  }
}

customElements.define('termind-page', PageElement);

function noticeOf({ tone, text, buttons }: PageNotice, act: (action: string) => void): TemplateResult {
  return html`<div class="notice ${tone}">
    ${icon(toneIcons[tone])}
    <p>${text}</p>
    ${(buttons ?? []).map(({ label, action, isPrimary }) =>
      textButton(label, () => act(action), isPrimary === true ? 'primary' : ''),
    )}
  </div>`;
}

function textButton(label: string, press: () => void, extra = ''): TemplateResult {
  return html`<button type="button" class="button ${extra}" @click=${press}>${label}</button>`;
}
