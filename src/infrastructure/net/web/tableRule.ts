import type { Rule } from 'turndown';
import type { PageElement } from './pageDom.ts';

/** Tables of data as tables of Markdown: the first row is the head. Tables that only lay out a page stay paragraphs. */
export const tableRule: Rule = {
  filter: (node: PageElement) => node.nodeName === 'TABLE' && isData(node),
  replacement: (_content, node: unknown) => {
    const rows = rowsOf(node as PageElement);
    const width = Math.max(...rows.map((row) => row.length));
    const [head = [], ...body] = rows.map((row) => line(row, width));
    const rule = `| ${Array<string>(width).fill('---').join(' | ')} |`;
    return `\n\n${[head, rule, ...body].join('\n')}\n\n`;
  },
};

function isData(table: PageElement): boolean {
  return table.querySelector('table') === null && rowsOf(table).some((row) => row.length > 1);
}

/** The cells of each row, as plain text. */
function rowsOf(table: PageElement): readonly (readonly string[])[] {
  return [...table.querySelectorAll('tr')]
    .map((row) => [...row.querySelectorAll('th,td')].map((cell) => cellText(cell.textContent ?? '')))
    .filter((row) => row.length > 0);
}

function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

function line(cells: readonly string[], width: number): string {
  const padded = [...cells, ...Array<string>(width - cells.length).fill('')];
  return `| ${padded.join(' | ')} |`;
}
