import type { PageBlock, PageDocument, PageLine, PageStep, PageTable, PageText } from './pageDocument.ts';

/** A page as Markdown: everything it holds, folded and hidden parts too. Whatever it quotes stays text. Ends with a line break. */
export function pageMarkdown({ title, subtitle, notices, sections }: PageDocument): string {
  const parts = [
    `# ${plain(title)}`,
    ...(subtitle === undefined ? [] : [plain(subtitle)]),
    ...notices.map(({ text }) => `> ${plain(text)}`),
    ...sections.flatMap((section) => [`## ${plain(section.title)}`, ...section.blocks.map(blockMarkdown)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function blockMarkdown(block: PageBlock): string {
  switch (block.k) {
    case 'text':
      return lineMarkdown(block.line);
    case 'facts':
      return block.rows
        .map(({ name, lines }) => `- ${plain(name)}: ${lines.map(lineMarkdown).join('; ')}`)
        .join('\n');
    case 'table':
      return tableMarkdown(block);
    case 'code':
      return `${plain(block.label)}:\n\n${fenced(block.text)}`;
    case 'steps':
      return block.steps.map(stepMarkdown).join('\n');
    case 'details':
      return [`${plain(block.summary)}:`, ...block.blocks.map(blockMarkdown)].join('\n\n');
  }
}

function tableMarkdown({ columns, rows }: PageTable): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    row(columns.map(plain)),
    row(columns.map(() => '---')),
    ...rows.map(({ cells }) => row(cells.map((lines) => lines.map(lineMarkdown).join('<br>')))),
  ].join('\n');
}

/** What belongs to a step is indented, so that it stays in its item. */
function stepMarkdown({ word, line, time, blocks }: PageStep): string {
  const when = time === undefined ? '' : ` (${plain(time)})`;
  const inner = (blocks ?? []).flatMap((block) => ['', ...blockMarkdown(block).split('\n')]);
  return [`- **${plain(word)}** ${lineMarkdown(line)}${when}`, ...inner.map(indented)].join('\n');
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`;
}

function lineMarkdown(line: PageLine): string {
  return line.map(runMarkdown).join(' ');
}

function runMarkdown(run: PageText): string {
  if (typeof run === 'string') return plain(run);
  if ('code' in run) return inlineCode(run.code);
  if ('linkText' in run) return inlineCode(run.linkText);
  if ('badge' in run) return `*${plain(run.badge)}*`;
  return plain(run.quiet);
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~&]/g, '\\$&').replace(/\r\n|\r|\n/g, ' ');
}

/** Between more backticks than it holds in a row. */
function inlineCode(text: string): string {
  const one = text.replace(/\r\n|\r|\n/g, ' ');
  const ticks = '`'.repeat(longestRun(one) + 1);
  const pad = ticks.length > 1 || one === '' ? ' ' : '';
  return `${ticks}${pad}${one}${pad}${ticks}`;
}

function fenced(text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}\n${text}\n${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
