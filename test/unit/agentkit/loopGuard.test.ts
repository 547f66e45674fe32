import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  newRunId,
  type RunAnswer,
  type RunQuestion,
  type RunQuestionPort,
} from '../../../src/agentkit/index.ts';
import { probeTool, success } from './support/probeTool.ts';
import { bodies, failureOf, finished, person, prepare, type PreparedRun } from './support/runHarness.ts';
import { answer, asks, call, type Step } from './support/scriptedStream.ts';

const note = (repeats: number): string =>
  `The same calls have given the same results ${String(repeats)} times in a row. Repeating them again will not help: try another approach, or tell the user what is missing.`;

/** The same call so many times, each in a turn of its own. */
function turns(count: number, ...calls: Parameters<typeof call>[]): (readonly Step[])[] {
  return Array.from({ length: count }, (_, turn) =>
    asks(
      ...(calls.length === 0 ? [['c', 'probe', { value: 'x' }] as const] : calls).map(([id, name, args]) =>
        call(`${id}${String(turn)}`, name, args),
      ),
    ),
  );
}

function answering(...answers: readonly RunAnswer[]): RunQuestionPort & { readonly asked: RunQuestion[] } {
  const left = [...answers];
  const asked: RunQuestion[] = [];
  return {
    asked,
    ask: (question) => {
      asked.push(question);
      const next = left.shift();
      return next === undefined ? Promise.reject(new Error('nobody is there')) : Promise.resolve(next);
    },
  };
}

const notes = (run: PreparedRun): readonly number[] =>
  bodies(run.events, 'loopNoted').map((body) => body.repeats);

