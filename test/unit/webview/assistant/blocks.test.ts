import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { MarkdownBlocks } from '../../../../src/webview/assistant/markdown/blocks.ts';
import { renderBlock } from '../../../../src/webview/assistant/markdown/renderMarkdown.ts';

function html(blocks: MarkdownBlocks, text: string, isWhole: boolean): string {
  return blocks
    .update(text, isWhole)
    .map((block) => renderBlock(block.tokens))
    .join('');
}

const whole = (text: string): string => html(new MarkdownBlocks(), text, true);

describe('the blocks of a growing answer', () => {
  it('a finished block keeps its identity and is not read again', () => {
    const blocks = new MarkdownBlocks();
    const [first] = blocks.update('One.\n\nTwo.\n', false);
    const [again, second] = blocks.update('One.\n\nTwo.\n\nThree', false);
    assert.equal(again, first);
    assert.equal(second?.isOpen, true);
    assert.ok(blocks.tailLength < 'Two.\n\nThree'.length + 1);
  });

  it('appending to a long answer reads only its tail', () => {
    const blocks = new MarkdownBlocks();
    const long = 'A paragraph.\n\n'.repeat(2_000);
    blocks.update(`${long}And`, false);
    blocks.update(`${long}And more`, false);
    assert.ok(blocks.tailLength < 200, String(blocks.tailLength));
  });

  it('another text starts anew', () => {
    const blocks = new MarkdownBlocks();
    blocks.update('One.\n\nTwo.\n\nThree.\n', false);
    assert.equal(html(blocks, 'Else.', true), whole('Else.'));
  });

  it('a definition at the end of a whole text holds for the links before it', () => {
    const blocks = new MarkdownBlocks();
    blocks.update('See [log].\n\nNext.\n\n', false);
    const text = 'See [log].\n\nNext.\n\n[log]: https://example.com/log\n';
    assert.equal(html(blocks, text, true), whole(text));
    assert.match(whole(text), /data-href="https:\/\/example\.com\/log"/);
  });

  it('streamed at any cuts it ends as the whole text does', () => {
    const piece = fc.constantFrom(
      ...[
        '# Head\n',
        'Words of a paragraph.\n',
        '\n',
        '- item\n',
        '  more\n',
        '1. one\n',
        '> quote\n',
        '```sh\n',
      ],
      ...[
        'ls -l\n',
        '```\n',
        '| a | b |\n',
        '|---|---|\n',
        '| 1 | 2 |\n',
        '    code\n',
        '---\n',
        'a  \n',
        '***\n',
      ],
      ...['- [ ] task\n', '<b>x</b>\n', '[l]: https://example.com\n', '[l]\n', '* star\n', 'end'],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 14 }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (pieces, cuts) => {
          const text = pieces.join('');
          const blocks = new MarkdownBlocks();
          for (const cut of [...cuts].sort((a, b) => a - b))
            if (cut < text.length) {
              const frozen = blocks.update(text.slice(0, cut), false).filter((block) => !block.isOpen);
              assert.ok(text.startsWith(frozen.map((block) => block.raw).join('')));
            }
          assert.equal(html(blocks, text, true), whole(text));
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('Markdown as HTML', () => {
  for (const [markdown, expected, reason] of [
    ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;', 'raw HTML is text'],
    [
      'a <img src=x onerror=alert(1)> b',
      '<p>a &#60;img src=x onerror=alert(1)&#62; b</p>\n',
      'inline HTML is text',
    ],
    [
      '![pic](https://example.com/a.png)',
      '<p><a role="link" tabindex="-1" data-href="https://example.com/a.png" title="https://example.com/a.png">pic</a></p>\n',
      'a remote image is not loaded',
    ],
    ['![pic](data:image/png;base64,AA)', '<p>pic</p>\n', 'an inline image is its description'],
    ['[x](javascript:alert(1))', '<p>x</p>\n', 'a script is no link'],
    ['[x](command:evil)', '<p>x</p>\n', 'a command is no link'],
    [
      '[x](https://example.com/"onmouseover="a)',
      '<p><a role="link" tabindex="-1" data-href="https://example.com/&#34;onmouseover=&#34;a" title="https://example.com/&#34;onmouseover=&#34;a">x</a></p>\n',
      'a target stays inside its attribute',
    ],
    [
      '[log](termind-scratch:/c/o.txt)',
      '<p><a role="link" tabindex="-1" data-href="termind-scratch:/c/o.txt" title="termind-scratch:/c/o.txt">log</a></p>\n',
      'our own scheme',
    ],
    [
      '```sh"><b>\nls <x>\n```',
      '<pre class="code" data-language="sh"><code>ls &#60;x&#62;</code></pre>\n',
      'a language is a word',
    ],
    ['`<b>`', '<p><code>&#60;b&#62;</code></p>\n', 'code is text'],
    ['# Title', '<h3 class="h1">Title</h3>\n', 'a heading is below those of the view'],
  ] as const)
    it(`${reason}: ${markdown.replaceAll('\n', ' ')}`, () => {
      assert.equal(whole(markdown), expected);
    });
});
