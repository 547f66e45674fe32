import { html, type TemplateResult } from 'lit';

/** A codicon. It says nothing by itself: words stand beside it. */
export function icon(name: string, extra = ''): TemplateResult {
  return html`<span class="codicon codicon-${name} ${extra}" aria-hidden="true"></span>`;
}
