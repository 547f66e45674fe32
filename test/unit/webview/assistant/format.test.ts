import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  codeSpans,
  fill,
  formatDuration,
  formatElapsed,
  formatMoment,
} from '../../../../src/webview/assistant/text/format.ts';

const strings = {
  milliseconds: '{0} ms',
  seconds: '{0} s',
  minutes: '{0} min {1} s',
  hours: '{0} h {1} min',
};

describe('sentences and durations', () => {
  it('a moment of today is a time, one of another day has its date', () => {
    const at = new Date(2026, 4, 2, 14, 5).getTime();
    const evening = new Date(2026, 4, 2, 23, 59).getTime();
    const plain = (text: string): string => text.replace(/\s/g, ' ');
    assert.equal(plain(formatMoment(at, evening, 'en')), '2:05 PM');
    assert.equal(plain(formatMoment(at, evening + 120_000, 'en')), 'May 2, 2026, 2:05 PM');
  });

  for (const [ms, text] of [
    [0, '0 ms'],
    [30.4, '30 ms'],
    [420, '0.4 s'],
    [4_000, '4 s'],
    [9_960, '9 s'],
    [59_999, '59 s'],
    [125_000, '2 min 5 s'],
    [3_780_000, '1 h 3 min'],
  ] as const)
    it(`a duration of ${ms} ms is ${text}`, () => {
      assert.equal(formatDuration(ms, strings, 'en'), text);
    });

  it('a growing duration is told in whole seconds', () => {
    assert.equal(formatElapsed(420, strings), '0 s');
    assert.equal(formatElapsed(-5, strings), '0 s');
  });

  it('arguments are put in once, whatever they hold', () => {
    assert.equal(fill('{0} on {1}', '{1}', '{0}'), '{1} on {0}');
    assert.equal(fill('{0} of {2}', 'a'), 'a of {2}');
  });

  for (const [text, spans] of [
    ['plain', [['plain', false]]],
    [
      'run `df -h` now',
      [
        ['run ', false],
        ['df -h', true],
        [' now', false],
      ],
    ],
    [
      '`a` and `b`',
      [
        ['a', true],
        [' and ', false],
        ['b', true],
      ],
    ],
    ['an odd ` one', [['an odd ` one', false]]],
    ['', []],
  ] as const)
    it(`code in a notice: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(
        codeSpans(text),
        spans.map(([piece, isCode]) => ({ text: piece, isCode })),
      );
    });
});
