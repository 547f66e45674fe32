import { html, nothing, type TemplateResult } from 'lit';
import type { Banner, NoticeRow } from '../protocol.ts';
import { codeSpans } from '../text/format.ts';
import type { ScreenContext } from './context.ts';
import { icon } from './icon.ts';

const icons: Record<NoticeRow['level'], string> = { info: 'info', warning: 'warning', error: 'error' };

/** A sentence of ours with the button that does the next step. `tabIndex` is -1 inside the transcript, which has one tab stop. */
export function notice(
  content: Banner & { readonly id?: string },
  context: ScreenContext,
  tabIndex: 0 | -1,
): TemplateResult {
  const { action } = content;
  const { strings, host } = context;
  return html`
    <div class="notice level-${content.level}">
      ${icon(icons[content.level])}
      <span class="sr-only">${strings[content.level]}: </span>
      <span class="notice-text"
        >${codeSpans(content.text).map(({ text, isCode }) => (isCode ? html`<code>${text}</code>` : text))}</span
      >
      ${
        action === undefined
          ? nothing
          : html`<vscode-button
              secondary
              .tabIndex=${tabIndex}
              @click=${() => host.send({ kind: 'act', action: action.id, rowId: content.id })}
              >${action.label}</vscode-button
            >`
      }
    </div>
  `;
}
