import { html, type TemplateResult } from 'lit';
import type { EmptyState } from '../protocol.ts';
import { icon } from './icon.ts';

/** What the assistant can do, three questions to begin with, and what is sent where. */
export function emptyState(empty: EmptyState, onExample: (text: string) => void): TemplateResult {
  return html`
    <section class="empty" aria-label=${empty.title}>
      <h1>${icon('comment-discussion')}${empty.title}</h1>
      <ul class="abilities">
        ${empty.lines.map((line) => html`<li>${line}</li>`)}
      </ul>
      <h2>${empty.examplesTitle}</h2>
      <ul class="examples">
        ${empty.examples.map(
          (example) =>
            html`<li>
              <button type="button" class="example" @click=${() => onExample(example)}>${example}</button>
            </li>`,
        )}
      </ul>
      <p class="disclosure-text">${icon('lock')}<span>${empty.disclosure}</span></p>
    </section>
  `;
}
