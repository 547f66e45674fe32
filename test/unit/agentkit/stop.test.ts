import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { settle } from '../../support/fakeClock.ts';
import { probeTool, success } from './support/probeTool.ts';
import { bodies, bench, envelope, finished, person, prepare, results } from './support/runHarness.ts';
import { answer, asks, call, done, say } from './support/scriptedStream.ts';

const stopped =
  'Waiting was stopped. Whether the action completed is unknown; check the state before repeating it.';
const never = (): Promise<never> => new Promise(() => {});

describe('Stop', () => {
  it('vector 14: in mid-batch every call is answered, each in its own words, before the run is marked cancelled', async () => {
    const run = await prepare({
      answers: [
        asks(
          call('quick', 'probe', { value: 'quick' }),
          call('slow', 'probe', { value: 'slow' }),
          call('later', 'probe', { value: 'later' }),
          call('wrong', 'nothing'),
        ),
      ],
      tools: [
        probeTool('probe', {
          descriptor: { concurrency: 'sequential' },
          execute: ({ value }) => (value === 'quick' ? success({ ok: 1 }) : never()),
        }),
      ],
    });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.deepEqual(results(await run.stored()), {
      quick: envelope('{"ok":1}'),
      slow: stopped,
      later: 'Cancelled before it ran.',
      wrong: 'There is no tool named "nothing".',
    });
    assert.deepEqual(
      bodies(run.events, 'toolFinished').map((body) => [body.message.callId, body.outcome]),
      [
        ['quick', 'succeeded'],
        ['slow', 'unknown'],
        ['later', 'cancelled'],
        ['wrong', 'failed'],
      ],
    );
    const order = run.store.journal;
    assert.ok(order.lastIndexOf('recordEvent') < order.lastIndexOf('saveRun'));
    const loaded = await run.store.load(run.conversationId);
    assert.equal(loaded?.runs[0]?.state, 'cancelled');
  });

  it('during planning: calls that are not planned are answered as not run', async () => {
    const run = await prepare({
      answers: [
        asks(
          call('a', 'probe', { value: 'a' }),
          call('b', 'probe', { value: 'b' }),
          call('c', 'probe', { value: 'c' }),
        ),
      ],
      tools: [
        probeTool('probe', {
          preflight: ({ value }) => (value === 'b' ? never() : {}),
          execute: () => assert.fail('it ran'),
        }),
      ],
    });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    const text = 'Cancelled before it ran.';
    assert.deepEqual(results(await run.stored()), { a: text, b: text, c: text });
    assert.equal(bodies(run.events, 'toolProposed').length, 3);
  });

  it('while the model writes: keeps what it said, drops unfinished calls, and no tool runs', async () => {
    const run = await prepare({
      answers: [[say('Let me '), say('look.'), call('a', 'probe'), 'silence']],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    const ended = run.runtime.run();
    await settle();
    assert.equal(run.runtime.state, 'writing');
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.deepEqual(
      (await run.stored()).map((row) => [
        row.role,
        row.text,
        row.role === 'assistant' ? [row.stop, row.calls] : undefined,
      ]),
      [
        ['user', 'How busy is it?', undefined],
        ['assistant', 'Let me look.', ['cancelled', []]],
      ],
    );
  });

  it('before the first token leaves no empty answer behind', async () => {
    const run = await prepare({ answers: [['silence']] });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.deepEqual(
      (await run.stored()).map((row) => row.role),
      ['user'],
    );
  });

  it('while an attempt waits to be repeated ends at once', async () => {
    const run = await prepare({ answers: [[say('Half')]] });
    const ended = run.runtime.run();
    await run.next('modelRetryScheduled');
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.equal(run.clock.pending, 0, 'no timer is left');
  });

  it('between a complete reply and its calls answers them as not run', async () => {
    const run = await prepare({
      answers: [[call('a', 'probe'), { kind: 'finished', reason: 'toolCalls' }, 'silence']],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.deepEqual(results(await run.stored()), { a: 'Cancelled before it ran.' });
  });

  it('between the stored start of a call and its dispatch: it does not run, and the answer says so', async () => {
    const on = await bench();
    const run = await prepare({
      on,
      answers: [asks(call('a', 'probe'))],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    on.store.before = (method, argument) => {
      if (method === 'recordEvent' && JSON.stringify(argument).includes('toolStarted')) run.runtime.stop();
    };
    assert.equal(await run.runtime.run(), 'cancelled');
    assert.deepEqual(results(await run.stored()), { a: 'Cancelled before it ran.' });
  });

  it('reaches the tool as its signal, and what the tool does then changes nothing', async () => {
    let seen: unknown;
    const run = await prepare({
      answers: [asks(call('a', 'probe'))],
      tools: [
        probeTool('probe', {
          execute: (_args, context) =>
            new Promise((resolve) => {
              context.signal.addEventListener('abort', () => {
                seen = context.signal.reason;
                resolve(success({ late: 1 }));
              });
            }),
        }),
      ],
    });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    await ended;
    assert.ok(seen instanceof Error);
    assert.equal(Object.keys(results(await run.stored())).length, 1);
  });

  it('with 100 calls at work warns of nothing', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const run = await prepare({
      answers: [asks(...Array.from({ length: 100 }, (_, at) => call(`c${String(at)}`, 'probe')))],
      tools: [probeTool('probe', { execute: () => never() })],
    });
    const ended = run.runtime.run();
    await settle();
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    await settle();
    process.off('warning', warn);
    assert.deepEqual(warnings, []);
  });

  it('twice, or behind the end, does nothing', async () => {
    const run = await finished({ answers: [answer('Low.')] });
    run.runtime.stop();
    run.runtime.stop();
    assert.equal(run.runtime.state, 'completed');
    assert.equal(await run.runtime.steer(person('x', run.runId)), false);
  });

  it('before the run began ends it as cancelled with the prompt stored', async () => {
    const run = await prepare({ answers: [[say('x'), done]] });
    run.runtime.stop();
    assert.equal(await run.runtime.run(), 'cancelled');
    assert.deepEqual(
      (await run.stored()).map((row) => row.text),
      ['How busy is it?'],
    );
  });
});
