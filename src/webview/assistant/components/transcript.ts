import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Row } from '../protocol.ts';
import { fill } from '../text/format.ts';
import type { ScrollAnchor } from '../state/persisted.ts';
import type { ScreenState } from '../state/screenState.ts';
import { cardName } from './cardRow.ts';
import { compactionRow, compactionText } from './compactionRow.ts';
import { announce, compose, PageElement, type ScreenContext } from './context.ts';
import { icon } from './icon.ts';
import { notice } from './notice.ts';
import { planName } from './planRow.ts';
import { moveFocus, setTabStop } from './rovingFocus.ts';

/** Nearer to the end than this counts as being at the end. Pixels. */
const nearEnd = 32;
/** Nearer to an edge of the window than this asks for the next page. Pixels. */
const nearEdge = 240;
/** Sentences kept for reading aloud; older ones would be found twice by somebody who reads the page. */
const spokenKept = 3;

/**
 * The rows of the window. Keeps the reader where they are: at the end while it grows, otherwise on the same row. One tab stop; arrow
 * keys go from row to row, Enter into a row, Escape out of it.
 */
export class TranscriptElement extends PageElement {
  static override properties = {
    state: { attribute: false },
    context: { attribute: false },
    isAtEnd: { state: true },
  };
  declare state: ScreenState;
  declare context: ScreenContext;
  declare isAtEnd: boolean;
  /** Where the reader was when the page went away; used once. */
  restore: ScrollAnchor | undefined;
  #anchor: ScrollAnchor | undefined;
  /** Where the end was when it was last scrolled to: only a move up from there leaves it, growing does not. */
  #endTop = 0;
  #isPaging = false;
  /** The newest rows were asked for and are on their way. */
  #isJumping = false;
  #stopRow: string | undefined;
  /** The rows of the last drawing, for what is new at their end. */
  #drawn: Pick<ScreenState['frame'], 'conversationId' | 'rows'> | undefined;
  #resize: ResizeObserver | undefined;

  constructor() {
    super();
    this.isAtEnd = true;
  }

  /** Where the reader is now; undefined = at the end. */
  get anchor(): ScrollAnchor | undefined {
    return this.isAtEnd ? undefined : this.#anchor;
  }

  /** Reads a finished sentence or card aloud. */
  speak(text: string): void {
    const log = this.querySelector('.spoken');
    if (log === null) return;
    const line = document.createElement('p');
    line.textContent = text;
    log.append(line);
    while (log.childElementCount > spokenKept) log.firstElementChild?.remove();
  }

  /** Goes to the newest row, which may have to be fetched first. */
  toEnd(): void {
    if (this.state.frame.hasNewer) {
      this.#isJumping = true;
      this.context.host.send({ kind: 'latest' });
      return;
    }
    this.isAtEnd = true;
    this.#scrollToEnd();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize?.disconnect();
  }

  protected override firstUpdated(): void {
    this.#resize = new ResizeObserver(() => this.#keepPlace());
    const rows = this.querySelector('.rows');
    if (rows !== null) this.#resize.observe(rows);
    const scroller = this.#scroller;
    if (scroller !== null) this.#resize.observe(scroller);
  }

  protected override updated(): void {
    if (this.restore !== undefined) {
      this.#anchor = this.restore;
      this.restore = undefined;
      this.isAtEnd = this.#rowElement(this.#anchor.rowId) === undefined;
    }
    if (this.#isJumping && !this.state.frame.hasNewer) {
      this.#isJumping = false;
      this.isAtEnd = true;
    }
    this.#keepTabStop();
    this.#keepPlace();
    this.#speakOfCuts();
  }

