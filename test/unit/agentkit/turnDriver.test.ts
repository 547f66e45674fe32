import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProviderError } from '../../../src/agentkit/index.ts';
import { deferred } from './support/deferred.ts';
import { bodies, failureOf, finished, prepare, results } from './support/runHarness.ts';
import { probeTool, success } from './support/probeTool.ts';
import { answer, asks, call, callsDone, done, say, think } from './support/scriptedStream.ts';

const busy = new ProviderError({ code: 'overloaded', retryable: true, status: 503 });

describe('an attempt that fails', () => {
  it('is discarded and made again, and views are told to drop what they showed', async () => {
    const run = await prepare({ answers: [[say('Half an ans'), busy], answer('The load is low.')] });
    const ended = run.runtime.run();
    await run.next('modelRetryScheduled');
    await run.clock.advance(1_000);
    assert.equal(await ended, 'completed');
    assert.deepEqual(
      bodies(run.events, 'messageStarted', 'messageDelta', 'modelRetryScheduled', 'modelRetryRecovered'),
      [
        { kind: 'messageStarted', messageId: 'message-1' },
        { kind: 'messageDelta', messageId: 'message-1', text: 'Half an ans' },
        { kind: 'modelRetryScheduled', attempt: 1, delayMs: 1_000, reason: 'overloaded' },
        { kind: 'modelRetryRecovered', attempt: 2 },
        { kind: 'messageStarted', messageId: 'message-1' },
        { kind: 'messageDelta', messageId: 'message-1', text: 'The load is low.' },
      ],
    );
    assert.deepEqual(
      (await run.stored()).map((row) => row.text),
      ['How busy is it?', 'The load is low.'],
    );
    assert.deepEqual(run.model.requests[1], run.model.requests[0]);
  });

  it('after a partial call: the tool runs once', async () => {
    let ran = 0;
    const run = await prepare({
      answers: [[call('a', 'probe'), busy], asks(call('a', 'probe')), answer('Done.')],
      tools: [probeTool('probe', { execute: () => success({ times: ++ran }) })],
    });
    const ended = run.runtime.run();
    await run.next('modelRetryScheduled');
    await run.clock.advance(1_000);
    assert.equal(await ended, 'completed');
    assert.equal(ran, 1);
    assert.deepEqual(Object.keys(results(await run.stored())), ['a']);
  });

  it('with Retry-After: 20 is made again after 20 seconds and not before', async () => {
    const limited = new ProviderError({
      code: 'rateLimited',
      retryable: true,
      status: 429,
      retryAfterMs: 20_000,
    });
    const run = await prepare({ answers: [[limited], answer('Low.')] });
    const ended = run.runtime.run();
    await run.next('modelRetryScheduled');
    await run.clock.advance(19_999);
    assert.equal(run.model.requests.length, 1);
    await run.clock.advance(1);
    assert.equal(await ended, 'completed');
  });

  it('with a longer Retry-After than five minutes ends the run and says how long', async () => {
    const limited = new ProviderError({
      code: 'rateLimited',
      retryable: true,
      status: 429,
      retryAfterMs: 301_000,
    });
    const run = await finished({ answers: [[limited]] });
    assert.equal(run.state, 'failed');
    assert.deepEqual(bodies(run.events, 'failed')[0]?.failure, {
      code: 'modelRetryTooLong',
      message: 'The model provider asks to wait 301 seconds before the next request.',
      facts: { seconds: '301' },
    });
  });

  it('six times ends the run with its own cause', async () => {
    const run = await prepare({ answers: Array.from({ length: 6 }, () => [busy]) });
    const ended = run.runtime.run();
    await run.clock.advance(60_000);
    assert.equal(await ended, 'failed');
    assert.equal(run.model.left, 0);
    assert.equal(failureOf(run.events), 'modelOverloaded');
  });

  it('for a reason that stays is not repeated', async () => {
    const refused = new ProviderError({
      code: 'unauthorized',
      retryable: false,
      status: 401,
      detail: 'Wrong key',
    });
    const run = await finished({ answers: [[refused]] });
    assert.deepEqual(bodies(run.events, 'failed')[0]?.failure, {
      code: 'modelUnauthorized',
      message: 'The model provider refused the key.',
      facts: { detail: 'Wrong key', status: '401' },
    });
    assert.equal(run.model.requests.length, 1);
  });

  it('by a clean end without a finish is repeated', async () => {
    const run = await prepare({ answers: [[say('Half')], answer('Whole.')] });
    const ended = run.runtime.run();
    assert.equal((await run.next('modelRetryScheduled')).reason, 'endedEarly');
    await run.clock.advance(1_000);
    assert.equal(await ended, 'completed');
  });

  it('behind the finish is no failure', async () => {
    const run = await finished({ answers: [[say('Low.'), done, busy]] });
    assert.equal(run.state, 'completed');
    assert.equal(run.model.requests.length, 1);
  });
});

