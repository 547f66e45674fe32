import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  problemWithAnswers,
  userInteractionTools,
  userWords,
  type UserAnswer,
  type UserInputOutcome,
  type UserInputPort,
  type UserInputRequest,
  type UserQuestion,
} from '../../../../src/agentkit/index.ts';
import { deferred } from '../support/deferred.ts';
import { secret } from '../support/plainRedactor.ts';
import { bodies, envelope, finished, person, prepare, results } from '../support/runHarness.ts';
import { answer, asks, call } from '../support/scriptedStream.ts';

const restart = {
  id: 'restart',
  header: 'Restart',
  prompt: 'Restart web-1?',
  options: [
    { id: 'yes', label: 'Yes, now', description: 'Two seconds without answers.', recommended: true },
    { id: 'no', label: 'No' },
  ],
};
const why = { id: 'why', prompt: 'Why?' };

class Desk implements UserInputPort {
  readonly requests: UserInputRequest[] = [];
  readonly signals: AbortSignal[] = [];
  outcome: UserInputOutcome | Promise<UserInputOutcome>;

  constructor(outcome: UserInputOutcome | Promise<UserInputOutcome>) {
    this.outcome = outcome;
  }

  async ask(request: UserInputRequest, signal: AbortSignal): Promise<UserInputOutcome> {
    this.requests.push(request);
    this.signals.push(signal);
    return this.outcome;
  }
}

const answered = (...answers: readonly UserAnswer[]): UserInputOutcome => ({ kind: 'answered', answers });

function asking(desk: UserInputPort, args: unknown) {
  return {
    answers: [asks(call('q', 'request_user_input', args)), answer('I see.')],
    tools: userInteractionTools({ input: desk }),
  };
}

