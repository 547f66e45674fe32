import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import type { ToolBody } from '../../../../../src/agentkit/tool.ts';
import { unifiedDiff } from '../../../../../src/agentkit/tools/scratch/unifiedDiff.ts';

const diff = (before: string, after: string, context = 3) =>
  unifiedDiff({ label: 'f', text: before }, { label: 'g', text: after }, context);
const textOf = (body: ToolBody | undefined): string =>
  typeof body?.content === 'string' ? body.content : '';
const numbers = (count: number, prefix = ''): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}\n`).join('');

describe('unified diff', () => {
  it('shows a change with its context and the right line numbers', () => {
    const before = numbers(100);
    assert.equal(
      diff(before, before.replace('\n50\n', '\nfifty\nfifty one\n'), 1)?.content,
      '--- a/f\n+++ b/g\n@@ -49,3 +49,4 @@\n 49\n-50\n+fifty\n+fifty one\n 51\n',
    );
  });

  for (const [before, after, hunk, reason] of [
    ['', 'a\n', '@@ -0,0 +1,1 @@\n+a\n', 'a new file'],
    ['a\n', '', '@@ -1,1 +0,0 @@\n-a\n', 'an emptied file'],
    ['a', 'a\n', '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a final LF'],
    [
      'a\nb',
      'a\nc',
      '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n',
      'no final LF',
    ],
  ] as const)
    it(`shows ${reason}`, () => {
      assert.equal(diff(before, after)?.content, `--- a/f\n+++ b/g\n${hunk}`);
    });

  it('is empty for equal texts', () => {
    assert.deepEqual(diff('a\n', 'a\n'), { content: '' });
  });

  it('turns the one text into the other', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n');
    const text = fc
      .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, fc.nat(4), (before, after, context) => {
        const body = diff(before, after, context);
        const patch = textOf(body);
        if (before !== after) assert.equal(applyPatch(before, patch), after);
      }),
      { numRuns: 500 },
    );
  });

  it('what differs too much to be compared is removed and added as a whole', () => {
    const [before, after] = [`x\n${numbers(3_000, 'a')}y\n`, `x\n${numbers(3_000, 'b')}y\n`];
    const content = textOf(diff(before, after));
    assert.ok(content.startsWith('--- a/f\n+++ b/g\n@@ -1,3002 +1,3002 @@\n x\n-a1\n'));
    assert.ok(content.endsWith('+b3000\n y\n'));
    assert.equal(applyPatch(before, content), after);
  });

  it('more than 10,000 differing lines are not compared', () => {
    assert.equal(diff(numbers(10_001, 'a'), numbers(10_001, 'b')), undefined);
    assert.notEqual(diff(numbers(10_000, 'a'), numbers(10_000, 'b')), undefined);
  });

  it('keeps whole hunks up to 64 KiB and says that there are more', () => {
    const before = numbers(9_000);
    const after = before.replace(/^(\d*)00$/gm, `$1-${'w'.repeat(1_000)}`);
    const body = diff(before, after);
    const content = textOf(body);
    assert.ok(Buffer.byteLength(content, 'utf8') <= 65_536);
    assert.equal(content.match(/^@@/gm)?.length, 61);
    assert.deepEqual([body?.hasMore, body?.totalLines], [true, 809]);
    assert.match(content, /\n 6\d\d\d\n$/);
  });
});
