import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Ground } from '../../../../src/agentkit/index.ts';
import type {
  ConversationSession,
  WaitingApproval,
} from '../../../../src/application/assistant/assistantLibrary.ts';
import { db, lab, LibraryScene } from './libraryScene.ts';
import { calls, says, ScriptedModel, type Turn } from './scriptedModel.ts';

const run = (command: string, more: object = {}, host = lab): { name: string; args: object } => ({
  name: 'ssh_exec_run',
  args: { host_id: host.id, command, ...more },
});

async function opened(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession; grounds: Ground[] }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  scene.host.plays({ 'df -h': { code: 0 }, 'rm /tmp/a': { code: 0 }, 'rm /tmp/b': { code: 0 } });
  const session = await scene.library.create();
  const grounds: Ground[] = [];
  session.onEvent(({ body }) => {
    if (body.kind === 'toolStarted') grounds.push(body.ground);
  });
  return { scene, session, grounds };
}

async function waiting(scene: LibraryScene): Promise<WaitingApproval> {
  await scene.until(() => scene.library.approvals.waiting.length > 0);
  const [first] = scene.library.approvals.waiting;
  assert.ok(first);
  return first;
}

async function answers(
  scene: LibraryScene,
  verdict: 'approve' | 'approveForConversation' | 'deny',
): Promise<WaitingApproval> {
  const first = await waiting(scene);
  const { id, digest } = first.request;
  assert.equal(scene.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict }), true);
  return first;
}

const said = (scene: LibraryScene, request: number): string => scene.model.said(request).at(-1) ?? '';

