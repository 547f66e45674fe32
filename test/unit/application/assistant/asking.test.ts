import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import { calls, says, ScriptedModel, type Turn } from './scriptedModel.ts';
import { LibraryScene } from './libraryScene.ts';

const question = {
  name: 'request_user_input',
  args: { questions: [{ id: 'which', prompt: 'Which disk?', options: [{ id: 'root', label: 'The root' }] }] },
  id: 'q',
};

async function opened(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  return { scene, session: await scene.library.create() };
}

const firstCard = (scene: LibraryScene) => {
  const [card] = scene.library.cards.waiting;
  assert.ok(card, 'a card waits');
  return card;
};

/** Calls that repeat until somebody is asked. */
const circles = (count: number): readonly Turn[] =>
  Array.from({ length: count }, () => calls({ name: 'list_hosts', args: {} }));

describe('a model that asks', () => {
  it('gets the answer that the person gave on the card', async () => {
    const { scene, session } = await opened(calls(question), says('The root, then.'));
    await session.send('Grow the disk');
    await scene.reached(session, 'waitingForUser');
    const card = firstCard(scene);
    assert.deepEqual(
      [card.conversationId, card.subject.kind, card.shownAt],
      [session.id, 'questions', undefined],
    );
    const answers = [{ questionId: 'which', selectedOptionIds: ['root'] }];
    assert.equal(scene.library.cards.answerQuestions(card.id, answers), true);
    await scene.settled(session);
    assert.match(scene.model.said(1).at(-1) ?? '', /"answer":"The root"/);
    assert.deepEqual(scene.library.cards.waiting, []);
  });

  it('reads the message that was written instead, and the card goes', async () => {
    const { scene, session } = await opened(calls(question), says('I wait.'));
    await session.send('Grow the disk');
    await scene.reached(session, 'waitingForUser');
    await session.send('Not now.');
    await scene.settled(session);
    assert.deepEqual(scene.model.said(1).slice(-2), [
      'error q: The user wrote a message instead of answering. It follows.',
      'user: Not now.',
    ]);
    assert.deepEqual(scene.library.cards.waiting, []);
  });
});

describe('a run that goes in circles', () => {
  it('asks on a card, and goes on when it may', async () => {
    const { scene, session } = await opened(...circles(5), says('Done.'));
    await session.send('Go');
    await scene.reached(session, 'waitingForUser');
    const { id, subject } = firstCard(scene);
    assert.deepEqual(subject, {
      kind: 'run',
      question: { kind: 'loop', repeats: 5, toolNames: ['list_hosts'] },
    });
    assert.equal(scene.library.cards.decideRun(id, 'continue'), true);
    await scene.settled(session);
    assert.equal(session.snapshot().summary.run?.state, 'completed');
  });

  it('takes a message in the composer for the answer', async () => {
    const { scene, session } = await opened(...circles(5), says('I see.'));
    await session.send('Go');
    await scene.reached(session, 'waitingForUser');
    await session.send('Look at lab only.');
    await scene.settled(session);
    assert.equal(scene.model.said(5).at(-1), 'user: Look at lab only.');
    assert.deepEqual(
      session.snapshot().messages.filter(({ text }) => text === 'Look at lab only.').length,
      1,
    );
    assert.deepEqual(session.snapshot().queued, []);
  });

  it('is stopped by the card', async () => {
    const { scene, session } = await opened(...circles(5));
    await session.send('Go');
    await scene.reached(session, 'waitingForUser');
    scene.library.cards.decideRun(firstCard(scene).id, 'stop');
    await scene.settled(session);
    assert.equal(session.snapshot().summary.run?.state, 'cancelled');
  });
});

describe('a run with a ceiling', () => {
  it('asks at the ceiling of turns, and gets the same allowance again', async () => {
    const { scene, session } = await opened(
      calls({ name: 'list_hosts', args: {} }),
      calls({ name: 'list_hosts', args: { limit: 1 } }),
      says('Done.'),
    );
    scene.limits = { ceilings: { turns: 2 }, price: undefined };
    await session.send('Go');
    await scene.reached(session, 'waitingForUser');
    const { id, subject } = firstCard(scene);
    assert.deepEqual(subject, {
      kind: 'run',
      question: { kind: 'ceiling', unit: 'turns', used: 2, limit: 2, more: 2 },
    });
    scene.library.cards.decideRun(id, 'continue');
    await scene.settled(session);
    assert.equal(session.snapshot().messages.at(-1)?.text, 'Done.');
  });

  it('says when its ceiling of cost cannot be kept', async () => {
    const { scene, session } = await opened();
    assert.equal(session.snapshot().costCeiling, 'off');
    scene.limits = { ceilings: { cost: 1 }, price: undefined };
    assert.equal(session.snapshot().costCeiling, 'noPrice');
    scene.limits = { ceilings: { cost: 1 }, price: () => 0.5 };
    assert.equal(session.snapshot().costCeiling, 'enforced');
  });
});
