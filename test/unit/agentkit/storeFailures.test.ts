import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { DurableEvent } from '../../../src/agentkit/index.ts';
import { StoreFault, type StoreMethod } from './support/memoryRunStore.ts';
import { probeTool, success } from './support/probeTool.ts';
import { bench, bodies, finished, prepare, results, type PreparedRun } from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';
import { settle } from '../../support/fakeClock.ts';

/** Fails the write number `nth` of one kind (from 1). */
function failing(run: PreparedRun, write: { method: StoreMethod; nth: number; code?: string }): void {
  let seen = 0;
  run.store.before = (asked) => {
    if (asked === write.method && ++seen === write.nth) throw new StoreFault(write.code ?? 'store-read-only');
  };
}

const failure = (run: PreparedRun) => bodies(run.events, 'failed')[0]?.failure;

function storeFailed(code: string): unknown {
  const reason = `store: ${code}`;
  return {
    code: 'storeFailed',
    message: `The conversation could not be saved: ${reason}`,
    facts: { reason, cause: code },
  };
}

describe('a store that cannot be written', () => {
  for (const code of ['run-leased', 'store-read-only'])
    it(`keeps a run from beginning when it says ${code}: the prompt is not taken and nothing is asked`, async () => {
      const run = await prepare({ answers: [] });
      failing(run, { method: 'startRun', nth: 1, code });
      const started = assert.rejects(run.runtime.started, { message: /could not be saved/ });
      assert.equal(await run.runtime.run(), 'failed');
      await started;
      assert.deepEqual(failure(run), storeFailed(code));
      const stored = await run.store.load(run.conversationId);
      assert.deepEqual([stored?.messages, stored?.runs], [[], []], 'the caller keeps the text');
      assert.ok(!run.store.journal.includes('saveRun'), 'a run that is not ours is left alone');
    });

  it('has a run and its prompt in one write, or neither', async () => {
    const run = await prepare({ answers: [['silence']] });
    const ended = run.runtime.run();
    await run.runtime.started;
    assert.deepEqual(
      run.store.journal.filter((method) => method === 'startRun' || method === 'saveRun'),
      ['startRun'],
    );
    assert.deepEqual(
      (await run.stored()).map(({ text }) => text),
      ['How busy is it?'],
    );
    run.runtime.stop();
    await ended;
  });

  it('behind an answer with calls ends the run before any of them runs', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'probe'))],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    failing(run, { method: 'saveRun', nth: 1 });
    assert.equal(await run.runtime.run(), 'failed');
    assert.deepEqual(failure(run), storeFailed('store-read-only'));
    assert.deepEqual(bodies(run.events, 'toolProposed'), []);
  });

  it('behind a batch ends the run, and the recorded results come back with the next load', async () => {
    const run = await prepare({ answers: [asks(call('a', 'probe'))], tools: [probeTool()] });
    let saves = 0;
    run.store.before = (method) => {
      if (method === 'saveRun' && ++saves === 2) throw new StoreFault('store-busy');
    };
    assert.equal(await run.runtime.run(), 'failed');
    assert.deepEqual(Object.keys(results(await run.stored())), ['a']);
  });

  it('at the start of a call answers it as not run, and runs nothing', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'probe'), call('b', 'probe')), answer('Done.')],
      tools: [
        probeTool('probe', {
          execute: (_args, context) => (context.callId === 'a' ? assert.fail('it ran') : success({ ok: 1 })),
        }),
      ],
    });
    run.store.before = (method, argument) => {
      const { body } = argument as DurableEvent;
      if (method === 'recordEvent' && body.kind === 'toolStarted' && body.callId === 'a')
        throw new StoreFault('store-busy');
    };
    assert.equal(await run.runtime.run(), 'completed');
    const { a, b } = results(await run.stored());
    assert.equal(a, 'This call did not run because its start could not be recorded. store: store-busy');
    assert.match(b ?? '', /"ok":1/);
  });

  it('at any other event is logged and stops nothing', async () => {
    const run = await prepare({ answers: [asks(call('a', 'probe')), answer('Done.')], tools: [probeTool()] });
    run.store.before = (method, argument) => {
      if (method === 'recordEvent' && (argument as DurableEvent).body.kind !== 'toolStarted')
        throw new StoreFault('store-busy');
    };
    assert.equal(await run.runtime.run(), 'completed');
    assert.deepEqual(run.logged, [
      'the event toolProposed was not stored',
      'the event toolFinished was not stored',
    ]);
  });

  it('at the end says so instead of claiming success', async () => {
    const run = await prepare({ answers: [answer('Low.')] });
    failing(run, { method: 'saveRun', nth: 2 });
    assert.equal(await run.runtime.run(), 'failed');
    assert.deepEqual(failure(run), storeFailed('store-read-only'));
  });

  it('waits for each durable event before the next: a start is stored before its call is dispatched', async () => {
    const order: string[] = [];
    const run = await prepare({
      answers: [asks(call('a', 'probe')), answer('Done.')],
      tools: [
        probeTool('probe', {
          execute: () => {
            order.push('run');
            return success({});
          },
        }),
      ],
    });
    run.store.before = async (method, argument) => {
      if (method !== 'recordEvent') return;
      const { kind } = (argument as DurableEvent).body;
      order.push(`begin ${kind}`);
      await settle();
      order.push(`stored ${kind}`);
    };
    assert.equal(await run.runtime.run(), 'completed');
    assert.deepEqual(order, [
      'begin toolProposed',
      'stored toolProposed',
      'begin toolStarted',
      'stored toolStarted',
      'run',
      'begin toolFinished',
      'stored toolFinished',
    ]);
  });
});

