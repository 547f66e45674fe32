import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { compactAbove, tokensToKeep } from '../../../../src/agentkit/compaction/limits.ts';
import { groupsToSummarise, messageGroups } from '../../../../src/agentkit/compaction/messageGroups.ts';
import { pairCalls } from '../../../../src/agentkit/pairing.ts';
import { assistantRow, brokenHistory, toolRow, userRow } from '../support/histories.ts';

describe('the groups of a history', () => {
  it('hold an answer together with the results of its calls', () => {
    const rows = [
      userRow('u', 'Go'),
      assistantRow('a', '', ['x', 'y']),
      toolRow('x'),
      toolRow('y'),
      assistantRow('b', 'Done'),
    ];
    assert.deepEqual(
      messageGroups(rows).map((group) => group.map(({ role }) => role)),
      [['user'], ['assistant', 'tool', 'tool'], ['assistant']],
    );
  });

  it('are the whole history in its order, and never begin with a result', () => {
    fc.assert(
      fc.property(brokenHistory, (messages) => {
        const paired = pairCalls(messages);
        const groups = messageGroups(paired);
        assert.deepEqual(groups.flat(), paired);
        assert.ok(groups.every(([first]) => first.role !== 'tool'));
      }),
      { numRuns: 200 },
    );
  });
});

describe('how much is summarised', () => {
  for (const [why, tokens, limits, count] of [
    ['nothing while all fits', [5, 5, 5], { keep: 20, most: 100 }, 0],
    ['what does not fit in front of the newest', [5, 5, 5, 5], { keep: 12, most: 100 }, 2],
    ['a group that is too large, whole, and all before it', [1, 50, 5, 5], { keep: 20, most: 100 }, 2],
    ['all but the newest when that alone is more than is kept', [5, 5, 50], { keep: 20, most: 100 }, 2],
    ['the newest too when it alone exceeds the window', [5, 5, 150], { keep: 20, most: 100 }, 3],
    ['nothing of nothing', [], { keep: 20, most: 100 }, 0],
  ] as const)
    it(why, () => assert.equal(groupsToSummarise(tokens, limits), count));

  for (const [window, above, keep] of [
    [200_000, 183_616, 20_000],
    [128_000, 111_616, 20_000],
    [40_000, 23_616, 11_808],
    [32_768, 16_384, 8_192],
    [8_000, 4_000, 2_000],
  ] as const)
    it(`a window of ${String(window)} is compacted above ${String(above)} and keeps ${String(keep)}`, () =>
      assert.deepEqual([compactAbove(window), tokensToKeep(window)], [above, keep]));
});
