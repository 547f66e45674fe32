import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { LinePage, type FilledPage } from '../../../../src/application/tools/linePage.ts';
import { RemoteText } from '../../../../src/application/tools/remoteText.ts';

/** The page as it comes out when the source arrives in these pieces. */
function fill(pieces: readonly string[], order: { offset: number; limit: number }): FilledPage {
  const page = new LinePage(order);
  for (const piece of pieces) page.push(piece);
  return page.finish(!page.isFull);
}

const wide = 'x'.repeat(65_537);

describe('a page of lines', () => {
  for (const [name, text, order, expected] of [
    ['all of a text', 'a\nb\n', { offset: 1, limit: 9 }, { content: 'a\nb\n', totalLines: 2 }],
    ['a last line without line feed', 'a\nb', { offset: 2, limit: 9 }, { content: 'b', totalLines: 2 }],
    ['exactly as many as there are', 'a\nb\n', { offset: 1, limit: 2 }, { content: 'a\nb\n', totalLines: 2 }],
    [
      'fewer than there are',
      'a\nb\nc',
      { offset: 1, limit: 2 },
      { content: 'a\nb\n', totalLines: undefined },
    ],
    ['nothing behind the end', 'a\n', { offset: 3, limit: 9 }, { content: '', totalLines: 1 }],
    ['nothing of an empty text', '', { offset: 1, limit: 9 }, { content: '', totalLines: 0 }],
    [
      'nothing of a line that is too long',
      wide,
      { offset: 1, limit: 9 },
      { content: '', totalLines: 1, skipped: 65_537 },
    ],
    [
      'a long line only once',
      `${wide}\nb\n`,
      { offset: 1, limit: 9 },
      { content: '', totalLines: undefined, skipped: 65_537 },
    ],
    [
      'what stands in front of a long line',
      `a\n${wide}\n`,
      { offset: 1, limit: 9 },
      { content: 'a\n', totalLines: undefined },
    ],
  ] as const)
    it(`holds ${name}, however it arrives`, () => {
      const skipped = 'skipped' in expected ? { line: order.offset, bytes: expected.skipped } : undefined;
      const { content, totalLines } = expected;
      for (const size of [1, 2, 3, 70_000]) {
        if (size < 3 && text.length > 1_000) continue;
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        );
        assert.deepEqual(fill(pieces, order), { content, totalLines, skipped }, `pieces of ${String(size)}`);
      }
    });
});

describe('the text of a remote file', () => {
  const bytes = Buffer.from('\ufeffä\r\n€\r\rx\n\ud83d\ude00\r\n', 'utf8');

  it('is the same at every cut, without byte order mark and with LF only', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const text = new RemoteText();
      const parts = [text.push(bytes.subarray(0, cut)), text.push(bytes.subarray(cut)), text.end()];
      assert.equal(parts.join(''), 'ä\n€\r\rx\n\ud83d\ude00\n', `cut at ${String(cut)}`);
      assert.equal(text.lineEnding, 'crlf');
    }
  });

  for (const [name, broken] of [
    ['a byte that is no UTF-8', [0x61, 0xff]],
    ['a zero byte', [0x61, 0x00]],
    ['half a character at the end', [0x61, 0xc3]],
  ] as const)
    it(`is none with ${name}`, () => {
      const text = new RemoteText();
      assert.equal([text.push(Buffer.from(broken)), text.end()].includes(undefined), true);
    });
});
