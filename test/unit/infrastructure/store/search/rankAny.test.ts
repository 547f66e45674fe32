import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rankAny } from '../../../../../src/infrastructure/store/search/rankAny.ts';

describe('messages with some of the terms', () => {
  for (const [lists, order, reason] of [
    [
      [
        [5, 3],
        [3, 1],
      ],
      [3, 5, 1],
      'more terms first, then newer',
    ],
    [[[9, 8, 7, 6], [4]], [4, 9, 8, 7, 6], 'a rare term counts double'],
    [[[9, 8, 7, 6], [8, 7, 6, 5], [4]], [8, 7, 6, 4, 9, 5], 'two common terms weigh as much as a rare one'],
    [[[], []], [], 'nothing found'],
  ] as const)
    it(reason, () => assert.deepEqual(rankAny(lists, 4), order));
});
