import { html, nothing } from 'lit';
import type { CardBody, CardReview, CardRow, CardState, Strings } from '../protocol.ts';
import { fill, formatDuration } from '../text/format.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';
import { expandRow, failureText } from './expandRow.ts';
import { icon } from './icon.ts';

const stateIcons: Record<CardState, string> = {
  proposed: 'circle-outline',
  reviewing: 'shield',
  waiting: 'shield',
  running: 'loading spin',
  succeeded: 'check',
  failed: 'error',
  denied: 'circle-slash',
  cancelled: 'debug-stop',
  unknown: 'question',
};

const reviewIcons: Record<CardReview['result'], string> = {
  allowed: 'shield',
  denied: 'circle-slash',
  failed: 'warning',
};

const stateStrings: Record<CardState, keyof Strings> = {
  proposed: 'stateProposed',
  reviewing: 'stateReviewing',
  waiting: 'stateWaiting',
  running: 'stateRunning',
  succeeded: 'stateSucceeded',
  failed: 'stateFailed',
  denied: 'stateDenied',
  cancelled: 'stateCancelled',
  unknown: 'stateUnknown',
};

/** A title above this is folded with the body. */
const longTitle = { length: 240, lines: 3 } as const;

/** The accessible name of a card: what, where, how it stands. */
export function cardName(row: CardRow, strings: Strings): string {
  const state = strings[stateStrings[row.state]];
  return row.target === ''
    ? fill(strings.cardNameLocal, row.title, state)
    : fill(strings.cardName, row.title, row.target, state);
}

/** One call: what, where, as whom, how it ended, and its output folded to a few whole lines. */
export class CardRowElement extends PageElement {
  static override properties = {
    row: { attribute: false },
    context: { attribute: false },
    runningSince: { attribute: false },
    isExpanded: { state: true },
    sections: { state: true },
    problem: { state: true },
  };
  declare row: CardRow;
  declare context: ScreenContext;
  /** When a running call began, on the clock of `performance.now()`. */
  declare runningSince: number | undefined;
  declare isExpanded: boolean;
  declare sections: readonly string[] | undefined;
  declare problem: string;
  #spokenState: CardState | undefined;

  constructor() {
    super();
    this.isExpanded = false;
    this.problem = '';
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get('row') as CardRow | undefined;
    if (before !== undefined && before.state !== this.row.state) {
      this.sections = undefined;
      if (this.isExpanded) void this.#load();
    }
  }

  protected override updated(): void {
    const { state } = this.row;
    if (this.#spokenState !== undefined && this.#spokenState !== state && state !== 'waiting')
      announce(this, cardName(this.row, this.context.strings));
    this.#spokenState = state;
  }

  protected override render(): unknown {
    const { row } = this;
    return html`
      <div class="card state-${row.state} tier-${row.tier === '' ? 'none' : row.tier}">
        <div class="card-head">
          <div class="what">
            ${icon(stateIcons[row.state], 'state-icon')}
            <span
              class="title ${row.isCommand ? 'command' : ''} ${this.#isTitleFolded ? 'folded' : ''}"
              .textContent=${row.title}
            ></span>
          </div>
          <div class="meta">${this.#meta()}</div>
        </div>
        ${row.body === undefined ? nothing : this.#body(row.body)}
        ${row.review === undefined ? nothing : review(row.review)}
        ${row.reason === undefined ? nothing : html`<div class="reason">${row.reason}</div>`}
        ${this.problem === '' ? nothing : html`<div class="problem">${this.problem}</div>`}
        ${this.#controls()}
      </div>
    `;
  }

  get #hasLongTitle(): boolean {
    return this.row.title.length > longTitle.length || this.row.title.split('\n').length > longTitle.lines;
  }

