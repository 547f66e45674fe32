import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  LaneGrowth,
  type LaneGrowthOptions,
} from '../../../../src/application/transfer/engine/laneGrowth.ts';

const mib = 2 ** 20;

/** How many lanes are used after each second, where `perSecond` says what so many move in one. */
function lanesOver(
  options: LaneGrowthOptions,
  perSecond: (lanes: number) => number,
  seconds = 8,
): readonly number[] {
  const growth = new LaneGrowth(options);
  const used: number[] = [];
  let lanes = growth.wanted(0, 0);
  let done = 0;
  for (let second = 1; second <= seconds; second++) {
    done += perSecond(lanes);
    lanes = growth.wanted(second * 1_000, done);
    growth.wanted(second * 1_000, done); // the next step is judged from here on
    used.push(lanes);
  }
  return used;
}

describe('how many channels a file is striped over', () => {
  const far = { totalBytes: 1_000 * mib, roundTripMs: 100 } as const;
  for (const [name, options, perSecond, expected] of [
    ['more while each step pays', far, (lanes: number) => lanes * 20 * mib, [2, 4, 8, 8, 8, 8, 8, 8]],
    [
      'back to the step before when one does not',
      far,
      (lanes: number) => Math.min(lanes, 4) * 20 * mib,
      [2, 4, 8, 4, 4, 4, 4, 4],
    ],
    ['one when two are no faster', far, () => 20 * mib, [2, 1, 1, 1, 1, 1, 1, 1]],
    ['one for a small file', { ...far, totalBytes: 8 * mib }, () => mib, [1, 1, 1, 1, 1, 1, 1, 1]],
    ['one on a short line', { ...far, roundTripMs: 1 }, () => 100 * mib, [1, 1, 1, 1, 1, 1, 1, 1]],
    ['one on a slow line', far, () => 5 * mib, [1, 1, 1, 1, 1, 1, 1, 1]],
  ] as const)
    it(name, () => assert.deepEqual(lanesOver(options, perSecond), expected));

  it('as many as there are, when a server opens no more', () => {
    const growth = new LaneGrowth(far);
    growth.wanted(0, 0);
    assert.equal(growth.wanted(1_000, 20 * mib), 2);
    growth.refused(1);
    assert.equal(growth.wanted(5_000, 100 * mib), 1);
  });
});
