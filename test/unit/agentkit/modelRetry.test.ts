import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProviderError } from '../../../src/agentkit/index.ts';
import { parseRetryAfter, planRetry } from '../../../src/agentkit/modelRetry.ts';

function failure(retryAfterMs?: number): ProviderError {
  return new ProviderError({ code: 'rateLimited', retryable: true, retryAfterMs });
}

describe('the plan behind a failed attempt', () => {
  it('waits 1, 2, 4, 8 and 16 seconds, then gives up', () => {
    const plans = [1, 2, 3, 4, 5, 6].map((attempt) => planRetry(failure(), attempt, () => 0.5));
    assert.deepEqual(plans, [
      ...[1_000, 2_000, 4_000, 8_000, 16_000].map((delayMs) => ({ kind: 'retry', delayMs })),
      { kind: 'giveUp' },
    ]);
  });

  it('spreads each wait from three to five quarters', () => {
    assert.deepEqual(
      planRetry(failure(), 1, () => 0),
      { kind: 'retry', delayMs: 750 },
    );
    assert.deepEqual(
      planRetry(failure(), 5, () => 1),
      { kind: 'retry', delayMs: 20_000 },
    );
  });

  for (const [retryAfterMs, attempt, plan] of [
    [20_000, 1, { kind: 'retry', delayMs: 20_000 }],
    [500, 1, { kind: 'retry', delayMs: 1_000 }],
    [300_000, 1, { kind: 'retry', delayMs: 300_000 }],
    [300_001, 1, { kind: 'tooLong', retryAfterMs: 300_001 }],
    [20_000, 6, { kind: 'giveUp' }],
  ] as const)
    it(`Retry-After of ${String(retryAfterMs)} ms behind attempt ${String(attempt)}: ${plan.kind}`, () => {
      assert.deepEqual(
        planRetry(failure(retryAfterMs), attempt, () => 0.5),
        plan,
      );
    });

  it('does not repeat what cannot succeed', () => {
    const refused = new ProviderError({ code: 'unauthorized', retryable: false, status: 401 });
    assert.deepEqual(
      planRetry(refused, 1, () => 0.5),
      { kind: 'giveUp' },
    );
  });

  const now = Date.parse('2030-01-01T00:00:00Z');
  for (const [header, ms] of [
    ['20', 20_000],
    ['0.5', 500],
    ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
    ['Tue, 01 Jan 2029 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [null, undefined],
  ] as const)
    it(`reads Retry-After ${String(header)} as ${String(ms)}`, () => {
      assert.equal(parseRetryAfter(header, now), ms);
    });
});
