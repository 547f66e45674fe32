import { html, type TemplateResult } from 'lit';
import type { Status } from '../protocol.ts';
import type { ScreenContext } from './context.ts';
import { icon } from './icon.ts';

/** What is waited for, since when, and the way out. `since` is on the clock of `performance.now()`. */
export function statusLine(status: Status, since: number, context: ScreenContext): TemplateResult {
  const { strings, host } = context;
  return html`
    <div class="status">
      ${icon('loading spin')}
      <span class="status-text">${status.text}</span>
      <span class="dot" aria-hidden="true">·</span>
      <termind-elapsed .since=${since} .strings=${strings}></termind-elapsed>
      ${
        status.canStop
          ? html`<button type="button" class="link stop" @click=${() => host.send({ kind: 'stop' })}>
              ${strings.stop}
            </button>`
          : ''
      }
    </div>
  `;
}
