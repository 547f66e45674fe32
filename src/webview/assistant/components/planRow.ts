import { html, nothing } from 'lit';
import type { PlanRow, PlanState, Strings } from '../protocol.ts';
import { fill } from '../text/format.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';
import { expandRow, failureText } from './expandRow.ts';
import { icon } from './icon.ts';
import './markdown.ts';
import { Settling } from './settling.ts';

const stateStrings: Record<PlanState, keyof Strings> = {
  pending: 'planPending',
  implemented: 'planImplemented',
  discarded: 'planDiscarded',
  superseded: 'planSuperseded',
};

const stateIcons: Record<PlanState, string> = {
  pending: 'checklist',
  implemented: 'check',
  discarded: 'circle-slash',
  superseded: 'arrow-down',
};

/** The accessible name of a plan: what it is about and what became of it. */
export function planName(row: PlanRow, strings: Strings): string {
  return fill(strings.planName, row.title, strings[stateStrings[row.state]]);
}

/** A plan that was handed over: whole while it waits for the decision, which two buttons take; folded once it is decided. */
export class PlanRowElement extends PageElement {
  static override properties = {
    row: { attribute: false },
    context: { attribute: false },
    isRunning: { attribute: false },
    isOpen: { state: true },
    rest: { state: true },
    problem: { state: true },
  };
  declare row: PlanRow;
  declare context: ScreenContext;
  /** A request of this conversation is worked on; until it has ended no plan can be implemented. */
  declare isRunning: boolean;
  declare isOpen: boolean;
  /** What follows the part that came with the row; undefined until it is asked for, empty until it is there. */
  declare rest: string | undefined;
  declare problem: string;
  #settling: Settling | undefined;
  #isSending = false;
  #hadFocus = false;

  constructor() {
    super();
    this.isRunning = false;
    this.problem = '';
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    this.#hadFocus = this.contains(document.activeElement);
    const before = changed.get('row') as PlanRow | undefined;
    if (changed.has('row') && before?.state !== this.row.state) {
      this.isOpen = this.row.state === 'pending';
      this.#isSending = false;
      this.problem = '';
    }
    if (this.isOpen && this.row.hasMore && this.rest === undefined) {
      this.rest = '';
      void this.#loadRest();
    }
  }

  protected override firstUpdated(): void {
    this.#settling = new Settling();
    if (this.row.state === 'pending') announce(this, planName(this.row, this.context.strings));
  }

  /** A button that had the focus and is gone gives it to its row. */
  protected override updated(): void {
    if (this.#hadFocus && document.activeElement === document.body)
      this.closest<HTMLElement>('article')?.focus();
  }

  protected override render(): unknown {
    const { row } = this;
    const { strings } = this.context;
    const label = fill(this.isOpen ? strings.hidePlan : strings.showPlan, row.title);
    return html`
      <div class="card plan state-${row.state}">
        <div class="card-head">
          <div class="what">
            ${icon(stateIcons[row.state], 'state-icon')}
            <h2 class="title">
              <button
                type="button"
                class="disclosure"
                tabindex="-1"
                aria-expanded=${this.isOpen}
                aria-label=${label}
                @click=${this.#toggle}
              >
                <span class="plan-title">${row.title}</span>
                ${icon(this.isOpen ? 'chevron-up' : 'chevron-down', 'small')}
              </button>
            </h2>
          </div>
          <div class="meta">
            <span>${strings.plan}</span><span class="dot" aria-hidden="true">·</span
            ><span class="state-word">${strings[stateStrings[row.state]]}</span>
          </div>
        </div>
        ${this.isOpen ? this.#body() : nothing}
        ${this.problem === '' ? nothing : html`<div class="problem" role="alert">${this.problem}</div>`}
        ${row.state === 'pending' ? this.#actions() : nothing}
      </div>
    `;
  }

  #body(): unknown {
    const { strings } = this.context;
    return html`
      <div class="plan-body">
        <termind-markdown
          .markdown=${this.row.markdown + (this.rest ?? '')}
          .levelAbove=${2}
          .context=${this.context}
        ></termind-markdown>
      </div>
      <div class="controls">
        <button type="button" class="link" tabindex="-1" @click=${this.#openFile}>
          ${strings.openPlanFile}
        </button>
        <button type="button" class="link" tabindex="-1" @click=${this.#copy}>${strings.copy}</button>
      </div>
    `;
  }

  #actions(): unknown {
    const { strings } = this.context;
    return html`
      <div class="actions">
        <vscode-button secondary .tabIndex=${-1} @click=${() => this.#decide('discard')}
          >${strings.discard}</vscode-button
        >
        <vscode-button
          secondary
          .tabIndex=${-1}
          ?disabled=${this.isRunning || !this.#isWhole}
          @click=${() => this.#decide('implement')}
          >${strings.implement}</vscode-button
        >
      </div>
      ${this.isRunning ? html`<p class="hint">${strings.planWhileRunning}</p>` : nothing}
    `;
  }

  /** Nobody implements what they could not read. */
  get #isWhole(): boolean {
    return !this.row.hasMore || (this.rest !== undefined && this.rest !== '');
  }

  async #loadRest(): Promise<void> {
    const from = this.row.markdown.length;
    const loaded = await expandRow(this.context, { rowId: this.row.id, part: 'plan', from });
    this.problem = loaded.problem;
    if (loaded.problem === '') this.rest = loaded.sections.join('');
  }

  readonly #toggle = (): void => {
    this.isOpen = !this.isOpen;
    if (this.isOpen && !this.#isWhole) this.rest = undefined;
  };

  readonly #openFile = (): void => {
    this.context.host.send({ kind: 'openScratch', path: this.row.scratchPath });
  };

  readonly #copy = (): void => {
    this.context.host.send({ kind: 'copyRow', rowId: this.row.id });
    announce(this, this.context.strings.copied);
  };

  #decide(verdict: 'implement' | 'discard'): void {
    if (this.#isSending || this.#settling?.isOver !== true) return;
    this.#isSending = true;
    this.problem = '';
    this.context.host.request({ kind: 'decidePlan', rowId: this.row.id, verdict }).then(
      () => undefined,
      (error: unknown) => {
        this.#isSending = false;
        this.problem = failureText(error, this.context);
      },
    );
  }
}

customElements.define('termind-plan-row', PlanRowElement);