describe('the lease of a run', () => {
  it('is renewed every ten seconds, and no longer than the run', async () => {
    const run = await prepare({ answers: [['silence']] });
    const ended = run.runtime.run();
    const renewals = (): number => run.store.journal.filter((method) => method === 'renewLease').length;
    await run.clock.advance(9_999);
    assert.equal(renewals(), 0);
    await run.clock.advance(20_001);
    assert.equal(renewals(), 3);
    run.runtime.stop();
    await ended;
    await run.clock.advance(60_000);
    assert.equal(renewals(), 3);
    assert.equal(run.clock.pending, 0, 'no timer is left');
  });

  it('that another window has now ends the run as interrupted, and this one writes nothing more of it', async () => {
    const on = await bench();
    const run = await prepare({ on, answers: [['silence']] });
    const ended = run.runtime.run();
    await settle();
    on.store.renewLease = () => Promise.resolve(false);
    const saves = on.store.journal.filter((method) => method === 'saveRun').length;
    await on.clock.advance(10_000);
    assert.equal(await ended, 'interrupted');
    assert.equal(failure(run)?.code, 'leaseLost');
    assert.equal(on.store.journal.filter((method) => method === 'saveRun').length, saves);
  });

  it('that cannot be renewed for as long as it lasts counts as lost', async () => {
    const run = await prepare({ answers: [['silence']] });
    run.store.before = (method) => {
      if (method === 'renewLease') throw new StoreFault('store-busy');
    };
    const ended = run.runtime.run();
    await run.clock.advance(30_000);
    assert.equal(run.runtime.state, 'connecting');
    await run.clock.advance(10_000);
    assert.equal(await ended, 'interrupted');
  });

  it('that was lost shows at the next save as well', async () => {
    const run = await prepare({ answers: [answer('Low.')] });
    failing(run, { method: 'saveRun', nth: 1, code: 'run-leased' });
    assert.equal(await run.runtime.run(), 'interrupted');
    assert.equal(failure(run)?.code, 'leaseLost');
  });
});

describe('one runtime', () => {
  it('serves one run', async () => {
    const run = await finished({ answers: [answer('Low.')] });
    await assert.rejects(run.runtime.run(), /one runtime serves one run/);
  });
});