  get #isTitleFolded(): boolean {
    return this.#hasLongTitle && !this.isExpanded;
  }

  get #canExpand(): boolean {
    const { body } = this.row;
    return this.#hasLongTitle || (body !== undefined && body.shownLines < body.retainedLines);
  }

  #meta(): unknown {
    const { row } = this;
    const { strings, locale } = this.context;
    const facts: unknown[] = [row.target, row.identity, row.tierLabel].filter((fact) => fact !== '');
    if (row.state !== 'succeeded' && row.state !== 'running')
      facts.push(html`<span class="state-word">${strings[stateStrings[row.state]]}</span>`);
    if (row.result !== undefined && row.state !== 'unknown') facts.push(row.result);
    if (row.durationMs !== undefined) facts.push(formatDuration(row.durationMs, strings, locale));
    if (this.runningSince !== undefined && row.state === 'running')
      facts.push(html`<termind-elapsed .since=${this.runningSince} .strings=${strings}></termind-elapsed>`);
    return facts.map(
      (fact, index) =>
        html`${index === 0 ? nothing : html`<span class="dot" aria-hidden="true">·</span>`}<span
            >${fact}</span
          >`,
    );
  }

  #body(body: CardBody): unknown {
    const shown = this.isExpanded && this.sections !== undefined ? this.sections : body.sections;
    const texts = shown.map((text) => text.replace(/\n$/, '')).filter((text) => text !== '');
    return html`
      ${texts.map((text) => html`<pre class="output" .textContent=${text}></pre>`)}
      ${body.marker === undefined ? nothing : html`<div class="marker">${body.marker}</div>`}
    `;
  }

  #controls(): unknown {
    const { row } = this;
    const { strings } = this.context;
    const hasText = row.body !== undefined && row.body.retainedLines > 0;
    const controls = [
      this.#canExpand
        ? html`<button
            type="button"
            class="link"
            tabindex="-1"
            aria-expanded=${this.isExpanded}
            @click=${this.#toggle}
          >
            ${this.isExpanded ? strings.showLess : strings.showMore}
          </button>`
        : undefined,
      row.fullOutputPath === undefined
        ? undefined
        : html`<button type="button" class="link" tabindex="-1" @click=${this.#openFull}>
            ${strings.openFullOutput}
          </button>`,
      hasText
        ? html`<button type="button" class="link" tabindex="-1" @click=${this.#copy}>${strings.copy}</button>`
        : undefined,
      row.canCancel
        ? html`<button type="button" class="link" tabindex="-1" @click=${this.#cancel}>
            ${strings.cancel}
          </button>`
        : undefined,
    ].filter((control) => control !== undefined);
    return controls.length === 0 ? nothing : html`<div class="controls">${controls}</div>`;
  }

  readonly #toggle = (): void => {
    this.isExpanded = !this.isExpanded;
    if (this.isExpanded && this.sections === undefined) void this.#load();
  };

  async #load(): Promise<void> {
    if (this.row.body === undefined) return;
    const loaded = await expandRow(this.context, { rowId: this.row.id, part: 'body', from: 0 });
    this.sections = loaded.problem === '' ? loaded.sections : undefined;
    this.problem = loaded.problem;
  }

  readonly #openFull = (): void => {
    if (this.row.fullOutputPath !== undefined)
      this.context.host.send({ kind: 'openScratch', path: this.row.fullOutputPath });
  };

  readonly #copy = (): void => {
    this.context.host.send({ kind: 'copyRow', rowId: this.row.id });
    announce(this, this.context.strings.copied);
  };

  readonly #cancel = (): void => {
    this.context.host.request({ kind: 'cancelCard', rowId: this.row.id }).then(
      () => {
        this.problem = '';
      },
      (error: unknown) => {
        this.problem = failureText(error, this.context);
      },
    );
  };
}

function review({ result, text, rationale }: CardReview): unknown {
  return html`<div class="review review-${result}">
    <span class="review-verdict">${icon(reviewIcons[result])}${text}</span>
    ${rationale === '' ? nothing : html`<span class="review-rationale">${rationale}</span>`}
  </div>`;
}

customElements.define('termind-card-row', CardRowElement);
