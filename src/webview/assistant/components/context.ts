import { LitElement } from 'lit';
import type { Host } from '../host/host.ts';
import type { Strings } from '../protocol.ts';

/** What every part of the screen needs. The same object as long as the words are the same. */
export interface ScreenContext {
  readonly strings: Strings;
  readonly locale: string;
  readonly host: Host;
}

/** An element that draws into the page itself, so that one style sheet, one focus order and one selection hold for all of it. */
export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

declare global {
  interface HTMLElementEventMap {
    /** A part wants the composer to have the focus, with this text if there is one. */
    'termind-compose': CustomEvent<{ readonly text: string | undefined }>;
    /** A sentence to be read aloud; `isUrgent` interrupts. */
    'termind-announce': CustomEvent<{ readonly text: string; readonly isUrgent: boolean }>;
  }
}

export function announce(from: HTMLElement, text: string, isUrgent = false): void {
  if (text === '') return;
  from.dispatchEvent(
    new CustomEvent('termind-announce', { bubbles: true, composed: true, detail: { text, isUrgent } }),
  );
}

export function compose(from: HTMLElement, text: string | undefined): void {
  from.dispatchEvent(new CustomEvent('termind-compose', { bubbles: true, composed: true, detail: { text } }));
}
