import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { closingLine, describeFailures, sum } from '../../../scripts/testing/outcome.ts';
import type { Outcome } from '../../../scripts/testing/outcome.ts';

const outcome = (part: Partial<Outcome>): Outcome => ({
  name: 'part',
  passed: 0,
  failures: [],
  skipped: 0,
  seconds: 1,
  noMatch: false,
  golden: [],
  ...part,
});

const failure = { title: 'a test does what it says', detail: 'Error: it did not\n    at here' };

describe('the outcome of suites', () => {
  for (const [counts, line] of [
    [{ passed: 12, failures: [], skipped: 0 }, '12 passed, 0 failed'],
    [{ passed: 0, failures: [failure, failure, failure], skipped: 0 }, '0 passed, 3 failed'],
    [{ passed: 5, failures: [failure], skipped: 2 }, '5 passed, 1 failed, 2 skipped'],
  ] as const)
    it(`closes with: ${line}`, () => {
      assert.equal(closingLine(counts), line);
    });

  it('adds up what the parts came to', () => {
    const parts = [
      outcome({ passed: 2, golden: ['a.txt'] }),
      outcome({ passed: 1, failures: [failure], skipped: 1, seconds: 2, golden: ['a.txt', 'b.txt'] }),
    ];
    assert.deepEqual(sum('all', parts), {
      name: 'all',
      passed: 3,
      failures: [failure],
      skipped: 1,
      seconds: 3,
      noMatch: false,
      golden: ['a.txt', 'b.txt'],
    });
  });

  it('repeats each failure with its suite and its error', () => {
    const text = describeFailures([outcome({ passed: 1 }), outcome({ name: 'unit', failures: [failure] })]);
    assert.equal(text, '✖ unit: a test does what it says\n    Error: it did not\n        at here');
  });

  it('bounds what it repeats of a failure', () => {
    const detail = Array.from({ length: 500 }, (_, index) => `line ${String(index)}`).join('\n');
    const text = describeFailures([outcome({ failures: [{ title: 'long', detail }] })]);
    assert.equal(text.split('\n').length, 26);
  });

  it('found nothing only when no part found anything', () => {
    assert.equal(sum('all', [outcome({ noMatch: true }), outcome({ passed: 1 })]).noMatch, false);
    assert.equal(sum('all', [outcome({ noMatch: true })]).noMatch, true);
  });
});
