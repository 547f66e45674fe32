import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callTexts, conversationId, ProviderError } from '../../../../src/agentkit/index.ts';
import type {
  ConversationSession,
  WaitingApproval,
} from '../../../../src/application/assistant/assistantLibrary.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { calls, fails, hangs, says, ScriptedModel, type Turn } from './scriptedModel.ts';
import { db, lab, LibraryScene } from './libraryScene.ts';

const run = (command: string, more: object = {}, host = lab): { name: string; args: object } => ({
  name: 'ssh_exec_run',
  args: { host_id: host.id, command, ...more },
});

async function opened(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  scene.host.plays({ 'df -h': { code: 0, output: 'disk is 94% full\n' }, 'rm /tmp/a': { code: 0 } });
  return { scene, session: await scene.library.create() };
}

function answerFirst(scene: LibraryScene, verdict: 'approve' | 'deny', reason?: string): boolean {
  const [waiting] = scene.library.approvals.waiting;
  assert.ok(waiting, 'an approval waits');
  const { id, digest } = waiting.request;
  return scene.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict, reason });
}

function firstShown(scene: LibraryScene): Partial<WaitingApproval> {
  const [waiting] = scene.library.approvals.waiting;
  return { before: waiting?.before ?? [], targetChanged: waiting?.targetChanged ?? false };
}

describe('a conversation', () => {
  it('answers a message, is named after it and is listed', async () => {
    const { scene, session } = await opened(says('Hello.'));
    await session.send('Why is the disk of lab filling up?');
    await scene.settled(session);
    const { summary, messages, runs } = session.snapshot();
    assert.deepEqual(
      messages.map((message) => [message.role, message.text]),
      [
        ['user', 'Why is the disk of lab filling up?'],
        ['assistant', 'Hello.'],
      ],
    );
    assert.equal(summary.title, 'Why is the disk of lab filling up?');
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['completed'],
    );
    assert.deepEqual(await scene.library.list(), [summary]);
  });

  it('shows the same behind a run as what is stored', async () => {
    const { scene, session } = await opened(calls(run('df -h')), says('94 %.'));
    await session.send('How full is lab?');
    await scene.settled(session);
    const stored = await scene.store.runs.load(session.id);
    const { messages, calls: shown, runs, summary } = session.snapshot();
    assert.deepEqual(
      { messages, calls: shown, runs, summary },
      { messages: stored?.messages, calls: stored?.calls, runs: stored?.runs, summary: stored?.summary },
    );
  });

  it('shows a streaming answer to whoever opens it in the middle', async () => {
    const { scene, session } = await opened(hangs('Let me '));
    await session.send('Hi');
    await scene.reached(session, 'writing');
    assert.equal(session.snapshot().streaming?.text, 'Let me ');
    session.stop();
    await scene.settled(session);
    assert.deepEqual(
      [session.snapshot().streaming, session.snapshot().summary.run?.state],
      [undefined, 'cancelled'],
    );
  });

  it('hands a message to the live run and delivers it once', async () => {
    const { scene, session } = await opened(calls(run('df -h')), says('Done.'), says('Also done.'));
    scene.host.plays({});
    await session.send('First');
    await scene.reached(session, 'callingTools');
    await session.send('Second');
    assert.deepEqual(
      session.snapshot().queued.map(({ text }) => text),
      ['Second'],
    );
    await scene.settled(session);
    const texts = session.snapshot().messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    assert.deepEqual(texts, ['First', 'Second']);
    assert.deepEqual(session.snapshot().queued, []);
    assert.equal(scene.model.said(1).at(-1), 'user: Second');
  });

  it('starts anew for a message behind the end of a run', async () => {
    const { scene, session } = await opened(says('One.'), says('Two.'));
    await Promise.all([session.send('First'), session.send('Second')]);
    await scene.settled(session);
    const texts = session.snapshot().messages.map(({ text }) => text);
    assert.deepEqual([...texts].sort(), ['First', 'One.', 'Second', 'Two.']);
  });

  it('keeps what was said when the model fails, and tries again from the same message', async () => {
    const refused = new ProviderError({ code: 'unauthorized', retryable: false, status: 401 });
    const { scene, session } = await opened(calls(run('df -h')), fails(refused), says('94 %.'));
    await session.send('How full is lab?');
    await scene.settled(session);
    assert.equal(session.snapshot().runs[0]?.failure?.code, 'modelUnauthorized');
    await session.retry();
    await scene.settled(session);
    const { messages, runs } = session.snapshot();
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant'],
    );
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['failed', 'completed'],
    );
    assert.equal(scene.host.sent('df -h'), 1);
  });

  it('says that no model is set up and keeps nothing', async () => {
    const scene = new LibraryScene(new ScriptedModel());
    scene.hasModel = false;
    const session = await scene.library.create();
    await assert.rejects(
      session.send('Hi'),
      (error) => isTermindError(error) && error.fault.code === 'model-missing',
    );
    assert.deepEqual(session.snapshot().messages, []);
  });

  it('can be renamed, and another mode counts for the next call', async () => {
    const { scene, session } = await opened();
    await scene.library.rename(session.id, 'Disk');
    await session.setMode('full');
    await session.setModel('other/m');
    const stored = await scene.store.runs.load(session.id);
    const { title, permissionMode, modelRef } = stored?.summary ?? {};
    assert.deepEqual(
      { title, permissionMode, modelRef },
      { title: 'Disk', permissionMode: 'full', modelRef: 'other/m' },
    );
    assert.equal(session.snapshot().summary.title, 'Disk');
  });

  it('is one session for all screens, and gone after it is deleted', async () => {
    const { scene, session } = await opened(hangs());
    assert.equal(await scene.library.open(session.id), session);
    await session.send('Hi');
    const deleted = scene.library.delete(session.id);
    await deleted;
    assert.equal(session.isRunning, false);
    assert.equal(await scene.library.open(session.id), undefined);
    assert.deepEqual(await scene.library.list(), []);
    assert.equal(await scene.library.open(conversationId('11111111-2222-4333-8444-555555555555')), undefined);
  });
});

