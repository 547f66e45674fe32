import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { costCeiling, runLimits } from '../../../../src/application/assistant/runLimits.ts';

const prices = {
  'lab/one': { input: 2, output: 8, cachedInput: 0.5, cacheWrite: 2.5 },
  'lab/two': { input: 2, output: 8 },
};
const limits = (ref: string, cost?: number) =>
  runLimits({ runCeilings: cost === undefined ? {} : { cost }, prices }, ref);

describe('the cost of a request', () => {
  for (const [what, ref, usage, cost] of [
    ['input and output', 'lab/two', { inputTokens: 1_000_000, outputTokens: 500_000 }, 6],
    ['a cache that is read', 'lab/one', { inputTokens: 1_000_000, cachedInputTokens: 800_000 }, 0.8],
    ['a cache that is written', 'lab/one', { inputTokens: 1_000_000, cacheWriteTokens: 400_000 }, 2.2],
    [
      'a cache without a price of its own',
      'lab/two',
      { inputTokens: 1_000_000, cachedInputTokens: 800_000 },
      2,
    ],
    ['figures that do not fit together', 'lab/one', { inputTokens: 10, cachedInputTokens: 1_000_000 }, 0.5],
    ['nothing', 'lab/one', {}, 0],
  ] as const)
    it(`counts ${what}`, () => assert.equal(limits(ref).price?.(usage), cost));

  it('is unknown for a model without a price', () => assert.equal(limits('lab/three').price, undefined));
});

describe('the ceiling of cost', () => {
  for (const [ref, cost, state] of [
    ['lab/one', undefined, 'off'],
    ['lab/one', 1, 'enforced'],
    ['lab/three', 1, 'noPrice'],
  ] as const)
    it(`is ${state} for ${ref} at ${String(cost)}`, () =>
      assert.equal(costCeiling(limits(ref, cost)), state));
});
