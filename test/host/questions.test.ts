import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import {
  callId,
  newConversationId,
  newRunId,
  systemClock,
  type UserInputOutcome,
  type UserQuestion,
} from '../../src/agentkit/index.ts';
import { CardQueue } from '../../src/application/assistant/cardQueue.ts';
import { QuestionQueue } from '../../src/application/assistant/questionQueue.ts';
import { showQuestions } from '../../src/features/assistant/editor/questionPrompts.ts';
import { until } from '../e2e/harness/until.ts';

const environment: UserQuestion = {
  id: 'where',
  prompt: 'Which host?',
  options: [
    { id: 'web', label: 'web-1', recommended: false },
    { id: 'db', label: 'db-1', recommended: true },
  ],
  multiSelect: false,
  allowCustom: false,
};

/** Runs an editor command again and again until the promise is settled: a picker tells nobody when it is drawn. */
async function settledBy<T>(command: string, promise: Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  void promise.then((value) => (result = { value }));
  const { value } = await until({
    what: `an answer by ${command}`,
    probe: async () => {
      await vscode.commands.executeCommand(command);
      return result;
    },
  });
  return value;
}

describe('questions of a model in the editor', () => {
  function desk() {
    const cards = new CardQueue(systemClock);
    const queue = new QuestionQueue(cards, systemClock);
    const shown = showQuestions(queue, (error) => assert.fail(String(error)));
    const stop = new AbortController();
    const ask = (timeoutMs = 60_000): Promise<UserInputOutcome> =>
      queue.userInput.ask(
        {
          runId: newRunId(),
          conversationId: newConversationId(),
          callId: callId('c'),
          questions: [environment],
          timeoutMs,
        },
        stop.signal,
      );
    const dispose = (): void => {
      shown.dispose();
      queue.dispose();
      cards.dispose();
    };
    return { queue, ask, stop, dispose };
  }

  it('are answered by picking', async () => {
    const { ask, dispose } = desk();
    const outcome = await settledBy('workbench.action.acceptSelectedQuickOpenItem', ask());
    assert.deepEqual(outcome, {
      kind: 'answered',
      answers: [{ questionId: 'where', selectedOptionIds: ['web'] }],
    });
    dispose();
  });

  it('are cancelled by leaving', async () => {
    const { ask, dispose } = desk();
    assert.deepEqual(await settledBy('workbench.action.closeQuickOpen', ask()), { kind: 'cancelled' });
    dispose();
  });

  it('are withdrawn by Stop', async () => {
    const { ask, stop, dispose } = desk();
    const first = ask();
    stop.abort(new Error('stopped'));
    assert.deepEqual(await first, { kind: 'cancelled' });
    dispose();
  });

  it('stop a run that goes in circles unless the person says otherwise', async () => {
    const { queue, dispose } = desk();
    const answer = queue.runQuestions.ask(
      {
        kind: 'loop',
        repeats: 5,
        toolNames: ['list_hosts'],
        runId: newRunId(),
        conversationId: newConversationId(),
      },
      new AbortController().signal,
    );
    assert.deepEqual(await settledBy('workbench.action.closeQuickOpen', answer), { kind: 'stop' });
    dispose();
  });
});
