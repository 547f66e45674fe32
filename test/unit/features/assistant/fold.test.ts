import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import {
  foldLines,
  linesOf,
  partAt,
  prefixWithin,
} from '../../../../src/features/assistant/presentation/fold.ts';
import {
  boundedSize,
  jsonBytes,
  utf8Bytes,
} from '../../../../src/features/assistant/presentation/jsonSize.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('the compact body of a card', () => {
  for (const [name, sections, side, shown, retained] of [
    ['an empty text shows nothing', [''], 'head', [], 0],
    ['a short text is whole', ['a\nb\n'], 'head', ['a\nb'], 2],
    ['a text without a final line break is whole', ['a\nb'], 'tail', ['a\nb'], 2],
    ['CR LF ends one line and is not shown', ['a\r\nb\r\n'], 'head', ['a\nb'], 2],
    ['a lone CR ends no line', ['a\rb'], 'head', ['a\rb'], 1],
    [
      'the head keeps the first five lines',
      [lines(7)],
      'head',
      ['line 1\nline 2\nline 3\nline 4\nline 5'],
      7,
    ],
    ['the tail keeps the last five lines', [lines(7)], 'tail', ['line 3\nline 4\nline 5\nline 6\nline 7'], 7],
    ['two sections share five lines', ['a\nb\nc\n', 'x\ny\nz\n'], 'head', ['a\nb\nc', 'x\ny'], 6],
    [
      'the tail takes from the last section first',
      ['a\nb\nc\n', 'x\ny\nz\n'],
      'tail',
      ['b\nc', 'x\ny\nz'],
      6,
    ],
  ] as const)
    it(name, () => {
      assert.deepEqual(foldLines(sections, side), {
        sections: shown,
        shownLines: shown.reduce((sum, text) => sum + text.split('\n').length, 0),
        retainedLines: retained,
      });
    });

  it('a line above 64 KiB is not shown in part', () => {
    const folded = foldLines([`${'x'.repeat(65_536)}\nsmall\n`], 'head');
    assert.deepEqual(folded, { sections: [], shownLines: 0, retainedLines: 2 });
  });

  it('shows whole lines only, at most five of them and 64 KiB', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r', '𝄞'), maxLength: 60 }), {
          maxLength: 3,
        }),
        fc.constantFrom('head', 'tail'),
        fc.record({ lines: fc.nat(7), bytes: fc.nat(80) }),
        (sections, side, budget) => {
          const folded = foldLines(sections, side, budget);
          const shown = folded.sections.flatMap((text) => text.split('\n'));
          const all = sections.flatMap(linesOf);
          assert.equal(folded.retainedLines, all.length);
          assert.equal(folded.shownLines, shown.length);
          assert.ok(shown.length <= budget.lines);
          assert.ok(shown.reduce((sum, line) => sum + utf8Bytes(line) + 1, 0) <= budget.bytes);
          const kept = side === 'head' ? all.slice(0, shown.length) : all.slice(all.length - shown.length);
          assert.deepEqual(shown, kept);
        },
      ),
    );
  });
});

describe('the parts of an expansion', () => {
  it('put together they are the retained text, each within its limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\n', '𝄞', '\u0001'), maxLength: 80 }), {
          maxLength: 3,
        }),
        fc.integer({ min: 12, max: 60 }),
        (sections, maxBytes) => {
          const joined = sections.map(() => '');
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const part = partAt(sections, offset, maxBytes);
            if (part === undefined) break;
            assert.ok(jsonBytes(part.text) - 2 <= maxBytes);
            assert.ok(part.text !== '');
            joined[part.section] = (joined[part.section] ?? '') + part.text;
            offset = part.next;
          }
          assert.deepEqual(joined, sections);
        },
      ),
    );
  });

  it('there is none past the end', () => {
    assert.equal(partAt(['abc'], 3, 100), undefined);
    assert.equal(partAt([], 0, 100), undefined);
  });

  it('a part ends at a line break where one is near', () => {
    assert.equal(prefixWithin('first line\nsecond line', 16), 'first line\n');
    assert.equal(prefixWithin('a\nsecond line', 8), 'a\nsecon');
  });
});

describe('the size of a foreign value', () => {
  for (const [name, value, expected] of [
    ['a function is no data', { kind: () => 1 }, undefined],
    ['a big integer is no data', { n: 1n }, undefined],
    ['nesting without end is no data', cyclic(), undefined],
    ['a long text stops the count', { text: 'x'.repeat(2_000) }, 101],
    ['many small values stop the count', Array.from({ length: 1_000 }, () => 1), 101],
  ] as const)
    it(name, () => {
      assert.equal(boundedSize(value, 100), expected);
    });

  it('counts what JSON would count, or somewhat more', () => {
    const value = { kind: 'send', requestId: 1, text: 'df -h', draftId: 'd' };
    const size = boundedSize(value, 1_000) ?? 0;
    assert.ok(size >= jsonBytes(value) - 4 && size < 2 * jsonBytes(value));
  });
});

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