describe('a production host', () => {
  for (const mode of ['ask', 'review', 'full'] as const)
    it(`is read-only until it is raised, in every mode (${mode})`, async () => {
      const { scene, session } = await opened(calls(run('rm /tmp/a', {}, db)), says('I tell you.'));
      await session.setMode(mode);
      await session.send('Tidy up');
      await scene.settled(session);
      assert.match(
        said(scene, 1),
        /"db-1" is a production host and read-only .* until the user raises it for this request/,
      );
      assert.equal(scene.host.channels.length, 0);
    });

  for (const mode of ['ask', 'review', 'full'] as const)
    it(`is not signed in to from another host either (${mode})`, async () => {
      const { scene, session } = await opened(
        calls(run('sudo sh', { stdin: { text: 'scp /tmp/a root@db-1:/etc/motd\n' } })),
        says('I tell you.'),
      );
      scene.hosts = [{ ...lab, address: '192.0.2.8' }, db];
      await session.setMode(mode);
      await session.send('Copy it');
      await scene.settled(session);
      assert.match(said(scene, 1), /signs in to "db-1", a production host .* until the user raises it/);
      assert.equal(scene.host.channels.length, 0);
    });

  it('that is raised is signed in to from another host when that is allowed', async () => {
    const { scene, session } = await opened(calls(run('ssh db-1 rm /tmp/a')), says('Done.'));
    scene.hosts = [{ ...lab, address: '192.0.2.8' }, db];
    scene.host.plays({ 'ssh db-1 rm /tmp/a': { code: 0 } });
    scene.library.raised.raise(session.id, db);
    await session.send('Tidy up');
    await answers(scene, 'approve');
    await scene.settled(session);
    assert.equal(scene.host.sent('ssh db-1 rm /tmp/a'), 1);
  });

  it('that is raised asks as usual, and the card says that it is raised', async () => {
    const { scene, session, grounds } = await opened(calls(run('rm /tmp/a', {}, db)), says('Done.'));
    scene.library.raised.raise(session.id, db);
    await session.send('Tidy up');
    const { request } = await answers(scene, 'approve');
    await scene.settled(session);
    assert.equal(request.subject.tier, 'prod');
    assert.deepEqual(request.subject.details.at(-1), {
      label: 'Production',
      value: 'Raised by you for this request; read-only again when it ends.',
    });
    assert.equal(request.canGrant, false);
    assert.deepEqual(grounds, [{ kind: 'user', id: request.id }]);
    assert.equal(scene.host.sent('rm /tmp/a'), 1);
  });

  it('is lowered when the run ends', async () => {
    const { scene, session } = await opened(
      says('Hello.'),
      calls(run('rm /tmp/a', {}, db)),
      says('I tell you.'),
    );
    scene.library.raised.raise(session.id, db);
    await session.send('Hello');
    await scene.settled(session);
    assert.deepEqual(scene.library.raised.list(session.id), []);
    await session.send('Tidy up');
    await scene.settled(session);
    assert.match(said(scene, 2), /is a production host and read-only/);
    assert.equal(scene.host.channels.length, 0);
  });

  it('that is lowered while the decision is open is not changed after all', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a', {}, db)), says('Hm.'));
    scene.library.raised.raise(session.id, db);
    await session.send('Tidy up');
    await waiting(scene);
    scene.library.raised.lower(session.id, db.id);
    await answers(scene, 'approve');
    await scene.settled(session);
    assert.match(said(scene, 1), /is a production host and read-only/);
    assert.equal(scene.host.channels.length, 0);
  });

  it('that is lowered meanwhile has no command cancelled', async () => {
    const model: ScriptedModel = new ScriptedModel(
      calls(run('tee /tmp/a', { stdin: { keep_open: true }, yield_ms: 0 }, db)),
      (signal) => {
        const execId = /"exec_id":"([^"]+)"/.exec(model.said(1).join('\n'))?.[1] ?? 'none';
        return calls({ id: 'cancel', name: 'ssh_exec_cancel', args: { exec_id: execId } })(signal);
      },
      says('Hm.'),
    );
    const scene = new LibraryScene(model);
    scene.hosts = [lab, db];
    scene.host.plays({});
    const session = await scene.library.create();
    scene.library.raised.raise(session.id, db);
    await session.send('Write');
    await answers(scene, 'approve');
    await waiting(scene);
    scene.library.raised.lower(session.id, db.id);
    const { request } = await answers(scene, 'approve');
    await scene.settled(session);
    assert.equal(request.invocation.name, 'ssh_exec_cancel');
    assert.match(said(scene, 2), /is a production host and read-only/);
  });

  it('is raised no longer than its conversation is there', async () => {
    const { scene, session } = await opened(says('Hello.'));
    scene.library.raised.raise(session.id, db);
    await scene.library.delete(session.id);
    assert.deepEqual(scene.library.raised.list(session.id), []);
  });

  it('is raised for one conversation only', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a', {}, db)), says('Hm.'));
    const other = await scene.library.create();
    scene.library.raised.raise(other.id, db);
    await session.send('Tidy up');
    await scene.settled(session);
    assert.match(said(scene, 1), /is a production host and read-only/);
    assert.equal(scene.library.raised.list(other.id).length, 1);
  });
});

