import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { LabWindow } from './labWindow.ts';
import { calls, says } from './scripts.ts';

describe('a plan and a title, over the wire and in the real store', () => {
  let model: ScriptedModel;
  let window: LabWindow;

  beforeEach(async () => {
    model = await startScriptedModel({ title: 'Free the disk of lab' });
    window = new LabWindow({ sshConfig: '', baseUrl: model.baseUrl });
  });
  afterEach(async () => {
    window.close();
    window.remove();
    await model.stop();
    assert.deepEqual(model.violations, []);
  });

  it('are made, kept, and implemented by a run that acts', async () => {
    model.enqueue(
      calls({ id: 'w', name: 'scratch_write', args: { path: 'plan.md', content: '# Plan\n1. df -h\n' } }),
      calls({ id: 'p', name: 'present_plan', args: { title: 'Free the disk', scratch_path: 'plan.md' } }),
      says('Implemented.'),
    );
    const session = await window.services.assistant.create();
    const named = new Promise<void>((resolve) => {
      session.onDidChange(() => {
        if (session.snapshot().summary.title === 'Free the disk of lab') resolve();
      });
    });
    await session.setPlanning(true);
    await session.send('Free the disk');
    await window.settled(session);
    assert.equal(session.snapshot().plan?.plan, '# Plan\n1. df -h\n');
    await session.implementPlan('p');
    await window.settled(session);
    await withinDeadline('the title', named);
    const { directory } = window;
    window.close();
    window = new LabWindow({ sshConfig: '', baseUrl: model.baseUrl, directory });
    const again = await window.services.assistant.open(session.id);
    const { plan, summary, messages } = again?.snapshot() ?? {};
    assert.deepEqual(
      [plan?.outcome, summary?.planning, summary?.title, messages?.at(-1)?.text],
      ['implemented', false, 'Free the disk of lab', 'Implemented.'],
    );
    const posted = model.requests.at(-1)?.conversation.messages.map(({ text }) => text) ?? [];
    assert.match(posted[1] ?? '', /^<context name="connected_hosts">|^<context name="plan_mode">/);
    assert.match(posted.at(-2) ?? '', /Plan mode is off/);
  });

  it('a question of the model is answered on its card', async () => {
    const question = { id: 'which', prompt: 'Which disk?', options: [{ id: 'root', label: 'The root' }] };
    model.enqueue(
      calls({ id: 'q', name: 'request_user_input', args: { questions: [question] } }),
      says('The root, then.'),
    );
    const { cards } = window.services.assistant;
    const asked = new Promise<string>((resolve) => {
      cards.onDidChange(() => {
        const [first] = cards.waiting;
        if (first?.subject.kind === 'questions') resolve(first.id);
      });
    });
    const session = await window.services.assistant.create();
    await session.send('Grow it');
    const id = await withinDeadline('the question', asked);
    assert.equal(cards.answerQuestions(id, [{ questionId: 'which', selectedOptionIds: ['root'] }]), true);
    await window.settled(session);
    const posted = model.requests.at(-1)?.conversation.messages.at(-1);
    assert.match(posted?.role === 'tool' ? posted.text : '', /"answer":"The root"/);
  });
});