  protected override render(): unknown {
    const { frame } = this.state;
    const { strings } = this.context;
    return html`
      <div
        class="scroller"
        role="log"
        aria-live="polite"
        aria-label=${strings.transcript}
        @scroll=${this.#scrolled}
        @keydown=${this.#key}
        @focusin=${this.#focused}
      >
        <div class="rows">
          ${frame.hasOlder ? this.#pageButton('older') : nothing}
          ${repeat(
            frame.rows,
            (row) => row.id,
            (row) => this.#row(row),
          )}
          ${frame.hasNewer ? this.#pageButton('newer') : nothing}
        </div>
        <div class="spoken sr-only"></div>
      </div>
      ${
        this.isAtEnd && !frame.hasNewer
          ? nothing
          : html`<button type="button" class="jump" @click=${() => this.toEnd()}>
              ${icon('arrow-down')}<span>${strings.jumpToLatest}</span>
            </button>`
      }
    `;
  }

  #row(row: Row): TemplateResult {
    return html`<article
      class="row row-${row.kind}"
      data-row=${row.id}
      tabindex="-1"
      aria-live="off"
      aria-label=${this.#name(row)}
    >
      ${keyed(row.kind, this.#content(row))}
    </article>`;
  }

  #content(row: Row): TemplateResult {
    const { context } = this;
    switch (row.kind) {
      case 'user':
        return html`<termind-user-row .row=${row} .context=${context}></termind-user-row>`;
      case 'assistant':
        return html`<termind-answer-row .row=${row} .context=${context}></termind-answer-row>`;
      case 'card': {
        const arrived = this.state.runningAt[row.id];
        const since =
          row.runningMs === undefined || arrived === undefined ? undefined : arrived - row.runningMs;
        return html`<termind-card-row
          .row=${row}
          .context=${context}
          .runningSince=${since}
        ></termind-card-row>`;
      }
      case 'questions':
        return html`<termind-questions-row .row=${row} .context=${context}></termind-questions-row>`;
      case 'plan':
        return html`<termind-plan-row
          .row=${row}
          .context=${context}
          .isRunning=${this.state.frame.composer.running}
        ></termind-plan-row>`;
      case 'compaction':
        return compactionRow(row, context);
      case 'notice':
        return notice(row, context, -1);
    }
  }

  #name(row: Row): string {
    const { strings } = this.context;
    switch (row.kind) {
      case 'user':
        return strings.you;
      case 'assistant':
        return strings.assistant;
      case 'card':
        return cardName(row, strings);
      case 'questions':
        if (row.state === 'proposed' || row.state === 'waiting') return strings.waitsForAnswer;
        return fill(
          strings.questionsName,
          row.items.map(({ answer }) => answer ?? strings.noAnswer).join(', '),
        );
      case 'plan':
        return planName(row, strings);
      case 'compaction':
        return compactionText(row, this.context);
      case 'notice':
        return strings[row.level];
    }
  }

  /** A summary that was made just now is told; those of before were told then. */
  #speakOfCuts(): void {
    const { conversationId, rows } = this.state.frame;
    const before = this.#drawn;
    this.#drawn = { conversationId, rows };
    if (before === undefined || before.conversationId !== conversationId) return;
    const known = new Set(before.rows.map(({ id }) => id));
    const newest = before.rows.at(-1);
    const end = newest === undefined ? -1 : rows.findLastIndex(({ id }) => known.has(id));
    for (const row of rows.slice(end + 1))
      if (row.kind === 'compaction') announce(this, compactionText(row, this.context));
  }

  #pageButton(direction: 'older' | 'newer'): TemplateResult {
    const { strings } = this.context;
    return html`<div class="page">
      <button type="button" class="link" @click=${() => void this.#page(direction)}>
        ${direction === 'older' ? strings.loadOlder : strings.loadNewer}
      </button>
    </div>`;
  }

  async #page(direction: 'older' | 'newer'): Promise<void> {
    if (this.#isPaging) return;
    this.#isPaging = true;
    try {
      await this.context.host.request({ kind: 'page', direction });
    } catch {
      // The button stays, so the reader can ask again.
    } finally {
      this.#isPaging = false;
    }
  }

  get #scroller(): HTMLElement | null {
    return this.querySelector('.scroller');
  }

  #rowElements(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('article.row')];
  }

  #rowElement(id: string): HTMLElement | undefined {
    return this.#rowElements().find((row) => row.dataset['row'] === id);
  }

  #scrollToEnd(): void {
    const scroller = this.#scroller;
    if (scroller === null) return;
    scroller.scrollTop = scroller.scrollHeight;
    this.#endTop = scroller.scrollTop;
  }

  /** After anything changed its size: the end stays the end, or the row at the top stays where it was. */
  #keepPlace(): void {
    const scroller = this.#scroller;
    if (scroller === null) return;
    if (this.isAtEnd) {
      this.#scrollToEnd();
      return;
    }
    const anchor = this.#anchor;
    const row = anchor === undefined ? undefined : this.#rowElement(anchor.rowId);
    if (anchor === undefined || row === undefined) return;
    scroller.scrollTop +=
      row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - anchor.offset;
  }

  readonly #scrolled = (): void => {
    const scroller = this.#scroller;
    if (scroller === null || this.#isJumping) return;
    const toEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const { hasOlder, hasNewer } = this.state.frame;
    if (toEnd <= nearEnd) this.isAtEnd = !hasNewer;
    else if (scroller.scrollTop < this.#endTop - nearEnd) this.isAtEnd = false;
    this.dispatchEvent(new CustomEvent('termind-scrolled', { bubbles: true }));
    if (this.isAtEnd) return;
    this.#noteAnchor(scroller);
    if (hasOlder && scroller.scrollTop < nearEdge) void this.#page('older');
    else if (hasNewer && toEnd < nearEdge) void this.#page('newer');
  };

  #noteAnchor(scroller: HTMLElement): void {
    const top = scroller.getBoundingClientRect().top;
    const row = this.#rowElements().find((element) => element.getBoundingClientRect().bottom > top);
    if (row !== undefined)
      this.#anchor = { rowId: row.dataset['row'] ?? '', offset: row.getBoundingClientRect().top - top };
  }

  /** The tab stop stays on its row; before the first focus it is the newest row. */
  #keepTabStop(): void {
    const rows = this.#rowElements();
    const stop = rows.find((row) => row.dataset['row'] === this.#stopRow) ?? rows.at(-1);
    if (stop !== undefined) setTabStop(stop, rows);
  }

  readonly #focused = (event: FocusEvent): void => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('article.row') : null;
    if (row === null) return;
    this.#stopRow = row.dataset['row'];
    this.#keepTabStop();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    const row = target?.closest<HTMLElement>('article.row') ?? undefined;
    if (target === undefined || row === undefined) return;
    const isInside = target !== row;
    if (event.key === 'Escape') {
      event.preventDefault();
      if (isInside) row.focus();
      else compose(this, undefined);
      return;
    }
    if (isInside) {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') this.#moveInside(event, row);
      else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') moveFocus(event, this.#rowElements());
      return;
    }
    if (event.key === 'Enter' || event.key === 'ArrowRight') {
      const first = controlsOf(row)[0];
      if (first === undefined) return;
      event.preventDefault();
      first.focus();
      return;
    }
    if (event.key !== 'ArrowLeft') moveFocus(event, this.#rowElements());
  };

  #moveInside(event: KeyboardEvent, row: HTMLElement): void {
    const controls = controlsOf(row);
    const current = controls.findIndex((control) => control.contains(document.activeElement));
    const next = controls[current + (event.key === 'ArrowRight' ? 1 : -1)];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  }
}

function controlsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('button, a[data-href], vscode-button')];
}

declare global {
  interface HTMLElementEventMap {
    /** The reader has moved. */
    'termind-scrolled': CustomEvent<undefined>;
  }
}

customElements.define('termind-transcript', TranscriptElement);