describe('request_user_input', () => {
  it('brings one answer for each question, in the order asked', async () => {
    const desk = new Desk(
      answered(
        { questionId: 'why', selectedOptionIds: [], customText: 'It leaks.' },
        { questionId: 'restart', selectedOptionIds: ['yes'] },
      ),
    );
    const run = await finished(asking(desk, { questions: [restart, why, { id: 'more', prompt: 'More?' }] }));
    assert.equal(
      results(await run.stored())['q'],
      envelope(
        JSON.stringify({
          answers: [
            {
              answer: 'Yes, now',
              custom_text: null,
              question_id: 'restart',
              selected_option_ids: ['yes'],
            },
            { answer: 'It leaks.', custom_text: 'It leaks.', question_id: 'why', selected_option_ids: [] },
            { answer: null, custom_text: null, question_id: 'more', selected_option_ids: [] },
          ],
          returned_lines: 3,
          total_lines: 3,
          truncated: false,
        }),
      ),
    );
  });

  it('shows what is asked, and that the run waits for the user', async () => {
    const pending = deferred<UserInputOutcome>();
    const desk = new Desk(pending.promise);
    const run = await prepare(asking(desk, { questions: [restart], timeout_seconds: 20 }));
    const announced = run.next('userInputRequested');
    const state = run.runtime.run();
    const { callId, questions } = await announced;
    await run.clock.advance(0);
    assert.equal(run.runtime.state, 'waitingForUser');
    const expected: UserQuestion = {
      id: 'restart',
      header: 'Restart',
      prompt: 'Restart web-1?',
      options: [
        { id: 'yes', label: 'Yes, now', description: 'Two seconds without answers.', recommended: true },
        { id: 'no', label: 'No', recommended: false },
      ],
      multiSelect: false,
      allowCustom: true,
    };
    assert.deepEqual([callId, questions], ['q', [expected]]);
    assert.deepEqual(desk.requests, [
      {
        runId: run.runId,
        conversationId: run.conversationId,
        callId: 'q',
        questions: [expected],
        timeoutMs: 20_000,
      },
    ]);
    pending.resolve(answered());
    assert.equal(await state, 'completed');
  });

  it('keeps the answers as words of the user, for a later review', async () => {
    const desk = new Desk(answered({ questionId: 'restart', selectedOptionIds: ['no'] }));
    const run = await finished(asking(desk, { questions: [restart, why] }));
    assert.deepEqual(
      userWords(await run.stored()).map(({ provenance, text }) => [provenance, text]),
      [
        ['direct_user', 'How busy is it?'],
        ['request_user_input', '"Restart web-1?" was answered "No"'],
      ],
    );
  });

  it('keeps secrets out of what is shown and kept', async () => {
    const desk = new Desk(answered({ questionId: 'why', selectedOptionIds: [], customText: secret }));
    const run = await finished(asking(desk, { questions: [{ ...why, prompt: `Is it ${secret}?` }] }));
    assert.equal(JSON.stringify([desk.requests, await run.stored(), run.events]).includes(secret), false);
  });

  for (const [outcome, sentence] of [
    [{ kind: 'cancelled' }, 'The user closed the question without an answer.'],
    [{ kind: 'timedOut' }, 'The user did not answer within 300 seconds.'],
    [
      answered({ questionId: 'restart', selectedOptionIds: ['maybe'] }),
      'The answer was an option that was not offered.',
    ],
  ] as const)
    it(`says so when there is no answer: ${outcome.kind}`, async () => {
      const run = await finished(asking(new Desk(outcome), { questions: [restart] }));
      assert.equal(results(await run.stored())['q'], sentence);
    });

  it('takes the questions back when the user writes a message instead', async () => {
    const desk = new Desk(new Promise(() => {}));
    const run = await prepare(asking(desk, { questions: [restart] }));
    const state = run.runtime.run();
    while (desk.requests.length === 0) await run.clock.advance(0);
    assert.equal(await run.runtime.steer(person('Never mind.', run.runId)), true);
    assert.equal(await state, 'completed');
    assert.equal(
      results(await run.stored())['q'],
      'The user wrote a message instead of answering. It follows.',
    );
    assert.equal(desk.signals[0]?.aborted, true);
    assert.deepEqual(bodies(run.events, 'steeringDelivered').length, 1);
  });

  it('is withdrawn by Stop', async () => {
    const desk = new Desk(new Promise(() => {}));
    const run = await prepare(asking(desk, { questions: [restart] }));
    const state = run.runtime.run();
    while (desk.requests.length === 0) await run.clock.advance(0);
    run.runtime.stop();
    assert.equal(await state, 'cancelled');
    assert.equal(desk.signals[0]?.aborted, true);
  });

  for (const [wrong, args] of [
    ['questions: question ids must be unique', { questions: [why, why] }],
    [
      'questions[0]: option ids must be unique',
      { questions: [{ ...why, options: [1, 2].map(() => ({ id: 'a', label: 'A' })) }] },
    ],
    ['questions: ', { questions: [] }],
    ['questions: ', { questions: [1, 2, 3, 4].map((id) => ({ id: String(id), prompt: 'x' })) }],
    [
      'questions[0].options: ',
      { questions: [{ ...why, options: [1, 2, 3, 4, 5].map((id) => ({ id: String(id), label: 'x' })) }] },
    ],
    ['questions[0].header: ', { questions: [{ ...why, header: 'x'.repeat(25) }] }],
    ['timeout_seconds: ', { questions: [why], timeout_seconds: 0 }],
  ] as const)
    it(`refuses ${wrong}…`, async () => {
      const desk = new Desk(answered());
      const run = await finished(asking(desk, args));
      assert.ok(results(await run.stored())['q']?.startsWith(`Invalid arguments: ${wrong}`));
      assert.deepEqual(desk.requests, []);
    });

  it('is not there when nobody can be asked', () => assert.deepEqual(userInteractionTools({}), []));
});

describe('answers', () => {
  const choice: UserQuestion = {
    id: 'q',
    prompt: 'Which?',
    options: ['a', 'b'].map((id) => ({ id, label: id, recommended: false })),
    multiSelect: false,
    allowCustom: false,
  };
  const one = (...selectedOptionIds: readonly string[]): UserAnswer => ({
    questionId: 'q',
    selectedOptionIds,
  });

  for (const [what, question, answers, problem] of [
    ['nothing', choice, [], undefined],
    ['a skipped question', choice, [one()], undefined],
    ['one option', choice, [one('a')], undefined],
    ['two options', choice, [one('a', 'b')], 'more than one choice'],
    ['two options of several', { ...choice, multiSelect: true }, [one('a', 'b')], undefined],
    ['an option twice', { ...choice, multiSelect: true }, [one('a', 'a')], 'an option selected twice'],
    ['another option', choice, [one('c')], 'an option that was not offered'],
    ['own words', choice, [{ ...one(), customText: 'x' }], 'own words where none are taken'],
    ['allowed own words', { ...choice, allowCustom: true }, [{ ...one(), customText: 'x' }], undefined],
    [
      'an option and own words',
      { ...choice, allowCustom: true },
      [{ ...one('a'), customText: 'x' }],
      'more than one choice',
    ],
    ['two answers', choice, [one('a'), one('b')], 'two answers to one question'],
    ['another question', choice, [{ ...one(), questionId: 'z' }], 'an answer to no question'],
  ] as const)
    it(`${problem === undefined ? 'may be' : 'may not be'} ${what}`, () =>
      assert.equal(problemWithAnswers([question], answers), problem));
});