describe('what is allowed for a conversation', () => {
  it('runs without asking from then on, and asks again once it is revoked', async () => {
    const { scene, session, grounds } = await opened(
      calls(run('rm /tmp/a')),
      says('One.'),
      calls(run('rm /tmp/a')),
      says('Two.'),
      calls(run('rm /tmp/a')),
      says('Three.'),
    );
    await session.send('Tidy up');
    const { request } = await answers(scene, 'approveForConversation');
    await scene.settled(session);
    await session.send('Again');
    await scene.settled(session);
    const [grant] = await scene.library.grants.list(session.id);
    assert.ok(grant);
    assert.deepEqual([grant.shape.action, grant.shape.target], ['rm /tmp/a', 'lab']);
    assert.deepEqual(grounds, [
      { kind: 'user', id: request.id },
      { kind: 'grant', id: grant.id },
    ]);
    assert.equal(await scene.library.grants.revoke(session.id, grant.id), true);
    await session.send('Again');
    await answers(scene, 'deny');
    await scene.settled(session);
    assert.equal(scene.host.sent('rm /tmp/a'), 2);
  });

  it('holds after a reload of the window', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('One.'));
    await session.send('Tidy up');
    await answers(scene, 'approveForConversation');
    await scene.settled(session);

    const later = new LibraryScene(new ScriptedModel(calls(run('rm /tmp/a')), says('Two.')), scene.store);
    later.host.plays({ 'rm /tmp/a': { code: 0 } });
    later.hosts = scene.hosts;
    const reopened = await later.library.open(session.id);
    assert.ok(reopened);
    await reopened.send('Again');
    await later.settled(reopened);
    assert.equal(later.host.sent('rm /tmp/a'), 1);
  });

  for (const [what, call, host] of [
    ['another line', run('rm /tmp/b'), lab],
    ['another folder', run('rm /tmp/a', { cwd: '/srv' }), lab],
    ['variables', run('rm /tmp/a', { env: [{ name: 'A', value: 'b' }] }), lab],
    ['input', run('rm /tmp/a', { stdin: { text: 'y' } }), lab],
    ['another person on the host', run('rm /tmp/a'), { ...lab, user: 'deploy' }],
    ['another way to the host', run('rm /tmp/a'), { ...lab, way: 'another' }],
    ['another address of the host', run('rm /tmp/a'), { ...lab, address: '192.0.2.99' }],
  ] as const)
    it(`does not cover ${what}`, async () => {
      const { scene, session } = await opened(
        calls(run('rm /tmp/a')),
        says('One.'),
        calls(call),
        says('Two.'),
      );
      await session.send('Tidy up');
      await answers(scene, 'approveForConversation');
      await scene.settled(session);
      scene.hosts = [host, db];
      await session.send('Again');
      await answers(scene, 'deny');
      await scene.settled(session);
      assert.deepEqual([scene.host.sent('rm /tmp/a'), scene.host.sent('rm /tmp/b')], [1, 0]);
    });

  for (const [what, call] of [
    ['a line with a substitution', run('rm $(cat /tmp/list)')],
    ['a line with a redirect to a file', run('echo x > /tmp/a')],
    ['variables', run('rm /tmp/a', { env: [{ name: 'A', value: 'b' }] })],
    ['input', run('rm /tmp/a', { stdin: { text: 'y' } })],
    ['a file that configures trust', run('rm /root/.ssh/authorized_keys')],
  ] as const)
    it(`is not offered for ${what}, and such an answer changes nothing`, async () => {
      const { scene, session } = await opened(calls(call), says('Hm.'));
      await session.send('Tidy up');
      const { request } = await waiting(scene);
      assert.equal(request.canGrant, false);
      const answer = { approvalId: request.id, shownDigest: request.digest };
      assert.equal(scene.library.approvals.settle({ ...answer, verdict: 'approveForConversation' }), false);
      assert.equal(scene.library.approvals.waiting.length, 1);
      await answers(scene, 'deny');
      await scene.settled(session);
      assert.equal(scene.host.channels.length, 0);
    });
});

describe('a command that a person edits in its card', () => {
  it('is proven again, shown again and runs as edited', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('Done.'));
    await session.send('Tidy up');
    const { request } = await waiting(scene);
    assert.deepEqual(request.editable, { argument: 'command', text: 'rm /tmp/a' });
    const shown = { approvalId: request.id, shownDigest: request.digest };
    assert.deepEqual(await scene.library.approvals.revise({ ...shown, text: 'rm /tmp/b' }), {
      kind: 'revised',
    });
    const edited = (await waiting(scene)).request;
    assert.deepEqual(
      [edited.subject.action, edited.reasons, edited.isEdited, edited.id],
      ['rm /tmp/b', ['Not proven read-only: rm deletes files.'], true, request.id],
    );
    assert.equal(scene.library.approvals.settle({ ...shown, verdict: 'approve' }), false, 'the old digest');
    await answers(scene, 'approve');
    await scene.settled(session);
    assert.deepEqual([scene.host.sent('rm /tmp/a'), scene.host.sent('rm /tmp/b')], [0, 1]);
    assert.match(said(scene, 1), /"edited_by_user":\{"command":"rm \/tmp\/b"\}/);
  });

  it('stays as it was when the edit cannot be used, and says why', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('Hm.'));
    await session.send('Tidy up');
    const { request } = await waiting(scene);
    const shown = { approvalId: request.id, shownDigest: request.digest };
    const answer = await scene.library.approvals.revise({ ...shown, text: 'rm /tmp/b\u001b[2J' });
    assert.ok(answer.kind === 'refused');
    assert.match(answer.problem, /control characters/);
    assert.deepEqual((await waiting(scene)).request, request);
    assert.deepEqual(await scene.library.approvals.revise({ ...shown, shownDigest: 'other', text: 'df' }), {
      kind: 'gone',
    });
    await answers(scene, 'deny');
    await scene.settled(session);
    assert.deepEqual(await scene.library.approvals.revise({ ...shown, text: 'df' }), { kind: 'gone' });
    assert.equal(scene.host.channels.length, 0);
  });
});

