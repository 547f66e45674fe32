import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  approvalId,
  callId,
  messageId,
  runId,
  type RunAnswer,
  type UserInputOutcome,
  type UserInputRequest,
  type UserMessage,
} from '../../../../src/agentkit/index.ts';
import { ApprovalQueue } from '../../../../src/application/assistant/approvalQueue.ts';
import { CardQueue, unseenMs } from '../../../../src/application/assistant/cardQueue.ts';
import { QuestionQueue } from '../../../../src/application/assistant/questionQueue.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { approvalRequest, conversation } from './approvals.ts';

const never = new AbortController().signal;
const run = runId('r1');

function scene() {
  const clock = new FakeClock();
  const cards = new CardQueue(clock);
  const questions = new QuestionQueue(cards, clock);
  const approvals = new ApprovalQueue({ targetedCalls: () => [] }, cards);
  const ask = (parts: Partial<UserInputRequest> = {}, signal = never): Promise<UserInputOutcome> =>
    questions.userInput.ask(
      {
        runId: run,
        conversationId: conversation,
        callId: callId('q'),
        questions: [
          {
            id: 'restart',
            prompt: 'Restart web-1?',
            options: [{ id: 'yes', label: 'Yes', recommended: false }],
            multiSelect: false,
            allowCustom: false,
          },
        ],
        timeoutMs: 300_000,
        ...parts,
      },
      signal,
    );
  const askRun = (signal = never): Promise<RunAnswer> =>
    questions.runQuestions.ask(
      { kind: 'loop', repeats: 5, toolNames: ['probe'], runId: run, conversationId: conversation },
      signal,
    );
  const head = (): string => cards.waiting[0]?.id ?? 'none';
  return { clock, cards, questions, approvals, ask, askRun, head };
}

const yes = [{ questionId: 'restart', selectedOptionIds: ['yes'] }];
const written: UserMessage = {
  role: 'user',
  id: messageId('m'),
  runId: run,
  createdAt: 1,
  text: 'Try the other log.',
  images: [],
  origin: { kind: 'person' },
  context: {},
};

