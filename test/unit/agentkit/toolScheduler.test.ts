import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { settle } from '../../support/fakeClock.ts';
import { deferred, type Deferred } from './support/deferred.ts';
import { probeTool, success, type ProbeOptions } from './support/probeTool.ts';
import { bodies, finished, prepare, type PreparedRun } from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';

interface Held {
  readonly started: string[];
  readonly most: () => number;
  readonly options: ProbeOptions;
  release(name: string): void;
}

/** Calls that run until the test lets them go. */
function held(): Held {
  const waiting = new Map<string, Deferred<undefined> & { resolve(): void }>();
  const started: string[] = [];
  let running = 0;
  let most = 0;
  return {
    started,
    most: () => most,
    options: {
      execute: async ({ value = '' }) => {
        started.push(value);
        most = Math.max(most, ++running);
        const gate = deferred();
        waiting.set(value, gate);
        await gate.promise;
        running--;
        return success({ value });
      },
    },
    release: (name) => waiting.get(name)?.resolve(),
  };
}

const order = async (run: PreparedRun): Promise<readonly string[]> =>
  (await run.stored()).flatMap((row) => (row.role === 'tool' ? [row.callId] : []));

describe('a batch of calls', () => {
  it('of parallel calls only runs at once; results come in call order whatever ends first', async () => {
    const calls = held();
    const run = await prepare({
      answers: [asks(...['a', 'b', 'c'].map((id) => call(id, 'probe', { value: id }))), answer('Done.')],
      tools: [probeTool('probe', calls.options)],
    });
    const ended = run.runtime.run();
    await settle();
    assert.deepEqual(calls.started, ['a', 'b', 'c']);
    for (const id of ['c', 'a', 'b']) {
      calls.release(id);
      await settle();
    }
    assert.equal(await ended, 'completed');
    assert.deepEqual(
      bodies(run.events, 'toolFinished').map((body) => body.message.callId),
      ['c', 'a', 'b'],
    );
    assert.deepEqual(await order(run), ['a', 'b', 'c']);
  });

  it('of three parallel and one sequential call is serial, in call order', async () => {
    const calls = held();
    const run = await prepare({
      answers: [
        asks(
          call('a', 'probe', { value: 'a' }),
          call('b', 'write', { value: 'b' }),
          call('c', 'probe', { value: 'c' }),
          call('d', 'probe', { value: 'd' }),
        ),
        answer('Done.'),
      ],
      tools: [
        probeTool('probe', calls.options),
        probeTool('write', { ...calls.options, descriptor: { concurrency: 'sequential' } }),
      ],
    });
    const ended = run.runtime.run();
    for (const id of ['a', 'b', 'c', 'd']) {
      await settle();
      calls.release(id);
    }
    assert.equal(await ended, 'completed');
    assert.deepEqual(calls.started, ['a', 'b', 'c', 'd']);
    assert.equal(calls.most(), 1);
  });

  it('runs at most eight at once: the ninth waits for one to end', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `c${String(at)}`);
    const calls = held();
    const run = await prepare({
      answers: [asks(...ids.map((id) => call(id, 'probe', { value: id }))), answer('Done.')],
      tools: [probeTool('probe', calls.options)],
    });
    const ended = run.runtime.run();
    await settle();
    assert.deepEqual(calls.started, ids.slice(0, 8));
    calls.release('c5');
    await settle();
    assert.deepEqual(calls.started, ids.slice(0, 9));
    for (const id of ids) {
      calls.release(id);
      await settle();
    }
    for (const id of ids) calls.release(id);
    assert.equal(await ended, 'completed');
    assert.equal(calls.most(), 8);
  });

  it('preflight decides per call: a call proven safe is parallel, a rejected one holds nobody back', async () => {
    const calls = held();
    const run = await prepare({
      answers: [
        asks(call('a', 'run', { value: 'a' }), call('x', 'nothing'), call('b', 'run', { value: 'b' })),
        answer('Done.'),
      ],
      tools: [
        probeTool('run', {
          ...calls.options,
          descriptor: { concurrency: 'sequential' },
          preflight: () => ({ concurrency: 'parallel' }),
        }),
      ],
    });
    const ended = run.runtime.run();
    await settle();
    assert.deepEqual(calls.started, ['a', 'b']);
    calls.release('a');
    calls.release('b');
    assert.equal(await ended, 'completed');
  });

  it('is planned whole before anything runs', async () => {
    const log: string[] = [];
    await finished({
      answers: [
        asks(call('a', 'probe', { value: 'a' }), call('b', 'probe', { value: 'b' })),
        answer('Done.'),
      ],
      tools: [
        probeTool('probe', {
          preflight: ({ value = '' }) => {
            log.push(`plan ${value}`);
            return {};
          },
          execute: ({ value = '' }) => {
            log.push(`run ${value}`);
            return success({});
          },
        }),
      ],
    });
    assert.deepEqual(log, ['plan a', 'plan b', 'run a', 'run b']);
  });
});
