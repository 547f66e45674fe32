import { html, type TemplateResult } from 'lit';
import type { PageStep, PageTone } from '../../domain/page/pageDocument.ts';

/** A codicon. It says nothing by itself: words stand beside it. */
export function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

export const toneIcons: Readonly<Record<PageTone, string>> = {
  plain: 'info',
  good: 'pass',
  warning: 'warning',
  bad: 'error',
};

export const stepIcons: Readonly<Record<PageStep['state'], string>> = {
  done: 'check',
  failed: 'close',
  skipped: 'circle-slash',
  running: 'loading',
  note: 'info',
};
