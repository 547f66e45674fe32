import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PageBlock } from '../../../../src/domain/page/pageDocument.ts';
import { pageMarkdown } from '../../../../src/domain/page/pageMarkdown.ts';
import { assertGolden } from '../../../golden.ts';
import { doctorPages } from '../../../support/doctorScenes.ts';

const markdownOf = (block: PageBlock): string =>
  pageMarkdown({ title: 'T', notices: [], sections: [{ title: 'S', blocks: [block] }] })
    .split('\n\n')
    .slice(2)
    .join('\n\n');

describe('a page as Markdown', () => {
  it('holds everything', () => assertGolden('doctor/noCipher.md', pageMarkdown(doctorPages.noCipher)));

  it('quotes what it was given: nothing becomes a heading, a link or markup', () => {
    assert.equal(
      markdownOf({ k: 'text', line: ['# <b>*x*</b> [a](b)\n# c'] }),
      '\\# \\<b\\>\\*x\\*\\</b\\> \\[a\\](b) \\# c\n',
    );
  });

  it('code may hold backticks', () => {
    assert.equal(markdownOf({ k: 'text', line: [{ code: 'a ``b`` c' }] }), '``` a ``b`` c ```\n');
    assert.equal(markdownOf({ k: 'code', label: 'L', text: '```\nx' }), 'L:\n\n````\n```\nx\n````\n');
  });

  it('a bar in a cell does not end it', () => {
    const cells = [[[{ code: 'a|b' }], ['c']]] as const;
    assert.equal(
      markdownOf({ k: 'table', caption: 'C', columns: ['One'], rows: [{ cells }] }),
      '| One |\n| --- |\n| `a\\|b`<br>c |\n',
    );
  });
});
