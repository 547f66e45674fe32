import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError } from '../../../../../src/agentkit/agentError.ts';
import { systemClock } from '../../../../../src/agentkit/clock.ts';
import {
  replacementEdits,
  type Replacement,
} from '../../../../../src/agentkit/tools/scratch/replacements.ts';
import { FakeClock, settle } from '../../../../support/fakeClock.ts';

const options = { clock: systemClock, signal: new AbortController().signal };

async function replaced(text: string, ...replacements: readonly Replacement[]): Promise<string> {
  let result = '';
  let from = 0;
  for (const { start, end, replacement } of await replacementEdits(text, replacements, options)) {
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

describe('replacements', () => {
  for (const [text, replacement, expected, reason] of [
    ['a b c', { old_text: 'b', new_text: 'B' }, 'a B c', 'exactly one match'],
    ['a a a', { old_text: 'a', new_text: 'x', count: 0 }, 'x x x', 'all of them'],
    ['a a a', { old_text: 'a', new_text: 'x', count: 2 }, 'x x a', 'the first two'],
    ['aaa', { old_text: 'aa', new_text: 'x', count: 0 }, 'xa', 'matches that overlap count once'],
    ['a.c abc', { old_text: 'a.c', new_text: '$1' }, '$1 abc', 'literal text is literal on both sides'],
    [
      'a\nb\nc\n',
      { old_text: 'a\r\nb', new_text: 'x\r\ny' },
      'x\ny\nc\n',
      'CRLF in an argument is a line end',
    ],
    [
      'say “hi” – now\u00a0ok  \nnext\n',
      { old_text: 'say "hi" - now ok\n', new_text: 'done\n' },
      'done\nnext\n',
      'folded quotes, dashes, spaces and line ends',
    ],
    [
      'x\nﬁne “a”\nb \ny\n',
      { old_text: 'fine "a"\nb', new_text: 'z' },
      'x\nz\ny\n',
      'NFKC over several lines, the last LF stays',
    ],
    ['say “hi”', { old_text: 'hi', new_text: 'ho' }, 'say “ho”', 'an exact match comes first'],
    [
      'ab12 ab3',
      { old_text: '([a-z]+)(\\d+)', new_text: '$2\\$$1', regex: true, count: 0 },
      '12$ab 3$ab',
      'groups and a dollar',
    ],
    ['a1\na2\n', { old_text: '^a2$', new_text: 'x', regex: true }, 'a1\nx\n', 'anchors for each line'],
    [
      'start\nx\nend\n',
      { old_text: 'start[^]*end', new_text: 'one', regex: true },
      'one\n',
      'over several lines',
    ],
    ['Abc', { old_text: '(?i)ABC', new_text: 'x', regex: true }, 'x', 'without case'],
    ['a-b', { old_text: 'a\\-b', new_text: 'x', regex: true }, 'x', 'an escape that means nothing'],
    ['ac', { old_text: 'a(b)?c', new_text: '[$1]', regex: true }, '[]', 'a group that took no part'],
  ] as const)
    it(reason, async () => {
      assert.equal(await replaced(text, replacement), expected);
    });

  it('all entries match the text as it was', async () => {
    assert.equal(
      await replaced('a b', { old_text: 'b', new_text: 'a' }, { old_text: 'a', new_text: 'b' }),
      'b a',
    );
  });

  for (const [text, replacements, problem] of [
    ['a b', [{ old_text: 'c', new_text: '' }], 'replacements[0]: old_text does not occur in the file'],
    [
      'a a a',
      [{ old_text: 'a', new_text: '' }],
      'replacements[0]: old_text occurs 3 times; add surrounding lines or set count',
    ],
    [
      'a a',
      [
        { old_text: 'a a', new_text: 'x' },
        { old_text: 'a', new_text: '', count: 3 },
      ],
      'replacements[1]: old_text occurs 2 times, not 3',
    ],
    [
      'abc',
      [
        { old_text: 'ab', new_text: '' },
        { old_text: 'bc', new_text: '' },
      ],
      'replacements[1]: changes a place that replacements[0] changes too',
    ],
    [
      'abc',
      [{ old_text: 'x*', new_text: '', regex: true }],
      'replacements[0]: old_text matches an empty text',
    ],
    [
      'abc',
      [{ old_text: '(', new_text: '', regex: true }],
      'replacements[0]: old_text is not a regular expression',
    ],
    ['abc', [{ old_text: '(a)', new_text: '$2', regex: true }], 'replacements[0]: old_text has no group $2'],
    [
      'a'.repeat(10_001),
      [{ old_text: 'a', new_text: '', count: 0 }],
      'replacements[0]: old_text occurs more than 10000 times',
    ],
  ] as const)
    it(`says: ${problem}`, async () => {
      await assert.rejects(
        replaced(text, ...replacements),
        (error) => error instanceof AgentError && error.message === `Invalid arguments: ${problem}`,
      );
    });

  it('a pattern that does not come to an end is ended', async () => {
    const clock = new FakeClock();
    const attempt = replacementEdits(
      `${'a'.repeat(40)}b`,
      [{ old_text: '^(a+)+$', new_text: '', regex: true }],
      {
        ...options,
        clock,
      },
    );
    const outcome = assert.rejects(
      attempt,
      (error) =>
        error instanceof AgentError &&
        error.message === 'Invalid arguments: the pattern took longer than 5 seconds; make it simpler',
    );
    while (clock.pending === 0) await settle();
    await clock.advance(5_000);
    await outcome;
    assert.equal(clock.pending, 0);
  });

  it('Stop ends a pattern', async () => {
    const stop = new AbortController();
    const attempt = replacementEdits(
      `${'a'.repeat(40)}b`,
      [{ old_text: '^(a+)+$', new_text: '', regex: true }],
      {
        clock: systemClock,
        signal: stop.signal,
      },
    );
    stop.abort(new Error('stopped'));
    await assert.rejects(attempt, /stopped/);
  });
});
