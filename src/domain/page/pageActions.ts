import type { PageBlock, PageDocument, PageLine } from './pageDocument.ts';

/** What a page may give back: the actions of its buttons and links, and its blocks of code in document order. */
export interface PageOffers {
  readonly actions: ReadonlySet<string>;
  readonly codes: readonly string[];
}

/** Everything a page offers; what it gives back and this does not hold is not an action. */
export function pageOffers({ notices, sections }: PageDocument): PageOffers {
  const actions = new Set(notices.flatMap(({ buttons }) => (buttons ?? []).map(({ action }) => action)));
  const codes: string[] = [];
  const takeLines = (lines: readonly PageLine[]): void => {
    for (const run of lines.flat()) if (typeof run !== 'string' && 'linkText' in run) actions.add(run.action);
  };
  const takeBlocks = (blocks: readonly PageBlock[]): void => {
    for (const block of blocks)
      switch (block.k) {
        case 'text':
          takeLines([block.line]);
          break;
        case 'facts':
          for (const { lines } of block.rows) takeLines(lines);
          break;
        case 'table':
          for (const { cells } of block.rows) for (const lines of cells) takeLines(lines);
          break;
        case 'code':
          codes.push(block.text);
          break;
        case 'steps':
          for (const { line, blocks: inner } of block.steps) {
            takeLines([line]);
            takeBlocks(inner ?? []);
          }
          break;
        case 'details':
          takeBlocks(block.blocks);
          break;
      }
  };
  for (const { blocks } of sections) takeBlocks(blocks);
  return { actions, codes };
}
