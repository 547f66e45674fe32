import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { approvalId, callId, type Decision } from '../../../../src/agentkit/index.ts';
import { ApprovalQueue, type TargetedCall } from '../../../../src/application/assistant/approvalQueue.ts';
import { CardQueue } from '../../../../src/application/assistant/cardQueue.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { approvalRequest } from './approvals.ts';

const never = new AbortController().signal;

function queueWith(calls: readonly TargetedCall[] = []): ApprovalQueue {
  return new ApprovalQueue({ targetedCalls: () => calls }, new CardQueue(new FakeClock()));
}

function ids(queue: ApprovalQueue): readonly string[] {
  return queue.waiting.map(({ request }) => request.id);
}

async function isDenied(decision: Promise<Decision>): Promise<boolean> {
  return (await decision).verdict === 'deny';
}

describe('the approval queue', () => {
  it('allows by an approve that names what was shown, and by nothing else', async () => {
    const queue = queueWith();
    const decision = queue.decide({ request: approvalRequest() }, never);
    assert.equal(queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' }), true);
    assert.deepEqual(await decision, { verdict: 'allow', digest: 'd1', ground: { kind: 'user', id: 'a1' } });
    assert.deepEqual(ids(queue), []);
  });

  it('keeps waiting when the answer names another digest', async () => {
    const queue = queueWith();
    const decision = queue.decide({ request: approvalRequest() }, never);
    assert.equal(queue.settle({ approvalId: 'a1', shownDigest: 'd2', verdict: 'approve' }), false);
    assert.deepEqual(ids(queue), ['a1']);
    queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny', reason: 'not now' });
    assert.deepEqual(await decision, { verdict: 'deny', reason: 'not now', by: 'user' });
  });

  it('ignores an answer to a question that is settled or was never asked', async () => {
    const queue = queueWith();
    const decision = queue.decide({ request: approvalRequest() }, never);
    queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    assert.equal(queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' }), false);
    assert.equal(queue.settle({ approvalId: 'a9', shownDigest: 'd1', verdict: 'approve' }), false);
    assert.equal(await isDenied(decision), true);
  });

  it('holds questions in the order asked, whatever the order of answers', async () => {
    const queue = queueWith();
    const first = queue.decide({ request: approvalRequest() }, never);
    const second = queue.decide({ request: approvalRequest({ id: approvalId('a2'), digest: 'd2' }) }, never);
    assert.deepEqual(ids(queue), ['a1', 'a2']);
    queue.settle({ approvalId: 'a2', shownDigest: 'd2', verdict: 'approve' });
    assert.deepEqual(ids(queue), ['a1']);
    queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    assert.deepEqual([(await first).verdict, (await second).verdict], ['deny', 'allow']);
  });

  it('denies when the run is stopped', async () => {
    const queue = queueWith();
    const stop = new AbortController();
    const decision = queue.decide({ request: approvalRequest() }, stop.signal);
    stop.abort(new Error('stop'));
    assert.equal(await isDenied(decision), true);
    assert.equal(queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' }), false);
  });

  it('denies at once when the run was stopped before', async () => {
    const decision = queueWith().decide({ request: approvalRequest() }, AbortSignal.abort(new Error('stop')));
    assert.equal(await isDenied(decision), true);
  });

  it('denies what waits when it is disposed, and everything asked afterwards', async () => {
    const queue = queueWith();
    const before = queue.decide({ request: approvalRequest() }, never);
    queue.dispose();
    assert.equal(await isDenied(before), true);
    assert.equal(await isDenied(queue.decide({ request: approvalRequest() }, never)), true);
  });

  it('denies a question that is replaced by another under its id', async () => {
    const queue = queueWith();
    const replaced = queue.decide({ request: approvalRequest() }, never);
    const current = queue.decide({ request: approvalRequest({ digest: 'd2' }) }, never);
    assert.equal(await isDenied(replaced), true);
    assert.equal(queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' }), false);
    queue.settle({ approvalId: 'a1', shownDigest: 'd2', verdict: 'approve' });
    assert.equal((await current).verdict, 'allow');
  });

  it('denies a question that belongs to no conversation, because nobody could see it', async () => {
    const { conversationId: _, ...request } = approvalRequest();
    assert.equal(await isDenied(queueWith().decide({ request }, never)), true);
  });

  it('tells its listeners about every change', async () => {
    const queue = queueWith();
    let changes = 0;
    queue.onDidChange(() => changes++);
    const decision = queue.decide({ request: approvalRequest() }, never);
    queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    await decision;
    assert.equal(changes, 2);
  });

  it('shows the last three commands that went to the same host, oldest first', () => {
    const queue = queueWith([
      { callId: 'c1', targetId: 'h1', action: 'df -h', dispatched: true },
      { callId: 'c2', targetId: 'h1', action: 'rm /x', dispatched: false },
      { callId: 'c3', targetId: 'h2', action: 'uptime', dispatched: true },
      { callId: 'c4', targetId: 'h1', action: 'du -sh /var', dispatched: true },
      { callId: 'c5', targetId: 'h1', action: 'ls /var', dispatched: true },
      { callId: 'c6', targetId: 'h1', action: 'ls /tmp', dispatched: true },
      { callId: 'call_1', targetId: 'h1', action: 'rm /tmp/a', dispatched: false },
      { callId: 'c8', targetId: 'h2', action: 'rm /tmp/b', dispatched: false },
    ]);
    void queue.decide({ request: approvalRequest() }, never);
    const [shown] = queue.waiting;
    assert.deepEqual(shown?.before, ['du -sh /var', 'ls /var', 'ls /tmp']);
    assert.equal(shown.targetChanged, false);
  });

  it('marks another host than that of the last question, whatever was looked at in between', async () => {
    const queue = queueWith([{ callId: 'c1', targetId: 'h1', action: 'df', dispatched: true }]);
    const other = approvalRequest();
    const first = queue.decide(
      { request: { ...other, subject: { ...other.subject, targetId: 'h2', target: 'web' } } },
      never,
    );
    queue.settle({ approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    await first;
    void queue.decide(
      { request: approvalRequest({ id: approvalId('a2'), callId: callId('call_2') }) },
      never,
    );
    assert.equal(queue.waiting[0]?.targetChanged, true);
  });

  it('allows for the conversation only what can be granted', async () => {
    const queue = queueWith();
    const answer = { approvalId: 'a1', shownDigest: 'd1', verdict: 'approveForConversation' } as const;
    const refused = queue.decide({ request: approvalRequest() }, never);
    assert.equal(queue.settle(answer), false);
    queue.settle({ ...answer, verdict: 'deny' });
    assert.equal(await isDenied(refused), true);
    const granted = queue.decide({ request: approvalRequest({ canGrant: true }) }, never);
    assert.equal(queue.settle(answer), true);
    assert.deepEqual(await granted, {
      verdict: 'allow',
      digest: 'd1',
      ground: { kind: 'user', id: 'a1' },
      forConversation: true,
    });
  });

  it('keeps the place of a question whose call was edited', async () => {
    const queue = queueWith();
    const edited = approvalRequest({ digest: 'd1b', isEdited: true });
    void queue.decide(
      { request: approvalRequest(), revise: () => Promise.resolve({ ok: true, request: edited }) },
      never,
    );
    void queue.decide({ request: approvalRequest({ id: approvalId('a2'), digest: 'd2' }) }, never);
    const answer = await queue.revise({ approvalId: 'a1', shownDigest: 'd1', text: 'x' });
    assert.deepEqual(answer, { kind: 'revised' });
    assert.deepEqual(
      queue.waiting.map(({ request }) => request.digest),
      ['d1b', 'd2'],
    );
  });

  for (const [last, changed] of [
    ['h2', true],
    ['h1', false],
    [undefined, false],
  ] as const)
    it(`${changed ? 'marks' : 'does not mark'} a host after ${last ?? 'nothing'}`, () => {
      const earlier =
        last === undefined ? [] : [{ callId: 'c1', targetId: last, action: 'df', dispatched: true }];
      const queue = queueWith(earlier);
      void queue.decide({ request: approvalRequest({ callId: callId('call_2') }) }, never);
      assert.equal(queue.waiting[0]?.targetChanged, changed);
    });
});
