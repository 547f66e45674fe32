import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { PageRow, PageTable } from '../../domain/page/pageDocument.ts';
import { lineText } from '../../domain/page/pageText.ts';
import { linesOf } from './lines.ts';
import type { PageStrings } from './protocol.ts';

/** Rows in the page at once; more come by a button. Source: vscode.md 5. */
const mostRows = 200;

/** A table with a filter and a switch for quiet rows. In a narrow tab each row becomes a block, and the columns name its cells. */
export class PageTableElement extends LitElement {
  static override readonly properties = { table: {}, strings: {}, act: {} };
  declare table: PageTable;
  declare strings: PageStrings;
  declare act: (action: string) => void;
  #query = '';
  #showsQuiet = false;
  #most = mostRows;

  protected override createRenderRoot(): this {
    return this;
  }

  protected override render(): TemplateResult {
    const { table, strings } = this;
    const found = table.rows.filter((row) => this.#isWanted(row));
    return html`
      ${this.#tools(found.length)}
      <table role="table">
        <caption class="sr-only">
          ${table.caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${table.columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${found.slice(0, this.#most).map((row) => this.#row(row))}
        </tbody>
      </table>
      ${found.length === 0 ? html`<p class="quiet">${strings.nothingFound}</p>` : nothing}
      ${
        found.length > this.#most
          ? html`<button type="button" class="button" @click=${() => this.#more()}>
              ${strings.showMore}
            </button>`
          : nothing
      }
    `;
  }

  #tools(found: number): TemplateResult | typeof nothing {
    const { table, strings } = this;
    if (table.filter === undefined && table.showQuiet === undefined) return nothing;
    const count = strings.shown.replace('{0}', String(found)).replace('{1}', String(table.rows.length));
    return html`<div class="tools">
      ${
        table.filter === undefined
          ? nothing
          : html`<input
              type="search"
              aria-label=${table.filter}
              placeholder=${table.filter}
              .value=${this.#query}
              @input=${(event: InputEvent) => this.#filter(event)}
            />`
      }
      ${
        table.showQuiet === undefined
          ? nothing
          : html`<label>
              <input type="checkbox" .checked=${this.#showsQuiet} @change=${() => this.#toggle()} /><span
                >${table.showQuiet}</span
              >
            </label>`
      }
      <span class="quiet" role="status">${count}</span>
    </div>`;
  }

  #row({ cells }: PageRow): TemplateResult {
    const { table } = this;
    return html`<tr role="row">
      ${cells.map((lines, index) => {
        const name = table.columns[index] ?? '';
        const content = linesOf(lines, this.act);
        return index === 0
          ? html`<th scope="row" role="rowheader" data-column=${name}>${content}</th>`
          : html`<td role="cell" data-column=${name}>${content}</td>`;
      })}
    </tr>`;
  }

  #isWanted({ cells, isQuiet }: PageRow): boolean {
    const query = this.#query.trim().toLowerCase();
    if (query === '') return isQuiet !== true || this.#showsQuiet || this.table.showQuiet === undefined;
    return cells.some((lines) => lines.some((line) => lineText(line).toLowerCase().includes(query)));
  }

  #filter(event: InputEvent): void {
    if (event.target instanceof HTMLInputElement) this.#query = event.target.value;
    this.#most = mostRows;
    this.requestUpdate();
  }

  #toggle(): void {
    this.#showsQuiet = !this.#showsQuiet;
    this.requestUpdate();
  }

  #more(): void {
    this.#most += mostRows;
    this.requestUpdate();
  }
}

customElements.define('termind-page-table', PageTableElement);
