import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, messageId } from '../../../../src/agentkit/index.ts';
import { AssistantActions } from '../../../../src/features/assistant/model/assistantActions.ts';
import { AssistantModel } from '../../../../src/features/assistant/model/assistantModel.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import {
  assistantMessage,
  endTexts,
  eventsOf,
  modelSetUp,
  proposedCall,
  run,
  snapshotOf,
  startedAt,
  summaryOf,
  texts,
  userMessage,
  waitingApproval,
} from './support.ts';

function actionsOf(model: AssistantModel, done: string[] = []): AssistantActions {
  return new AssistantActions({
    model,
    texts,
    describeError: (error) => (error instanceof Error ? error.message : String(error)),
    editor: {
      writeClipboard: (text) => void done.push(`clipboard ${text}`),
      openExternal: (url) => void done.push(`external ${url}`),
      openResource: (uri) => void done.push(`resource ${uri}`),
      openFile: (position) => void done.push(`file ${position.path}`),
      openFolders: () => [],
      runCommand: (command) => void done.push(command),
      openSetting: (setting) => void done.push(`setting ${setting}`),
      showError: (sentence) => void done.push(`error ${sentence}`),
      suggest: (text) => void done.push(`suggest ${text}`),
    },
  });
}

describe('what stands around the rows', () => {
  it('before the runtime is there it says so; a runtime that cannot be loaded says why', () => {
    const model = new AssistantModel({
      texts: endTexts,
      clock: new FakeClock(startedAt),
      describeError: () => 'The files of Termind are incomplete. Install it again.',
      describeFault: (fault) => fault.code,
      defaultMode: () => 'ask',
      reviewModel: () => '',
      onError: () => undefined,
    });
    assert.equal(model.head().status?.text, 'Starting');
    model.fail(new Error('no file'));
    const { status, banner } = model.head();
    assert.equal(status, undefined);
    assert.deepEqual(banner, {
      level: 'error',
      text: 'The files of Termind are incomplete. Install it again.',
      action: { id: 'showLog', label: 'Show Log' },
    });
  });

  it('the first questions name a host of the person', async () => {
    const { model, clock } = modelSetUp();
    await clock.advance(0);
    assert.deepEqual(model.head().empty?.examples[0], 'Why is the disk of lab filling up?');
  });

  it('says that nobody reviews in the mode that needs a review, and offers to choose', () => {
    let chosen = '';
    const reviewing = snapshotOf({ summary: summaryOf({ permissionMode: 'review' }) });
    const { model, library } = modelSetUp(reviewing, () => chosen);
    const banner = {
      level: 'warning',
      text: 'No review model is chosen. What is not proven to only read is denied in this mode.',
      action: { id: 'pickReviewModel', label: 'Choose Review Model…' },
    };
    assert.deepEqual([model.head().banner, model.head().composer.modeLabel], [banner, 'Approve for me']);
    chosen = library.choices[0]?.ref ?? '';
    assert.deepEqual([model.head().banner, model.reviewer?.ref], [undefined, chosen]);
    chosen = 'gone/model';
    assert.deepEqual(model.head().banner, banner);
    assert.equal(modelSetUp().model.head().banner, undefined, 'other modes need none');
  });

  it('says that the run is not reviewed any more, until the next one', () => {
    const { model, session } = modelSetUp();
    const failure = { kind: 'reviewFailed', callId: callId('call_1'), reason: '' } as const;
    const [started, timeout, open, again] = eventsOf(
      { kind: 'runStarted', prompt: userMessage('Restart it') },
      { ...failure, code: 'timeout' },
      { ...failure, code: 'breakerOpen' },
      { kind: 'runStarted', prompt: userMessage('Restart it') },
    );
    assert.ok(started && timeout && open && again);
    session.fire(started, timeout);
    assert.equal(model.head().banner, undefined);
    session.fire(open);
    assert.match(model.head().banner?.text ?? '', /^Too many security reviews of this request ended without/);
    session.fire(again);
    assert.equal(model.head().banner, undefined);
  });

  for (const [name, change, blocked] of [
    [
      'no model',
      (set) => void (set.library.choices = []),
      { reason: 'No model is set up yet.', action: { id: 'addProvider', label: 'Add Model…' } },
    ],
    [
      'a model that is not ready',
      (set) =>
        void (set.library.choices = [
          {
            ref: 'x/y',
            label: 'X',
            ready: false,
            problem: { code: 'no-keyring', stage: 'local', facts: {}, retry: 'user', outcome: 'not-sent' },
          },
        ]),
      { reason: 'fault no-keyring', action: { id: 'setKey', label: 'Set Key…' } },
    ],
    [
      'a store that cannot be written',
      (set) =>
        set.setStore({
          k: 'readOnly',
          fault: { code: 'store-newer', stage: 'local', facts: {}, retry: 'user', outcome: 'not-sent' },
        }),
      { reason: 'fault store-newer', action: { id: 'showLog', label: 'Show Log' } },
    ],
    [
      'another window',
      (set) => set.session.store({ readOnly: true }),
      {
        reason: 'Another window runs this conversation. It can be read here until it has finished.',
        action: undefined,
      },
    ],
  ] as const satisfies readonly (readonly [string, (set: ReturnType<typeof modelSetUp>) => void, unknown])[])
    it(`nothing can be sent with ${name}, and the text is not lost`, async () => {
      const set = modelSetUp();
      change(set);
      assert.deepEqual(set.model.head().composer.blocked, blocked);
      const answer = await actionsOf(set.model).send('df?');
      assert.deepEqual(answer, { ok: false, why: 'blocked', text: blocked.reason });
      assert.deepEqual(set.session.sent, []);
    });

  it('a memory store says for good that nothing is saved', () => {
    const set = modelSetUp();
    set.setStore({ k: 'memory' });
    assert.equal(
      set.model.head().banner?.text,
      'Nothing is saved in this window: the editor has no database.',
    );
  });

  it('the status names what is waited for and since when', async () => {
    const set = modelSetUp();
    set.session.fire(
      ...eventsOf(
        { kind: 'runStarted', prompt: userMessage('Look') },
        { kind: 'toolProposed', call: proposedCall('df -h') },
        {
          kind: 'toolStarted',
          callId: proposedCall('df -h').callId,
          toolName: 'ssh_exec_run',
          ground: { kind: 'proof' },
          mode: 'ask',
        },
        { kind: 'runState', state: 'waitingForHost', since: startedAt },
      ),
    );
    await set.clock.advance(6_000);
    assert.deepEqual(set.model.head().status, {
      text: 'Waiting for lab to answer',
      elapsedMs: 6_000,
      canStop: true,
    });
    set.session.fire(
      ...eventsOf({ kind: 'modelRetryScheduled', attempt: 1, delayMs: 2_000, reason: 'network' }),
    );
    assert.equal(set.model.head().status?.text, 'The model did not answer. Attempt 2 starts in 2 s');
    actionsOf(set.model).stop();
    assert.deepEqual([set.model.head().status?.text, set.session.stops], ['Stopping', 1]);
  });

  it('what is chosen before the first message holds for the conversation it begins', async () => {
    const set = modelSetUp();
    set.model.show(undefined);
    set.library.choices = [
      ...set.library.choices,
      { ref: 'b/large', label: 'Large', ready: true, problem: undefined },
    ];
    await set.model.setMode('full');
    await set.model.setModel('b/large');
    const { mode, modelLabel } = set.model.head().composer;
    assert.deepEqual([mode, modelLabel, set.model.current], ['full', 'Large', undefined]);
    await actionsOf(set.model).send('Look');
    const { permissionMode, modelRef } = set.session.stored.summary;
    assert.deepEqual([permissionMode, modelRef, set.session.sent], ['full', 'b/large', ['Look']]);
  });

  it('what is chosen is not lost when it cannot be stored: the next try plans as well', async () => {
    const set = modelSetUp();
    set.model.show(undefined);
    await set.model.setPlanning(true);
    set.session.setPlanning = () => Promise.reject(new Error('the store is busy'));
    const refusal = { ok: false, why: 'failed', text: 'the store is busy' };
    assert.deepEqual(await actionsOf(set.model).send('Look'), refusal);
    Reflect.deleteProperty(set.session, 'setPlanning');
    assert.deepEqual(await actionsOf(set.model).send('Look'), { ok: true });
    assert.deepEqual([set.session.stored.summary.planning, set.session.sent], [true, ['Look']]);
  });

  it('two messages sent at once begin one conversation', async () => {
    const set = modelSetUp();
    set.model.show(undefined);
    const actions = actionsOf(set.model);
    await Promise.all([actions.send('One'), actions.send('Two')]);
    assert.deepEqual([set.library.created, set.session.sent], [1, ['One', 'Two']]);
  });

  it('a conversation without a title is a new one', () => {
    const { model } = modelSetUp(snapshotOf({ summary: summaryOf({ title: '' }) }));
    assert.equal(model.head().title, 'New Conversation');
  });

  it('a run goes on while another conversation is shown, and is there when one comes back', async () => {
    const set = modelSetUp();
    set.session.fire(
      ...eventsOf(
        { kind: 'runStarted', prompt: userMessage('Look') },
        { kind: 'messageDelta', messageId: messageId('m1'), text: 'Half ' },
      ),
    );
    set.model.show(undefined);
    set.session.fire(...eventsOf({ kind: 'messageDelta', messageId: messageId('m1'), text: 'an answer' }));
    await set.model.open(set.session.id);
    const row = set.model.current?.transcript.row('m1', startedAt);
    assert.equal(row?.kind === 'assistant' && row.markdown, 'Half an answer');
  });

  it('an answer whose beginning was not seen is taken up', () => {
    const set = modelSetUp(
      snapshotOf({ streaming: { id: messageId('m1'), text: 'Half ', reasoning: '', since: startedAt } }),
    );
    set.session.fire(...eventsOf({ kind: 'messageDelta', messageId: messageId('m1'), text: 'an answer' }));
    const row = set.model.current?.transcript.row('m1', startedAt);
    assert.equal(row?.kind === 'assistant' && row.markdown, 'Half an answer');
  });

  it('an approval of another conversation names it', async () => {
    const set = modelSetUp();
    await set.clock.advance(0);
    set.model.show(undefined);
    set.library.wait([waitingApproval()]);
    assert.equal(set.model.head().pinned?.otherConversation, 'Disk of lab');
  });
});

