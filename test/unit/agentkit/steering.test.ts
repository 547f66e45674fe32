import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { settle } from '../../support/fakeClock.ts';
import { StoreFault } from './support/memoryRunStore.ts';
import { probeTool, success } from './support/probeTool.ts';
import {
  bench,
  bodies,
  finished,
  person,
  prepare,
  type PreparedRun,
  type RunSetUp,
} from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';

const texts = async (run: PreparedRun): Promise<readonly string[]> =>
  (await run.stored()).filter((row) => row.role === 'user').map((row) => row.text);

const inbox = async (run: PreparedRun): Promise<readonly string[]> =>
  ((await run.store.load(run.conversationId))?.inbox ?? []).map((queued) => queued.message.text);

/** A run of two turns, with more answers ready for whoever interjects. */
const twoTurns: RunSetUp = {
  answers: [asks(call('a', 'probe')), answer('Low.'), answer('Also that.'), answer('And that.')],
  tools: [probeTool()],
};

describe('a message written while the run works', () => {
  it('during the last turn starts another turn', async () => {
    const run = await prepare({ answers: [answer('Low.'), answer('On h2 too.')] });
    run.runtime.onEvent(({ body }) => {
      if (body.kind === 'messageDelta' && body.text === 'Low.')
        void run.runtime.steer(person('And on h2?', run.runId));
    });
    assert.equal(await run.runtime.run(), 'completed');
    assert.deepEqual(
      (await run.stored()).map((row) => row.text),
      ['How busy is it?', 'Low.', 'And on h2?', 'On h2 too.'],
    );
    assert.equal(run.model.requests[1]?.items.at(-1)?.text, 'And on h2?');
    assert.deepEqual(
      bodies(run.events, 'steeringDelivered').map((body) => body.message.text),
      ['And on h2?'],
    );
    assert.deepEqual(await inbox(run), []);
  });

  it('is delivered behind the results of a batch and cancels nothing', async () => {
    let interjections = 0;
    const run = await prepare({
      ...twoTurns,
      tools: [
        probeTool('probe', {
          execute: async (_args, context) => {
            assert.equal(await run.runtime.steer(person('Hurry.', run.runId)), true);
            await context.whenUserInterjects();
            await context.whenUserInterjects();
            interjections++;
            return success({ ok: 1 });
          },
        }),
      ],
    });
    assert.equal(await run.runtime.run(), 'completed');
    assert.equal(interjections, 1);
    assert.deepEqual(
      run.model.requests[1]?.items.map((item) => item.role),
      ['user', 'assistant', 'tool', 'user'],
    );
  });

  it('wakes a tool that waits for it, and only then', async () => {
    let isAwake = false;
    const run = await prepare({
      ...twoTurns,
      tools: [
        probeTool('probe', {
          execute: async (_args, context) => {
            await context.whenUserInterjects();
            isAwake = true;
            return success({ ok: 1 });
          },
        }),
      ],
    });
    const ended = run.runtime.run();
    await settle();
    assert.equal(isAwake, false);
    await run.runtime.steer(person('Wake up.', run.runId));
    assert.equal(await ended, 'completed');
    assert.equal(isAwake, true);
  });

  it('several keep their order', async () => {
    const run = await prepare(twoTurns);
    const ended = run.runtime.run();
    await Promise.all(['one', 'two', 'three'].map((text) => run.runtime.steer(person(text, run.runId))));
    assert.equal(await ended, 'completed');
    assert.deepEqual(await texts(run), ['How busy is it?', 'one', 'two', 'three']);
  });

  it('that was stored and never delivered is delivered by the next run', async () => {
    const on = await bench();
    const first = await prepare({ on, answers: [['silence']], prompt: 'First.' });
    const ended = first.runtime.run();
    await settle();
    assert.equal(await first.runtime.steer(person('Waiting.', first.runId)), true);
    first.runtime.stop();
    await ended;
    assert.deepEqual(await inbox(first), ['Waiting.']);
    const second = await finished({ on, answers: [answer('Done.')], prompt: 'Second.' });
    assert.deepEqual(await texts(second), ['First.', 'Second.', 'Waiting.']);
    assert.deepEqual(await inbox(second), []);
  });

  it('that a crash left in the transcript and in the queue is not delivered again', async () => {
    const on = await bench();
    const first = await finished({ on, answers: [answer('Done.')], prompt: 'First.' });
    const [delivered] = await first.stored();
    assert.ok(delivered?.role === 'user');
    await on.store.enqueue(on.conversationId, delivered);
    const second = await finished({ on, answers: [answer('Done.')], prompt: 'Second.' });
    assert.deepEqual(await texts(second), ['First.', 'Second.']);
  });

  it('is refused when the run can no longer take it, and rejected when it cannot be stored', async () => {
    const run = await finished({ answers: [answer('Done.')] });
    assert.equal(await run.runtime.steer(person('Late.', run.runId)), false);
    const other = await prepare(twoTurns);
    other.store.before = (method) => {
      if (method === 'enqueue') throw new StoreFault('store-busy');
    };
    const ended = other.runtime.run();
    await assert.rejects(other.runtime.steer(person('Lost?', other.runId)), StoreFault);
    assert.equal(await ended, 'completed');
    assert.deepEqual(await texts(other), ['How busy is it?']);
  });

  it('is delivered exactly once, whatever await it meets', async () => {
    const outcomes = new Set<boolean>();
    for (let tick = 0; tick < 400; tick++) {
      const run = await prepare(twoTurns);
      const ended = run.runtime.run();
      for (let at = 0; at < tick; at++) await Promise.resolve();
      const isTaken = await run.runtime.steer(person('Interjected.', run.runId));
      outcomes.add(isTaken);
      assert.equal(await ended, 'completed', `tick ${String(tick)}`);
      const expected = isTaken ? ['How busy is it?', 'Interjected.'] : ['How busy is it?'];
      assert.deepEqual([await texts(run), await inbox(run)], [expected, []], `tick ${String(tick)}`);
      if (isTaken)
        assert.ok(
          run.model.requests.at(-1)?.items.some((item) => item.text === 'Interjected.'),
          'the model read it',
        );
    }
  });

  it('is never lost and never twice, whatever write fails meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(200), fc.nat(30), async (tick, failing) => {
        const run = await prepare(twoTurns);
        const from = run.store.journal.length;
        run.store.before = () => {
          if (run.store.journal.length - from === failing + 1) throw new StoreFault('store-busy');
        };
        const ended = run.runtime.run();
        for (let at = 0; at < tick; at++) await Promise.resolve();
        const isTaken = await run.runtime.steer(person('Interjected.', run.runId)).catch(() => 'unsure');
        await ended;
        run.store.before = () => {};
        const places = [...(await texts(run)), ...(await inbox(run))].filter(
          (text) => text === 'Interjected.',
        );
        if (isTaken === 'unsure') assert.ok(places.length <= 1);
        else assert.equal(places.length, isTaken ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });
});
