import { html, type TemplateResult } from 'lit';
import type { CompactionRow } from '../protocol.ts';
import { fill, formatMoment } from '../text/format.ts';
import type { ScreenContext } from './context.ts';

/** What the line says: when, and how much the summary stands for. */
export function compactionText(row: CompactionRow, { strings, locale }: ScreenContext): string {
  const number = new Intl.NumberFormat(locale).format(row.messages);
  return fill(strings.compacted, formatMoment(row.at, Date.now(), locale), number);
}

/** The line from which on the model reads a summary of what is older. */
export function compactionRow(row: CompactionRow, context: ScreenContext): TemplateResult {
  return html`<p class="divider"><span>${compactionText(row, context)}</span></p>`;
}
