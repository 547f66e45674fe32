import { html, nothing, type TemplateResult } from 'lit';
import type { PageBlock, PageStep } from '../../domain/page/pageDocument.ts';
import { icon, stepIcons } from './icons.ts';
import { linesOf } from './lines.ts';
import type { PageStrings } from './protocol.ts';

export interface BlockContext {
  readonly act: (action: string) => void;
  readonly strings: PageStrings;
  /** Blocks of code count through the page, in document order. */
  readonly nextCode: () => () => void;
}

/** Gives each block of code, in the order in which they are drawn, what its button does. */
export function codeCounter(copy: (index: number) => void): () => () => void {
  let next = 0;
  return () => {
    const index = next++;
    return () => copy(index);
  };
}

export function blocksOf(blocks: readonly PageBlock[], context: BlockContext): readonly TemplateResult[] {
  return blocks.map((block) => blockOf(block, context));
}

function blockOf(block: PageBlock, context: BlockContext): TemplateResult {
  const { act, strings } = context;
  switch (block.k) {
    case 'text':
      return html`<div class="text">${linesOf([block.line], act)}</div>`;
    case 'facts':
      return html`<dl>
        ${block.rows.map(
          ({ name, lines }) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${linesOf(lines, act)}</dd>
            </div>`,
        )}
      </dl>`;
    case 'table':
      return html`<termind-page-table .table=${block} .strings=${strings} .act=${act}></termind-page-table>`;
    case 'code':
      return html`<figure>
        <figcaption>
          <span>${block.label}</span>
          <button
            type="button"
            class="button"
            aria-label="${strings.copy}: ${block.label}"
            @click=${context.nextCode()}
          >
            ${strings.copy}
          </button>
        </figcaption>
        <pre tabindex="0" role="region" aria-label=${block.label}>${block.text}</pre>
      </figure>`;
    case 'steps':
      return html`<ol class="steps">
        ${block.steps.map((step) => stepOf(step, context))}
      </ol>`;
    case 'details':
      return html`<details>
        <summary>${block.summary}</summary>
        ${blocksOf(block.blocks, context)}
      </details>`;
  }
}

function stepOf({ state, word, line, time, blocks }: PageStep, context: BlockContext): TemplateResult {
  return html`<li class="step ${state}">
    ${icon(stepIcons[state])}
    <div class="step-text">
      <span class="sr-only">${word}: </span>${linesOf([line], context.act)}
      ${blocks === undefined ? nothing : blocksOf(blocks, context)}
    </div>
    ${time === undefined ? nothing : html`<span class="quiet time">${time}</span>`}
  </li>`;
}
