import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newConversationId, newMessageId, type ApprovalRequest } from '../../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import { lab, LibraryScene } from './libraryScene.ts';
import { calls, says, ScriptedModel, type Turn } from './scriptedModel.ts';

const remove = (command = 'rm /tmp/a', id = 'call_1'): { name: string; args: object; id: string } => ({
  name: 'ssh_exec_run',
  args: { host_id: lab.id, command },
  id,
});

interface Asked {
  readonly scene: LibraryScene;
  readonly session: ConversationSession;
  readonly request: ApprovalRequest;
}

/** A conversation whose command waits for a decision. */
async function asked(...turns: readonly Turn[]): Promise<Asked> {
  const scene = new LibraryScene(
    new ScriptedModel(...(turns.length > 0 ? turns : [calls(remove()), says('Hm.')])),
  );
  scene.host.plays({ 'rm /tmp/a': { code: 0 }, 'rm /tmp/b': { code: 0 } });
  const session = await scene.library.create();
  await session.send('Tidy up');
  return { scene, session, request: await firstRequest(scene) };
}

async function firstRequest(scene: LibraryScene): Promise<ApprovalRequest> {
  await scene.until(() => scene.library.approvals.waiting.length > 0);
  const [waiting] = scene.library.approvals.waiting;
  assert.ok(waiting);
  return waiting.request;
}

/** Whether either way to allow was taken for an answer. */
function approve(scene: LibraryScene, { id, digest }: Pick<ApprovalRequest, 'id' | 'digest'>): boolean {
  return (['approve', 'approveForConversation'] as const).some((verdict) =>
    scene.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict }),
  );
}

const said = (scene: LibraryScene, request = 1): string => scene.model.said(request).at(-1) ?? '';

/** Nothing reached the host, not even to look. */
function nothingRan(scene: LibraryScene): void {
  assert.equal(scene.host.channels.length, 0);
}

/** Source: quality.md S6. Those of the page are in test/e2e/webview/approvals.e2e.ts. */
describe('never an allow', () => {
  it('close: the window goes away while the question is open', async () => {
    const { scene, request } = await asked();
    const settled = scene.library.settle();
    await scene.until(() => scene.library.approvals.waiting.length === 0);
    await settled;
    assert.equal(approve(scene, request), false);
    nothingRan(scene);
  });

  it('time-out: whoever waits for the answer gives up', async () => {
    const { scene, session, request } = await asked();
    session.stop();
    await scene.settled(session);
    assert.equal(approve(scene, request), false);
    assert.deepEqual(scene.library.approvals.waiting, []);
    nothingRan(scene);
  });

  it('time: a question that nobody answers stays a question', async () => {
    const { scene, session, request } = await asked();
    await scene.clock.advance(30 * 24 * 3_600_000);
    assert.deepEqual(
      scene.library.approvals.waiting.map((waiting) => waiting.request.digest),
      [request.digest],
    );
    assert.equal(session.snapshot().summary.run?.state, 'waitingForApproval');
    nothingRan(scene);
  });

  it('stale digest: an answer to what was shown before', async () => {
    const { scene, request } = await asked();
    assert.equal(approve(scene, { id: request.id, digest: request.digest.replace(/^./, 'x') }), false);
    assert.equal(approve(scene, { id: request.id, digest: '' }), false);
    assert.equal(scene.library.approvals.waiting.length, 1);
    nothingRan(scene);
  });

  it('edited call: an answer to the version before, and one while the new version is being checked', async () => {
    const { scene, request } = await asked();
    const revising = scene.library.approvals.revise({
      approvalId: request.id,
      shownDigest: request.digest,
      text: 'rm /tmp/b',
    });
    assert.equal(approve(scene, request), false, 'while it is checked');
    await scene.until(() => scene.library.approvals.waiting[0]?.request.isEdited === true);
    assert.deepEqual(await revising, { kind: 'revised' });
    assert.equal(approve(scene, request), false, 'by the old digest');
    nothingRan(scene);
  });

  it('another question: the answer to one is none to the next', async () => {
    const { scene, session, request } = await asked(
      calls(remove('rm /tmp/a', 'a'), remove('rm /tmp/b', 'b')),
      says('Hm.'),
    );
    scene.library.approvals.settle({
      approvalId: request.id,
      shownDigest: request.digest,
      verdict: 'deny',
    });
    await scene.until(() => scene.library.approvals.waiting.length > 0);
    const next = await firstRequest(scene);
    assert.notEqual(next.id, request.id);
    assert.equal(approve(scene, request), false);
    assert.equal(approve(scene, { id: next.id, digest: request.digest }), false);
    assert.equal(approve(scene, { id: request.id, digest: next.digest }), false);
    session.stop();
    await scene.settled(session);
    nothingRan(scene);
  });

  it('the same call again: an answer to the one before is none', async () => {
    const { scene, session, request } = await asked(
      calls(remove()),
      says('Hm.'),
      calls(remove('rm /tmp/a', 'call_2')),
      says('Hm.'),
    );
    scene.library.approvals.settle({ approvalId: request.id, shownDigest: request.digest, verdict: 'deny' });
    await scene.settled(session);
    await session.send('Again');
    const next = await firstRequest(scene);
    assert.notEqual(next.digest, request.digest);
    assert.equal(approve(scene, request), false);
    session.stop();
    await scene.settled(session);
    nothingRan(scene);
  });

  it('replaced conversation: it is deleted while the question is open', async () => {
    const { scene, session, request } = await asked();
    const deleted = scene.library.delete(session.id);
    await scene.until(() => scene.library.approvals.waiting.length === 0);
    await deleted;
    assert.equal(approve(scene, request), false);
    nothingRan(scene);
  });

  it('replaced conversation: a grant of one counts in no other, nor in a copy', async () => {
    const { scene, session, request } = await asked(
      calls(remove()),
      says('Done.'),
      calls(remove('rm /tmp/a', 'call_2')),
      says('Hm.'),
    );
    assert.equal(
      scene.library.approvals.settle({
        approvalId: request.id,
        shownDigest: request.digest,
        verdict: 'approveForConversation',
      }),
      true,
    );
    await scene.settled(session);
    assert.equal((await scene.library.grants.list(session.id)).length, 1);
    const other = await scene.library.create();
    await other.send('Tidy up');
    await firstRequest(scene);
    other.stop();
    await scene.settled(other);
    const last = session.snapshot().messages.at(-1)?.id ?? newMessageId();
    const copy = newConversationId();
    await scene.store.runs.fork(session.id, last, {
      id: copy,
      title: 'Copy',
      systemPrompt: '',
      permissionMode: 'ask',
      modelRef: '',
      createdAt: 1,
    });
    assert.deepEqual(await scene.library.grants.list(copy), []);
    assert.equal(scene.host.sent('rm /tmp/a'), 1);
  });

  it('changed host: it is another one when the answer comes', async () => {
    const { scene, session, request } = await asked();
    scene.hosts = [{ ...lab, user: 'deploy' }];
    assert.equal(approve(scene, request), true);
    await scene.settled(session);
    assert.match(said(scene), /The host was changed while the decision was open/);
    nothingRan(scene);
  });
});
