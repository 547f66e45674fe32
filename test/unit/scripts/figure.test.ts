import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { jsonLine, median } from '../../bench/figure.ts';

describe('figures of benchmarks', () => {
  for (const [values, middle] of [
    [[5], 5],
    [[9, 1, 4], 4],
    [[1, 10, 2, 4], 3],
  ] as const)
    it(`the median of ${values.join(', ')} is ${middle}`, () => {
      assert.equal(median(values), middle);
    });

  it('there is no median of nothing', () => {
    assert.throws(() => median([]), RangeError);
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