describe('commands of a conversation', () => {
  it('run unasked when they are proven, and their result reaches the model', async () => {
    const { scene, session } = await opened(calls(run('df -h')), says('94 %.'));
    await session.send('How full is lab?');
    await scene.settled(session);
    assert.deepEqual(scene.library.approvals.waiting, []);
    assert.match(
      scene.model.said(1).at(-1) ?? '',
      /^result call_1: <untrusted-data>.*"exit_code":0.*94% full/s,
    );
  });

  it('wait for the decision with everything that will happen, and reach no host before it', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a', { cwd: '/tmp' })), says('Gone.'));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    const [waiting] = scene.library.approvals.waiting;
    assert.deepEqual(waiting?.request.subject, {
      action: 'rm /tmp/a',
      target: 'lab',
      targetId: lab.id,
      identity: 'root',
      tier: '',
      details: [
        { label: 'Address', value: '192.0.2.7:22' },
        { label: 'Before it', value: 'cd -- /tmp || exit' },
      ],
    });
    assert.deepEqual(waiting.request.reasons, ['Not proven read-only: rm deletes files.']);
    assert.equal(scene.host.channels.length, 0);
    answerFirst(scene, 'approve');
    await scene.settled(session);
    assert.equal(scene.host.sent('rm /tmp/a'), 1);
  });

  it('do not run when they are denied, and the reason reaches the model', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('All right.'));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    answerFirst(scene, 'deny', 'keep it');
    await scene.settled(session);
    assert.equal(scene.model.said(1).at(-1), 'error call_1: The user denied this call: "keep it".');
    assert.equal(scene.host.channels.length, 0);
  });

  it('are refused when the host was changed while the decision was open', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('Hm.'));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    scene.hosts = [{ ...lab, address: '192.0.2.8' }];
    answerFirst(scene, 'approve');
    await scene.settled(session);
    assert.match(scene.model.said(1).at(-1) ?? '', /^error call_1: The host was changed/);
    assert.equal(scene.host.channels.length, 0);
  });

  it('are refused when the way to the host was changed while the decision was open', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('Hm.'));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    scene.hosts = [{ ...lab, way: 'another' }];
    answerFirst(scene, 'approve');
    await scene.settled(session);
    assert.match(scene.model.said(1).at(-1) ?? '', /^error call_1: The host was changed/);
    assert.equal(scene.host.channels.length, 0);
  });

  it('are asked about one after the other, with another host marked', async () => {
    const stage = { ...db, tier: 'stage' as const };
    const { scene, session } = await opened(
      calls(
        { ...run('df -h'), id: 'a' },
        { ...run('rm /tmp/a'), id: 'b' },
        { ...run('rm /tmp/a', {}, stage), id: 'c' },
      ),
      says('Done.'),
    );
    scene.hosts = [lab, stage];
    await session.send('Tidy up');
    await scene.reached(session, 'waitingForApproval');
    assert.equal(scene.library.approvals.waiting.length, 1);
    assert.deepEqual(firstShown(scene), { before: ['df -h'], targetChanged: false });
    answerFirst(scene, 'approve');
    await scene.clock.advance(0);
    await scene.reached(session, 'waitingForApproval');
    assert.deepEqual(firstShown(scene), { before: [], targetChanged: true });
    answerFirst(scene, 'deny');
    await scene.settled(session);
    assert.equal(scene.host.sent('rm /tmp/a'), 1);
  });

  for (const [what, call, sentence] of [
    [
      'an unknown host',
      run('df -h', { host_id: '11111111-2222-4333-8444-555555555555' }),
      /no host with this id/,
    ],
    ['a change on a production host', run('rm /tmp/a', {}, db), /"db-1" is a production host/],
    ['control characters', run('df -h\u001b[2J'), /control characters/],
    ['a relative folder', run('df -h', { cwd: 'tmp' }), /Invalid arguments: cwd/],
    ['an unknown argument', run('df -h', { tty: true }), /Invalid arguments/],
  ] as const)
    it(`are refused for ${what}, without a question`, async () => {
      const { scene, session } = await opened(calls(call), says('Hm.'));
      await session.send('Do it');
      await scene.settled(session);
      assert.match(scene.model.said(1).at(-1) ?? '', sentence);
      assert.equal(scene.host.sent(''), 0);
    });

  it('run on a production host when they are proven', async () => {
    const { scene, session } = await opened(calls(run('df -h', {}, db)), says('Fine.'));
    await session.send('Look');
    await scene.settled(session);
    assert.equal(scene.host.sent('df -h'), 1);
  });

  it('go on when they yield, and their output is read later', async () => {
    const { scene, session } = await opened(
      calls(run('df -h', { yield_ms: 1000 })),
      async function* (signal) {
        const execId = /"exec_id":"([0-9a-f-]+)"/.exec(scene.model.said(1).at(-1) ?? '')?.[1] ?? '';
        yield* calls({ name: 'ssh_exec_output', args: { exec_id: execId, wait_ms: 5000 }, id: 'call_2' })(
          signal,
        );
      },
      says('Done.'),
    );
    scene.host.plays({});
    await session.send('Look');
    await scene.reached(session, 'callingTools');
    await scene.clock.advance(1000);
    scene.host.last('df -h').finishes(0, 'late output\n');
    await scene.settled(session);
    assert.match(scene.model.said(1).at(-1) ?? '', /"status":"running"/);
    assert.match(scene.model.said(2).at(-1) ?? '', /late output.*"status":"exited".*"waited_ms":0/);
  });

  it('vector 15: are waited for no longer when a message comes, and go on', async () => {
    const { scene, session } = await opened(
      calls(run('df -h', { yield_ms: 0 })),
      async function* (signal) {
        const execId = /"exec_id":"([0-9a-f-]+)"/.exec(scene.model.said(1).at(-1) ?? '')?.[1] ?? '';
        const wait = { exec_id: execId, wait_ms: 60_000 };
        yield* calls({ name: 'ssh_exec_output', args: wait, id: 'call_2' })(signal);
      },
      says('I do.'),
    );
    scene.host.plays({});
    await session.send('Look');
    await scene.until(() => scene.model.requests.length === 2);
    await scene.reached(session, 'callingTools');
    await scene.clock.advance(1_000);
    await session.send('Tell me what you have.');
    await scene.settled(session);
    assert.match(scene.model.said(2).at(-2) ?? '', /"status":"running".*"waited_ms":1000/);
    assert.equal(scene.model.said(2).at(-1), 'user: Tell me what you have.');
    assert.deepEqual([scene.host.last('df -h').isClosed, scene.host.last('df -h').signals], [false, []]);
  });

  it('are only waited for no longer when the user stops; the card can still cancel them', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')));
    scene.host.plays({});
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    answerFirst(scene, 'approve');
    await scene.until(() => scene.host.sent('rm /tmp/a') === 1);
    session.stop();
    await scene.settled(session);
    const answer = session.snapshot().messages.at(-1);
    assert.deepEqual([answer?.role, answer?.text], ['tool', callTexts.stopped]);
    const channel = scene.host.last('rm /tmp/a');
    assert.equal(channel.isClosed, false);
    const cancelled = session.cancelCommand('call_1');
    assert.deepEqual(channel.signals, ['TERM']);
    channel.exits({ kind: 'signal', signal: 'TERM' });
    channel.closes();
    await cancelled;
  });

  it('that wait for a decision are denied when the run is stopped', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a'), { ...run('df -h'), id: 'call_2' }));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    session.stop();
    await scene.settled(session);
    assert.deepEqual(scene.library.approvals.waiting, []);
    assert.deepEqual(
      session.snapshot().messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : [])),
      [callTexts.cancelled, callTexts.cancelled],
    );
    assert.equal(scene.host.sent(''), 0);
  });

  it('ask again at once when the mode is narrowed in the middle of a run', async () => {
    const { scene, session } = await opened(
      calls(run('rm /tmp/a')),
      calls({ ...run('rm /tmp/a'), id: 'call_2' }),
      says('Ok.'),
    );
    await session.setMode('full');
    scene.host.plays({});
    await session.send('Delete it');
    await scene.until(() => scene.host.sent('rm /tmp/a') === 1);
    await session.setMode('ask');
    scene.host.last('rm /tmp/a').finishes(0);
    await scene.reached(session, 'waitingForApproval');
    answerFirst(scene, 'deny');
    await scene.settled(session);
    assert.equal(scene.host.sent('rm /tmp/a'), 1);
  });

  it('are denied when the window closes', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')));
    await session.send('Delete it');
    await scene.reached(session, 'waitingForApproval');
    scene.library.dispose();
    await scene.settled(session);
    assert.equal(scene.host.channels.length, 0);
    assert.deepEqual(scene.library.approvals.waiting, []);
  });
});
