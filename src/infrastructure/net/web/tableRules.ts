import type { Rule } from 'turndown';
import type { PageElement } from './pageDom.ts';

/**
 * Rules that make tables of data into tables of Markdown, with the first row as their head and what cells hold on one line. Tables that
 * only lay out a page (nested, or of one column) stay paragraphs. Good for one page.
 */
export function tableRules(): Readonly<Record<string, Rule>> {
  const widths = new Map<PageElement, number>();
  /** Columns of the table of data around it; 0 where there is none. */
  const columns = (element: PageElement): number => {
    const table = element.closest('table');
    if (table === null) return 0;
    const known = widths.get(table) ?? columnsOf(table);
    widths.set(table, known);
    return known;
  };
  return {
    tableCell: {
      filter: (node: PageElement) => isOneOf(node, ['TD', 'TH']) && columns(node) > 0,
      replacement: (content) => ` ${content.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')} |`,
    },
    tableRow: {
      filter: (node: PageElement) => isOneOf(node, ['TR']) && columns(node) > 0,
      replacement: (content) => (/[^\s|]/.test(content) ? `\n|${content}\n` : ''),
    },
    table: {
      filter: (node: PageElement) => isOneOf(node, ['TABLE']) && columns(node) > 0,
      replacement: (content, node: unknown) => tableText(content, columns(node as PageElement)),
    },
  };
}

function isOneOf(node: PageElement, names: readonly string[]): boolean {
  return names.includes(node.nodeName);
}

function columnsOf(table: PageElement): number {
  if (table.querySelector('table') !== null) return 0;
  let most = 0;
  for (const row of table.querySelectorAll('tr'))
    most = Math.max(most, [...row.querySelectorAll('td,th')].length);
  return most > 1 ? most : 0;
}

/** The rows below each other, with what is no row (a caption) in front. */
function tableText(content: string, width: number): string {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  const [head, ...rows] = lines.filter((line) => line.startsWith('|')).map((line) => filled(line, width));
  const before = lines.filter((line) => !line.startsWith('|'));
  if (head === undefined) return `\n\n${before.join('\n')}\n\n`;
  const rule = `|${' --- |'.repeat(width)}`;
  const caption = before.length === 0 ? '' : `${before.join('\n')}\n\n`;
  return `\n\n${caption}${[head, rule, ...rows].join('\n')}\n\n`;
}

/** With empty cells up to the width of the table. */
function filled(row: string, width: number): string {
  const cells = (row.match(/(?<!\\)\|/g)?.length ?? 1) - 1;
  return `${row}${'  |'.repeat(Math.max(0, width - cells))}`;
}
