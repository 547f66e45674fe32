import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callTexts, toolResultMessageId, callId, type Message } from '../../../src/agentkit/index.ts';
import { settle } from '../../support/fakeClock.ts';
import { probeTool, success } from './support/probeTool.ts';
import { bench, finished, prepare, results, type Bench } from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';

/** A process that dies in the middle: its run is never heard of again, and another window finds it later. */
async function killedInMidBatch(): Promise<Bench> {
  const on = await bench();
  const run = await prepare({
    on,
    prompt: 'Clean up.',
    answers: [
      asks(
        call('done', 'act', { value: 'done' }),
        call('hangs', 'act', { value: 'hangs' }),
        call('waits', 'act'),
      ),
    ],
    tools: [
      probeTool('act', {
        descriptor: { concurrency: 'sequential' },
        execute: ({ value }) => (value === 'done' ? success({ ok: 1 }) : new Promise(() => {})),
      }),
    ],
  });
  void run.runtime.run();
  await settle();
  await settle();
  on.store.renewLease = () => new Promise(() => {});
  await on.clock.advance(60_000);
  on.store.before = () => {};
  return on;
}

describe('a conversation whose process died in mid-batch', () => {
  it('vector 14: materialises what had finished, answers the rest as unknown, and runs nothing', async () => {
    const on = await killedInMidBatch();
    assert.deepEqual(
      (await on.store.interruptLapsedRuns()).map((run) => run.state),
      ['interrupted'],
    );
    const restored = (await on.store.load(on.conversationId))?.messages ?? [];
    assert.deepEqual(Object.keys(results(restored)), ['done'], 'first step: the recorded result has a row');
    const run = await finished({
      on,
      prompt: 'What happened?',
      answers: [answer('I do not know.')],
      tools: [probeTool('act', { execute: () => assert.fail('it ran again') })],
    });
    assert.equal(run.state, 'completed');
    assert.deepEqual(
      run.model.requests[0]?.items.map((item) =>
        item.role === 'tool' ? [item.callId, item.text] : item.role,
      ),
      [
        'user',
        'assistant',
        ['done', '<untrusted-data>\n{"ok":1}\n</untrusted-data>'],
        ['hangs', callTexts.unknown],
        ['waits', callTexts.unknown],
        'user',
      ],
    );
  });

  it('stores those answers, so that every later request and every window sees the same', async () => {
    const on = await killedInMidBatch();
    await on.store.interruptLapsedRuns();
    const first = await finished({ on, prompt: 'What happened?', answers: [answer('I do not know.')] });
    const second = await finished({ on, prompt: 'And now?', answers: [answer('Still not.')] });
    const [before, after] = [first.model.requests[0]?.items ?? [], second.model.requests[0]?.items ?? []];
    assert.deepEqual(after.slice(0, before.length), before);
    const stored = await second.stored();
    const died = stored[0]?.runId;
    assert.ok(died);
    const row = stored.find((message) => message.id === toolResultMessageId(died, callId('hangs')));
    assert.deepEqual(row?.role === 'tool' && [row.text, row.isError, row.outcome], [
      callTexts.unknown,
      true,
      'unknown',
    ]);
  });

  it('keeps call ids apart when a server counts from zero in every run', async () => {
    const on = await bench();
    const set = { on, tools: [probeTool()] };
    await finished({ ...set, prompt: 'One.', answers: [asks(call('call_0', 'probe')), answer('x')] });
    const second = await finished({
      ...set,
      prompt: 'Two.',
      answers: [asks(call('call_0', 'probe')), answer('x')],
    });
    const ids = (messages: readonly Message[]): readonly string[] =>
      messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map((one) => one.id) : []));
    const all = ids(await second.stored());
    assert.equal(new Set(all).size, 2);
    assert.equal(second.model.requests[1]?.items.filter((item) => item.role === 'tool').length, 2);
  });

  it('Retry answers the same prompt without writing it again', async () => {
    const on = await bench();
    await finished({ on, answers: [answer('Bad answer.')] });
    const [prompt] = (await on.store.load(on.conversationId))?.messages ?? [];
    assert.ok(prompt?.role === 'user');
    const run = await finished({ on, answers: [answer('Good answer.')], options: { prompt } });
    assert.deepEqual(
      (await run.stored()).map((row) => row.text),
      ['How busy is it?', 'Bad answer.', 'Good answer.'],
    );
  });

  it('Retry tells the model that plan mode was switched since, behind what stays as it was', async () => {
    const on = await bench();
    await finished({ on, answers: [answer('Bad answer.')] });
    const [prompt] = (await on.store.load(on.conversationId))?.messages ?? [];
    assert.ok(prompt?.role === 'user');
    const asked = [];
    for (const planning of [true, true, false]) {
      const run = await finished({ on, answers: [answer('Plan.')], options: { prompt, planning } });
      asked.push(run.model.requests[0]?.items.slice(1).map(({ text }) => text) ?? []);
    }
    const again = 'The user asks for another try at the last message.';
    const first = ['Bad answer.', 'plan_mode: Plan first.', again];
    assert.deepEqual(asked, [
      first,
      [...first, 'Plan.'],
      [...first, 'Plan.', 'Plan.', 'plan_mode: none', again],
    ]);
  });
});