describe('the queue of cards', () => {
  it('holds approvals and questions in the order in which they came', () => {
    const { questions, approvals, ask, askRun } = scene();
    void ask();
    void approvals.decide({ request: approvalRequest() }, never);
    void askRun();
    questions.noteShown(questions.waiting[1]?.id ?? '');
    questions.noteShown(questions.waiting[0]?.id ?? '');
    assert.deepEqual(
      questions.waiting.map(({ subject, shownAt }) => [subject.kind, shownAt]),
      [
        ['questions', 1_700_000_000_000],
        ['approval', undefined],
        ['run', undefined],
      ],
    );
  });

  it('is answered by what fits the question, and by nothing else', async () => {
    const { questions, ask, head } = scene();
    const outcome = ask();
    const id = head();
    assert.equal(
      questions.answerQuestions(id, [{ questionId: 'restart', selectedOptionIds: ['no'] }]),
      false,
    );
    assert.equal(questions.answerQuestions('foreign', yes), false);
    assert.equal(questions.decideRun(id, 'continue'), false);
    assert.equal(questions.answerQuestions(id, yes), true);
    assert.deepEqual(await outcome, { kind: 'answered', answers: yes });
    assert.equal(questions.answerQuestions(id, yes), false);
    assert.deepEqual(questions.waiting, []);
  });

  it('starts the time to answer when the question is the first and a screen shows it', async () => {
    const { clock, approvals, ask, cards, head } = scene();
    const decision = approvals.decide({ request: approvalRequest() }, never);
    const outcome = ask({ timeoutMs: 20_000 });
    await clock.advance(600_000);
    assert.equal(cards.waiting.length, 2);
    approvals.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    await decision;
    assert.equal(cards.waiting[0]?.shownAt, undefined);
    await clock.advance(600_000);
    cards.noteShown(head());
    assert.equal(cards.waiting[0]?.shownAt, clock.now());
    await clock.advance(10_000);
    cards.noteShown(head());
    await clock.advance(9_999);
    assert.equal(cards.waiting.length, 1);
    await clock.advance(1);
    assert.deepEqual(await outcome, { kind: 'timedOut' });
    assert.equal(clock.pending, 0);
  });

  it('starts the time to answer without a screen when nobody looked for half an hour', async () => {
    const { clock, ask, cards } = scene();
    const outcome = ask({ timeoutMs: 20_000 });
    await clock.advance(unseenMs);
    assert.equal(cards.waiting[0]?.shownAt, clock.now());
    await clock.advance(19_999);
    assert.equal(cards.waiting.length, 1);
    await clock.advance(1);
    assert.deepEqual(await outcome, { kind: 'timedOut' });
    assert.equal(clock.pending, 0);
  });

  it('leaves no clock behind an answer', async () => {
    const { clock, questions, ask, head } = scene();
    const outcome = ask();
    questions.answerQuestions(head(), yes);
    await outcome;
    assert.equal(clock.pending, 0);
  });

  it('takes questions back when the run is stopped, and gives the place to the next', async () => {
    const { cards, ask, askRun, head } = scene();
    const stop = new AbortController();
    const first = ask({}, stop.signal);
    const second = askRun(stop.signal);
    const third = ask();
    stop.abort(new Error('stop'));
    assert.deepEqual(await first, { kind: 'cancelled' });
    assert.deepEqual(await second, { kind: 'stop' });
    assert.deepEqual(
      cards.waiting.map(({ subject }) => subject.kind),
      ['questions'],
    );
    cards.noteShown(head());
    assert.notEqual(cards.waiting[0]?.shownAt, undefined);
    void third;
  });

  it('can be closed without an answer', async () => {
    const { questions, ask, head } = scene();
    const outcome = ask();
    assert.equal(questions.cancelQuestions(head()), true);
    assert.deepEqual(await outcome, { kind: 'cancelled' });
  });

  it('asks nobody about what belongs to no conversation, or to a run that is stopped', async () => {
    const { questions, cards, askRun } = scene();
    const { conversationId: _, ...homeless } = {
      runId: run,
      conversationId: conversation,
      callId: callId('q'),
      questions: [],
      timeoutMs: 1,
    };
    assert.deepEqual(await questions.userInput.ask(homeless, never), { kind: 'cancelled' });
    assert.deepEqual(await askRun(AbortSignal.abort(new Error('stop'))), { kind: 'stop' });
    assert.deepEqual(cards.waiting, []);
  });

  it('lets a run go on, or stops it', async () => {
    for (const verdict of ['continue', 'stop'] as const) {
      const { questions, askRun, head } = scene();
      const answer = askRun();
      assert.equal(questions.decideRun(head(), verdict), true);
      assert.deepEqual(await answer, { kind: verdict });
    }
  });

  it('takes a message for the answer to a loop, and to nothing else', async () => {
    const { questions, askRun } = scene();
    const answer = askRun();
    assert.equal(questions.answerLoop(runId('another'), written), false);
    assert.equal(questions.answerLoop(run, written), true);
    assert.deepEqual(await answer, { kind: 'message', message: written });
    void questions.runQuestions.ask(
      {
        kind: 'ceiling',
        unit: 'turns',
        used: 5,
        limit: 5,
        more: 5,
        runId: run,
        conversationId: conversation,
      },
      never,
    );
    assert.equal(questions.answerLoop(run, written), false);
  });

  it('cancels questions and stops runs when the window closes', async () => {
    const { questions, ask, askRun, cards } = scene();
    const [asked, run2] = [ask(), askRun()];
    questions.dispose();
    assert.deepEqual([await asked, await run2], [{ kind: 'cancelled' }, { kind: 'stop' }]);
    assert.deepEqual([await ask(), await askRun()], [{ kind: 'cancelled' }, { kind: 'stop' }]);
    assert.deepEqual(cards.waiting, []);
  });

  it('lets a listener settle a card in the moment it comes', async () => {
    const { questions, approvals, ask, cards } = scene();
    cards.onDidChange(() => {
      const [first] = cards.waiting;
      if (first?.subject.kind === 'questions') questions.answerQuestions(first.id, yes);
      if (first?.subject.kind === 'approval')
        approvals.settle({ approvalId: first.id, shownDigest: 'd1', verdict: 'deny' });
    });
    assert.deepEqual(await ask(), { kind: 'answered', answers: yes });
    assert.equal(
      (await approvals.decide({ request: approvalRequest({ id: approvalId('a2') }) }, never)).verdict,
      'deny',
    );
    assert.deepEqual(cards.waiting, []);
  });
});
