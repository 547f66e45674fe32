import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProviderError } from '../../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import { fails, hangs, says, ScriptedModel, type Turn } from './scriptedModel.ts';
import { LibraryScene } from './libraryScene.ts';

interface Asked {
  readonly userText: string;
  readonly answerText: string;
}

async function opened(
  propose: (signal: AbortSignal) => Promise<string | undefined>,
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession; asked: Asked[] }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  const asked: Asked[] = [];
  scene.proposeTitle = ({ userText, answerText }, signal) => {
    asked.push({ userText, answerText });
    return propose(signal);
  };
  return { scene, session: await scene.library.create(), asked };
}

const titleOf = (session: ConversationSession): string => session.snapshot().summary.title;

describe('the title of a conversation', () => {
  it('is the first words at once, and what the model proposes after the first run', async () => {
    const { scene, session, asked } = await opened(async () => 'Full disk on lab', says('It is the log.'));
    await session.send('Why is the disk of lab full?');
    assert.equal(titleOf(session), 'Why is the disk of lab full?');
    await scene.settled(session);
    await scene.until(() => titleOf(session) === 'Full disk on lab');
    assert.deepEqual(asked, [{ userText: 'Why is the disk of lab full?', answerText: 'It is the log.' }]);
    assert.equal((await scene.library.list())[0]?.title, 'Full disk on lab');
  });

  it('that the store refuses does not refuse the message, whose run is under way', async () => {
    const { scene, session } = await opened(async () => undefined, says('It is the log.'));
    scene.store.runs.updateMetadata = () => Promise.reject(new Error('the disk is full'));
    await session.send('Why is it full?');
    await scene.settled(session);
    assert.deepEqual(
      session.snapshot().messages.map(({ text }) => text),
      ['Why is it full?', 'It is the log.'],
    );
    assert.ok(scene.log.includes('warn assistant: the title was not stored: the disk is full'));
  });

  it('stays what it is when the model has no proposal', async () => {
    const { scene, session } = await opened(async () => undefined, says('It is the log.'));
    await session.send('Why is it full?');
    await scene.settled(session);
    await scene.clock.advance(0);
    assert.equal(titleOf(session), 'Why is it full?');
  });

  it('stays what a person called it meanwhile', async () => {
    let propose: (title: string) => void = () => {};
    const { scene, session } = await opened(
      () => new Promise((resolve) => (propose = resolve)),
      says('It is the log.'),
    );
    await session.send('Why is it full?');
    await scene.settled(session);
    await scene.library.rename(session.id, 'My disk');
    propose('Full disk');
    await scene.clock.advance(0);
    assert.equal(titleOf(session), 'My disk');
  });

  it('is asked for once, and not after a run that failed', async () => {
    const { scene, session, asked } = await opened(
      async () => undefined,
      fails(new ProviderError({ code: 'badRequest', retryable: false })),
      says('Now.'),
      says('And now.'),
    );
    for (const text of ['One', 'Two', 'Three']) {
      await session.send(text);
      await scene.settled(session);
    }
    assert.deepEqual(asked, []);
  });

  it('is given up when the window closes', async () => {
    let signal: AbortSignal | undefined;
    const { scene, session } = await opened((given) => {
      signal = given;
      return new Promise(() => {});
    }, says('It is the log.'));
    await session.send('Why is it full?');
    await scene.settled(session);
    assert.equal(signal?.aborted, false);
    scene.library.dispose();
    assert.equal(signal.aborted, true);
  });

  it('holds nothing up', async () => {
    const { scene, session } = await opened(() => new Promise(() => {}), says('One.'), hangs('Two'));
    await session.send('First');
    await scene.settled(session);
    await session.send('Second');
    await scene.reached(session, 'writing');
    session.stop();
    await scene.settled(session);
  });
});