describe('the loop guard', () => {
  it('3 equal results bring a note, which the model reads behind the results', async () => {
    const run = await finished({ answers: [...turns(3), answer('Another way.')], tools: [probeTool()] });
    assert.deepEqual(notes(run), [3]);
    const asked = run.model.requests.at(-1)?.items.at(-1);
    assert.deepEqual([asked?.role, asked?.text], ['user', note(3)]);
    const stored = (await run.stored()).find((row) => row.role === 'user' && row.origin.kind === 'runtime');
    assert.equal(stored?.text, note(3));
  });

  it('2 bring nothing', async () => {
    assert.deepEqual(
      notes(await finished({ answers: [...turns(2), answer('x')], tools: [probeTool()] })),
      [],
    );
  });

  it('5 bring a question; Continue starts the count over', async () => {
    const questions = answering({ kind: 'continue' });
    const run = await finished({
      answers: [...turns(9), answer('Done.')],
      tools: [probeTool()],
      options: { questions },
    });
    assert.equal(run.state, 'completed');
    assert.deepEqual(notes(run), [3, 5, 3]);
    const { runId, conversationId } = run;
    assert.deepEqual(questions.asked, [
      { kind: 'loop', repeats: 5, toolNames: ['probe'], runId, conversationId },
    ]);
    assert.ok(bodies(run.events, 'runState').some((body) => body.state === 'waitingForUser'));
  });

  it('Stop ends the run as cancelled', async () => {
    const questions = answering({ kind: 'stop' });
    const run = await finished({ answers: turns(5), tools: [probeTool()], options: { questions } });
    assert.equal(run.state, 'cancelled');
  });

  it('a message goes on, and the model reads it next', async () => {
    const message = person('Look in /var/log instead.', newRunId());
    const questions = answering({ kind: 'message', message });
    const run = await finished({
      answers: [...turns(5), answer('Ah.')],
      tools: [probeTool()],
      options: { questions },
    });
    assert.equal(run.state, 'completed');
    assert.equal(run.model.requests.at(-1)?.items.at(-1)?.text, message.text);
    assert.deepEqual(bodies(run.events, 'steeringDelivered'), [{ kind: 'steeringDelivered', message }]);
  });

  for (const [name, questions] of [
    ['nobody can be asked', undefined],
    ['the question gets no answer', answering()],
  ] as const)
    it(`ends the run when ${name}`, async () => {
      const run = await finished({
        answers: turns(5),
        tools: [probeTool()],
        options: { ...(questions && { questions }) },
      });
      assert.deepEqual([run.state, failureOf(run.events)], ['failed', 'loopStopped']);
    });

  it('arguments are the same in any order and with nulls', async () => {
    const run = await finished({
      answers: [
        asks(call('a', 'probe', '{"value":"x","number":1}')),
        asks(call('b', 'probe', '{"number":1,"value":"x"}')),
        asks(call('c', 'probe', '{"number":1, "value":"x" }')),
        answer('x'),
      ],
      tools: [probeTool()],
    });
    assert.deepEqual(notes(run), [3]);
  });

  it('a batch that repeats is caught, also when no single call repeats in a row', async () => {
    const run = await finished({
      answers: [...turns(3, ['a', 'probe', { value: 'x' }], ['b', 'probe', { value: 'y' }]), answer('x')],
      tools: [probeTool()],
    });
    assert.deepEqual(notes(run), [3]);
  });

  it('calls that repeat within one turn are caught', async () => {
    const same = ['a', 'b', 'c'].map((id) => call(id, 'probe'));
    assert.deepEqual(
      notes(await finished({ answers: [asks(...same), answer('x')], tools: [probeTool()] })),
      [3],
    );
  });

  it('a changing poll brings neither', async () => {
    let times = 0;
    const run = await finished({
      answers: [...turns(8), answer('x')],
      tools: [probeTool('probe', { execute: () => success({ percent: ++times }) })],
    });
    assert.deepEqual(notes(run), []);
  });

  it('a result that differs only in time, marker, path or what its tool calls volatile is the same', async () => {
    let times = 0;
    const run = await finished({
      answers: [...turns(3), answer('x')],
      tools: [
        probeTool('probe', {
          descriptor: { volatile: ['exec_id'] },
          execute: () => {
            times++;
            return success({
              duration_ms: times,
              waited_ms: times,
              started_at: String(times),
              exec_id: `e${String(times)}`,
            });
          },
        }),
      ],
    });
    assert.deepEqual(notes(run), [3]);
  });

  it('a poll that waits brings neither', async () => {
    const run = await prepare({
      answers: [...turns(6), answer('Done.')],
      tools: [
        probeTool('probe', {
          execute: async (_args, context) => {
            await run.clock.sleep(5_000, context.signal);
            return success({ status: 'running' });
          },
        }),
      ],
    });
    const ended = run.runtime.run();
    await run.clock.advance(30_000);
    assert.equal(await ended, 'completed');
    assert.deepEqual(notes(run), []);
  });

  it('a reply of too many calls that repeats is caught as a turn', async () => {
    const many = (turn: number): readonly Step[] =>
      asks(...Array.from({ length: 129 }, (_, at) => call(`c${String(turn)}-${String(at)}`, 'probe')));
    const run = await finished({ answers: [many(1), many(2), many(3), answer('x')], tools: [probeTool()] });
    assert.deepEqual(notes(run), [3]);
  });
});

describe('the ceilings of a run', () => {
  it('at the ceiling of turns the run asks, and goes on with the same allowance', async () => {
    const questions = answering({ kind: 'continue' }, { kind: 'stop' });
    let times = 0;
    const run = await finished({
      answers: turns(4),
      tools: [probeTool('probe', { execute: () => success({ times: ++times }) })],
      options: { questions, ceilings: { turns: 2 } },
    });
    assert.equal(run.state, 'cancelled');
    assert.deepEqual(
      questions.asked.map(
        (question) => question.kind === 'ceiling' && [question.unit, question.used, question.limit],
      ),
      [
        ['turns', 2, 2],
        ['turns', 4, 4],
      ],
    );
  });

  it('a cost ceiling counts what the price table says, and nothing without a price', async () => {
    const usage: Step = { kind: 'usage', usage: { inputTokens: 100 } };
    const answers = [[usage, ...asks(call('a', 'probe'))], answer('Done.')];
    const ceilings = { cost: 0.5 };
    const priced = await finished({
      answers,
      tools: [probeTool()],
      options: { ceilings, price: ({ inputTokens = 0 }) => inputTokens / 100 },
    });
    assert.deepEqual(bodies(priced.events, 'failed')[0]?.failure, {
      code: 'ceilingReached',
      message: 'The ceiling of 0.5 cost for one run was reached.',
      facts: { limit: '0.5', unit: 'cost' },
    });
    assert.equal(
      (await finished({ answers, tools: [probeTool()], options: { ceilings } })).state,
      'completed',
    );
  });
});