describe('the clocks of an attempt', () => {
  for (const [name, steps] of [
    ['the first byte', ['silence'] as const],
    ['the next byte', [say('Half'), 'silence'] as const],
  ] as const)
    it(`wait 120 seconds for ${name}, then the attempt is repeated`, async () => {
      const run = await prepare({ answers: [steps, answer('Low.')] });
      const ended = run.runtime.run();
      await run.clock.advance(119_999);
      assert.deepEqual(bodies(run.events, 'modelRetryScheduled'), []);
      await run.clock.advance(1);
      assert.equal(bodies(run.events, 'modelRetryScheduled')[0]?.reason, 'timeout');
      await run.clock.advance(1_000);
      assert.equal(await ended, 'completed');
      assert.equal(run.clock.pending, 0, 'no timer is left');
    });

  it('start anew with every sign of life', async () => {
    const sign = deferred();
    const run = await prepare({
      answers: [[{ kind: 'alive' }, sign.promise, { kind: 'alive' }, 'silence'], answer('Low.')],
    });
    const ended = run.runtime.run();
    await run.clock.advance(100_000);
    assert.equal(run.runtime.state, 'waitingForFirstToken');
    sign.resolve();
    await run.clock.advance(119_999);
    assert.deepEqual(bodies(run.events, 'modelRetryScheduled'), []);
    await run.clock.advance(1_001);
    assert.equal(await ended, 'completed');
    assert.equal(bodies(run.events, 'modelRetryScheduled').length, 1);
  });

  it('do not hold a finished answer back: late usage is waited for two seconds', async () => {
    const run = await prepare({ answers: [[say('Low.'), done, 'silence']] });
    const ended = run.runtime.run();
    await run.clock.advance(2_000);
    assert.equal(await ended, 'completed');
  });

  it('a total clock ends an attempt that never pauses', async () => {
    const clocks = { firstByteMs: 120_000, idleMs: 120_000, totalMs: 10_000 };
    const run = await prepare({ answers: [[say('a'), 'silence'], answer('b')], options: { clocks } });
    const ended = run.runtime.run();
    await run.clock.advance(11_000);
    assert.equal(await ended, 'completed');
  });
});

describe('a streaming answer', () => {
  it('shows every wait in the run state, from connecting to the end', async () => {
    const run = await finished({
      answers: [[{ kind: 'alive' }, think('Look first.'), say('Low.'), done]],
    });
    assert.deepEqual(
      bodies(run.events, 'runState').map((body) => body.state),
      ['connecting', 'waitingForFirstToken', 'reasoning', 'writing', 'connecting', 'completed'],
    );
  });

  it('keeps reasoning, how long it took, and the usage', async () => {
    const run = await prepare({
      answers: [
        [
          think('Look'),
          Promise.resolve(),
          say('Low.'),
          { kind: 'usage', usage: { inputTokens: 9, outputTokens: 2 } },
          done,
        ],
      ],
    });
    let elapsed = 0;
    run.runtime.onEvent(({ body }) => {
      if (body.kind === 'reasoningDelta') elapsed = run.clock.now();
    });
    assert.equal(await run.runtime.run(), 'completed');
    const [message] = bodies(run.events, 'messageFinished');
    assert.equal(message?.message.reasoning, 'Look');
    assert.equal(message.message.reasoningMs, run.clock.now() - elapsed);
    assert.deepEqual(bodies(run.events, 'usageUpdated'), [
      { kind: 'usageUpdated', usage: { inputTokens: 9, outputTokens: 2 }, contextTokens: 11 },
    ]);
  });

  it('shows what a snapshot adds', async () => {
    const run = await finished({
      answers: [
        [
          say('Lo'),
          { kind: 'textSnapshot', text: 'Low.' },
          { kind: 'textSnapshot', text: 'High.' },
          callsDone,
        ],
      ],
    });
    assert.deepEqual(
      bodies(run.events, 'messageDelta').map((body) => body.text),
      ['Lo', 'w.'],
    );
    assert.equal(bodies(run.events, 'messageFinished')[0]?.message.text, 'High.');
  });
});
