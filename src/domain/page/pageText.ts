import type { PageBlock, PageDocument, PageLine, PageStep, PageTable, PageText } from './pageDocument.ts';

/** A page as plain text: everything it holds, folded and hidden parts too. Ends with a line break. */
export function pageText({ title, subtitle, notices, sections }: PageDocument): string {
  const head = [title, ...(subtitle === undefined ? [] : [subtitle])];
  const parts = [
    head,
    ...notices.map(({ text }) => [text]),
    ...sections.map((section) => [
      '',
      section.title,
      '-'.repeat(section.title.length),
      ...blocksText(section.blocks),
    ]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n')}\n`;
}

/** One line, without what only the eye sees. */
export function lineText(line: PageLine): string {
  return line.map(runText).join(' ');
}

function runText(run: PageText): string {
  if (typeof run === 'string') return run;
  if ('code' in run) return run.code;
  if ('linkText' in run) return run.linkText;
  if ('badge' in run) return `[${run.badge}]`;
  return run.quiet;
}

function blocksText(blocks: readonly PageBlock[]): readonly string[] {
  return blocks.flatMap(blockText);
}

function blockText(block: PageBlock): readonly string[] {
  switch (block.k) {
    case 'text':
      return [lineText(block.line)];
    case 'facts':
      return block.rows.map(({ name, lines }) => `${name}: ${lines.map(lineText).join('; ')}`);
    case 'table':
      return tableText(block);
    case 'code':
      return [`${block.label}:`, ...indented(block.text.split('\n'))];
    case 'steps':
      return block.steps.flatMap(stepText);
    case 'details':
      return [`${block.summary}:`, ...indented(blocksText(block.blocks))];
  }
}

function tableText({ columns, rows }: PageTable): readonly string[] {
  return [
    columns.join(' | '),
    ...rows.map(({ cells }) => cells.map((lines) => lines.map(lineText).join('; ')).join(' | ')),
  ];
}

function stepText({ word, line, time, blocks }: PageStep): readonly string[] {
  const when = time === undefined ? '' : ` (${time})`;
  return [`${word}: ${lineText(line)}${when}`, ...indented(blocksText(blocks ?? []))];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