describe('a file that configures trust', () => {
  for (const mode of ['ask', 'review'] as const)
    it(`is put to the person, with the reason (${mode})`, async () => {
      const { scene, session } = await opened(
        calls(run('cp /tmp/k /root/.ssh/authorized_keys')),
        says('Hm.'),
      );
      await session.setMode(mode);
      await session.send('Let me in');
      const { request } = await answers(scene, 'deny');
      await scene.settled(session);
      assert.equal(request.alwaysAskUser, true);
      assert.match(
        request.reasons[1] ?? '',
        /^It names "\/root\/\.ssh\/authorized_keys", which decides who may log in/,
      );
    });

  it('named by the folder of the call or in its input counts as well', async () => {
    for (const call of [
      run('cp k authorized_keys', { cwd: '/root/.ssh' }),
      run('sh -s', { stdin: { text: 'echo x >> /etc/sudoers\n' } }),
      run('cp k "$T"', { env: [{ name: 'T', value: '/root/.ssh/authorized_keys' }] }),
      run('cp k "$D/sudoers"', { env: [{ name: 'D', value: '/etc' }] }),
    ]) {
      const { scene, session } = await opened(calls(call), says('Hm.'));
      await session.send('Let me in');
      const { request } = await answers(scene, 'deny');
      await scene.settled(session);
      assert.equal(request.alwaysAskUser, true);
    }
  });
});

describe('a command that writes a file that configures trust', () => {
  it('has everything that is written to it later put to the person', async () => {
    const model: ScriptedModel = new ScriptedModel(
      calls(run('tee -a /root/.ssh/authorized_keys', { stdin: { keep_open: true }, yield_ms: 0 })),
      (signal) => {
        const execId = /"exec_id":"([^"]+)"/.exec(model.said(1).join('\n'))?.[1] ?? 'none';
        const args = { exec_id: execId, text: 'ssh-ed25519 AAAA\n' };
        return calls({ id: 'write', name: 'ssh_exec_stdin', args })(signal);
      },
      says('Hm.'),
    );
    const scene = new LibraryScene(model);
    scene.host.plays({});
    const session = await scene.library.create();
    await session.setMode('review');
    await session.send('Let me in');
    await answers(scene, 'approve');
    const { request } = await answers(scene, 'deny');
    await scene.settled(session);
    assert.equal(request.invocation.name, 'ssh_exec_stdin');
    assert.equal(request.alwaysAskUser, true);
  });
});

describe('rules of the person in a conversation', () => {
  it('put a proven command to them', async () => {
    const { scene, session } = await opened(calls(run('df -h')), says('Hm.'));
    scene.rules = [{ host: 'lab', effect: 'ask' }];
    await session.send('Look');
    const { request } = await answers(scene, 'approve');
    await scene.settled(session);
    assert.match(request.reasons.join(), /A rule of the user asks about it/);
    assert.equal(scene.host.sent('df -h'), 1);
  });

  it('refuse a command in full access', async () => {
    const { scene, session } = await opened(calls(run('rm /tmp/a')), says('Hm.'));
    scene.rules = [{ argv: ['rm'], effect: 'deny' }];
    await session.setMode('full');
    await session.send('Tidy up');
    await scene.settled(session);
    assert.match(said(scene, 1), /A rule of the user refuses this call/);
    assert.equal(scene.host.channels.length, 0);
  });
});
