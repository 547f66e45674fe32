import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { jsonLine, median, percentile } from '../../bench/figure.ts';

describe('figures of benchmarks', () => {
  for (const [values, middle] of [
    [[5], 5],
    [[9, 1, 4], 4],
    [[1, 10, 2, 4], 3],
  ] as const)
    it(`the median of ${values.join(', ')} is ${middle}`, () => {
      assert.equal(median(values), middle);
    });

  for (const [values, percent, expected] of [
    [[3, 1, 2], 50, 2],
    [[3, 1, 2, 4], 50, 2],
    [[3, 1, 2], 100, 3],
    [[3, 1, 2], 0, 1],
    [Array.from({ length: 100 }, (_, n) => n), 95, 94],
  ] as const)
    it(`${percent} of 100 of ${values.length} values are at most ${expected}`, () => {
      assert.equal(percentile(values, percent), expected);
    });

  it('there is no median and no percentile of nothing', () => {
    assert.throws(() => median([]), RangeError);
    assert.throws(() => percentile([], 50), RangeError);
  });

  it('prints one line of JSON with exactly the fields that programs read', () => {
    const figure = {
      id: 'P10',
      label: 'activation',
      ours: 5,
      peer: 2,
      ratio: 2.5,
      target: '<= 50 ms',
      holds: true,
    };
    assert.equal(
      jsonLine(figure),
      '{"id":"P10","ours":5,"peer":2,"ratio":2.5,"target":"<= 50 ms","holds":true}',
    );
  });
});
