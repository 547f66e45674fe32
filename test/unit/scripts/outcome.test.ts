import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { closingLine, sum } from '../../../scripts/testing/outcome.ts';
import type { Outcome } from '../../../scripts/testing/outcome.ts';

const outcome = (part: Partial<Outcome>): Outcome => ({
  name: 'part',
  passed: 0,
  failed: 0,
  skipped: 0,
  seconds: 1,
  noMatch: false,
  golden: [],
  ...part,
});

describe('the outcome of suites', () => {
  for (const [counts, line] of [
    [{ passed: 12, failed: 0, skipped: 0 }, '12 passed, 0 failed'],
    [{ passed: 0, failed: 3, skipped: 0 }, '0 passed, 3 failed'],
    [{ passed: 5, failed: 1, skipped: 2 }, '5 passed, 1 failed, 2 skipped'],
  ] as const)
    it(`closes with: ${line}`, () => {
      assert.equal(closingLine(counts), line);
    });

  it('adds up what the parts came to', () => {
    const parts = [
      outcome({ passed: 2, golden: ['a.txt'] }),
      outcome({ passed: 1, failed: 1, skipped: 1, seconds: 2, golden: ['a.txt', 'b.txt'] }),
    ];
    assert.deepEqual(sum('all', parts), {
      name: 'all',
      passed: 3,
      failed: 1,
      skipped: 1,
      seconds: 3,
      noMatch: false,
      golden: ['a.txt', 'b.txt'],
    });
  });

  it('found nothing only when no part found anything', () => {
    assert.equal(sum('all', [outcome({ noMatch: true }), outcome({ passed: 1 })]).noMatch, false);
    assert.equal(sum('all', [outcome({ noMatch: true })]).noMatch, true);
  });
});
