import { html, nothing } from 'lit';
import type { UserRow } from '../protocol.ts';
import { PageElement, type ScreenContext } from './context.ts';
import { icon } from './icon.ts';

const foldedLines = 12;
const foldedLength = 1_200;

/** What a person wrote, as they wrote it. */
export class UserRowElement extends PageElement {
  static override properties = {
    row: { attribute: false },
    context: { attribute: false },
    isExpanded: { state: true },
  };
  declare row: UserRow;
  declare context: ScreenContext;
  declare isExpanded: boolean;

  constructor() {
    super();
    this.isExpanded = false;
  }

  protected override render(): unknown {
    const { strings } = this.context;
    const isLong =
      this.row.text.length > foldedLength || this.row.text.split('\n', foldedLines + 1).length > foldedLines;
    return html`
      <div class="who">
        ${strings.you}${this.row.queued ? html`<span class="queued">${icon('clock')}${strings.queued}</span>` : nothing}
      </div>
      <div class="said ${isLong && !this.isExpanded ? 'folded' : ''}" .textContent=${this.row.text}></div>
      ${
        isLong
          ? html`<div class="controls">
              <button
                type="button"
                class="link"
                tabindex="-1"
                aria-expanded=${this.isExpanded}
                @click=${this.#toggle}
              >
                ${this.isExpanded ? strings.showLess : strings.showMore}
              </button>
            </div>`
          : nothing
      }
    `;
  }

  readonly #toggle = (): void => {
    this.isExpanded = !this.isExpanded;
  };
}

customElements.define('termind-user-row', UserRowElement);
