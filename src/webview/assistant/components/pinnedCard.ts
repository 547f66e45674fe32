import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { PinnedCard } from '../protocol.ts';
import { fill } from '../text/format.ts';
import type { Host } from '../host/host.ts';
import { announce, PageElement, type ScreenContext } from './context.ts';
import { failureText } from './expandRow.ts';
import { icon } from './icon.ts';
import { Settling } from './settling.ts';

/**
 * The oldest card that waits for the person. Nothing in it is a default, it takes no focus by itself and is announced once. Made anew
 * for every card, so no press meant for one reaches the next.
 */
export abstract class PinnedCardElement<C extends PinnedCard> extends PageElement {
  static override properties: PropertyDeclarations = {
    card: { attribute: false },
    context: { attribute: false },
    problem: { state: true },
  };
  declare card: C;
  declare context: ScreenContext;
  declare problem: string;
  #settling: Settling | undefined;
  #isSending = false;

  constructor() {
    super();
    this.problem = '';
  }

  /** Puts the focus on something in the card that decides nothing. */
  abstract focusCard(): void;

  /** What is read aloud when the card appears. */
  protected abstract announcement(): string;

  protected override firstUpdated(): void {
    this.#settling = new Settling();
    announce(this, this.announcement(), true);
  }

  /** False for a moment after the card has appeared. */
  protected get isSettled(): boolean {
    return this.#settling?.isOver === true;
  }

  /** What kind of card it is, its place in the queue, and where it comes from. */
  protected heading(words: {
    readonly symbol: string;
    readonly alone: string;
    readonly amongOthers: string;
    readonly title?: string;
  }): TemplateResult {
    const { position, count, otherConversation } = this.card;
    const { symbol, alone, amongOthers, title = '' } = words;
    return html`
      <h2 title=${title}>${icon(symbol)}${count > 1 ? fill(amongOthers, position, count) : alone}</h2>
      ${
        otherConversation === undefined
          ? nothing
          : html`<p class="elsewhere">${fill(this.context.strings.inConversation, otherConversation)}</p>`
      }
    `;
  }

  protected problemLine(): unknown {
    return this.problem === '' ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`;
  }

  /**
   * Sends what the person decided, once; a refusal is shown and the card can be used again, and so it can behind a version of the person's
   * own, which decides nothing. Its buttons stay as they are meanwhile: one that is disabled would lose the focus.
   */
  protected settle(request: Parameters<Host['request']>[0]): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.problem = '';
    this.context.host.request(request).then(
      () => {
        if (request.kind === 'revise') this.#isSending = false;
      },
      (error: unknown) => {
        this.#isSending = false;
        this.problem = failureText(error, this.context);
      },
    );
  }
}

/** Keys as this system writes them: the modifiers by name, then the key. */
export function keyNames(modifiers: 'ctrl' | 'ctrlAlt', key: 'Enter' | 'Backspace'): string {
  const isMac = navigator.userAgent.includes('Mac');
  if (isMac) return `${modifiers === 'ctrl' ? '⌘' : '⌥⌘'}${key === 'Enter' ? '↩' : '⌫'}`;
  return `${modifiers === 'ctrl' ? 'Ctrl' : 'Ctrl+Alt'}+${key}`;
}
