import type { Strings } from '../protocol.ts';
import { formatElapsed } from '../text/format.ts';
import { PageElement } from './context.ts';

/** A duration that grows while it is on the screen, in whole seconds. Not read aloud. */
export class ElapsedElement extends PageElement {
  static override properties = { since: { attribute: false }, strings: { attribute: false } };
  /** When it was zero, on the clock of `performance.now()`. */
  declare since: number;
  declare strings: Strings;
  #timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('aria-hidden', 'true');
    this.#timer = setInterval(() => this.requestUpdate(), 1_000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  protected override render(): unknown {
    return formatElapsed(performance.now() - this.since, this.strings);
  }
}

customElements.define('termind-elapsed', ElapsedElement);