describe('decisions by command', () => {
  const shown = { kind: 'shown', approvalId: 'a1', digest: 'd1', hasFocus: true } as const;

  for (const [name, note, isDecided] of [
    ['shown and focused', shown, true],
    ['shown without the focus', { ...shown, hasFocus: false }, false],
    ['another digest was shown', { ...shown, digest: 'd0' }, false],
    ['nothing was shown', undefined, false],
  ] as const)
    it(name, () => {
      const set = modelSetUp();
      set.library.wait([waitingApproval()]);
      const actions = actionsOf(set.model);
      if (note !== undefined) actions.noteShown(note);
      assert.equal(actions.decideShown('approve'), isDecided);
      assert.equal(set.library.settled.length, isDecided ? 1 : 0);
    });

  it('the next approval needs to be shown itself', () => {
    const set = modelSetUp();
    set.library.wait([waitingApproval(), waitingApproval({ id: 'a2', digest: 'd2' })]);
    const actions = actionsOf(set.model);
    actions.noteShown(shown);
    assert.equal(actions.decideShown('approve'), true);
    assert.equal(actions.decideShown('approve'), false);
    assert.equal(set.library.settled.length, 1);
  });
});

describe('what a notice offers', () => {
  it('does what it says', async () => {
    const set = modelSetUp(
      snapshotOf({ messages: [assistantMessage('x')], runs: [{ id: run, state: 'interrupted', startedAt }] }),
    );
    const done: string[] = [];
    const actions = actionsOf(set.model, done);
    for (const action of [
      'addProvider',
      'setKey',
      'pickModel',
      'pickReviewModel',
      'openSettings',
      'clearScratch',
      'newConversation',
      'showLog',
    ] as const)
      actions.act(action, undefined);
    actions.act('suggestCheck', set.model.current?.transcript.ids.at(-1));
    actions.act('retry', undefined);
    await set.clock.advance(0);
    assert.deepEqual(done, [
      'termind.provider.add',
      'termind.provider.setKey',
      'termind.model.pick',
      'termind.review.pickModel',
      'setting termind.providers',
      'termind.scratch.clear',
      'termind.assistant.newConversation',
      'termind.log.show',
      'suggest Go on where you were interrupted.',
    ]);
    assert.equal(set.session.retries, 1);
    set.session.refusal = new Error('Another window is writing.');
    actions.act('retry', undefined);
    await set.clock.advance(0);
    assert.equal(done.at(-1), 'error Another window is writing.');
  });
});
