import { html, type TemplateResult } from 'lit';
import type { PageLine, PageText } from '../../domain/page/pageDocument.ts';

/** Lines below each other; the runs of one flow and wrap. */
export function linesOf(
  lines: readonly PageLine[],
  act: (action: string) => void,
): readonly TemplateResult[] {
  return lines.map((line) => html`<div class="line">${line.map((run) => runOf(run, act))}</div>`);
}

function runOf(run: PageText, act: (action: string) => void): TemplateResult {
  if (typeof run === 'string') return html`<span>${run}</span>`;
  if ('code' in run) return html`<code>${run.code}</code>`;
  if ('linkText' in run)
    return html`<button type="button" class="link" @click=${() => act(run.action)}>${run.linkText}</button>`;
  if ('badge' in run) return html`<span class="badge ${run.tone}">${run.badge}</span>`;
  return html`<span class="quiet">${run.quiet}</span>`;
}
