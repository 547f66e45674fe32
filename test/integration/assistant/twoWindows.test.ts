import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { lab, LibraryScene } from '../../unit/application/assistant/libraryScene.ts';
import {
  calls,
  hangs,
  says,
  ScriptedModel,
  type Turn,
} from '../../unit/application/assistant/scriptedModel.ts';

describe('a conversation open in two windows', () => {
  let directory: string;
  const stores: Store[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'termind-windows-'));
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  const storeClock = new FakeClock();

  function window(windowId: string, ...turns: readonly Turn[]): LibraryScene {
    const store = openStore({ directory, windowId, clock: storeClock, log: silentLog });
    stores.push(store);
    return new LibraryScene(new ScriptedModel(...turns), store);
  }

  it('is read-only in the other one while its run is live, and can be written again afterwards', async () => {
    const a = window('window-a', hangs('Let me '));
    const b = window('window-b', says('Hello from b.'));
    const inA = await a.library.create();
    await inA.send('First');
    await a.reached(inA, 'writing');

    const inB = await b.library.open(inA.id);
    assert.ok(inB);
    assert.equal(inB.snapshot().readOnly, true);
    await assert.rejects(
      inB.send('Second'),
      (error) => isTermindError(error) && error.fault.code === 'run-leased',
    );

    const writable = new Promise<void>((resolve) => {
      inB.onDidChange(() => {
        if (!inB.snapshot().readOnly) resolve();
      });
    });
    inA.stop();
    await withinDeadline('the other window seeing the end of the run', writable);
    await inB.send('Second');
    await b.settled(inB);
    assert.deepEqual(
      inB.snapshot().messages.map(({ role, text }) => [role, text]),
      [
        ['user', 'First'],
        ['assistant', 'Let me '],
        ['user', 'Second'],
        ['assistant', 'Hello from b.'],
      ],
    );
  });

  it('another window: it can answer no question of this one, and what it revokes counts here at once', async () => {
    const remove = { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'rm /tmp/a' } };
    const a = window('window-a', calls(remove), says('One.'), calls(remove), says('Two.'));
    const b = window('window-b', says('Hello from b.'));
    a.host.plays({ 'rm /tmp/a': { code: 0 } });
    const inA = await a.library.create();
    await inA.send('Tidy up');
    await a.until(() => a.library.approvals.waiting.length > 0);
    const [waiting] = a.library.approvals.waiting;
    assert.ok(waiting);
    const { id, digest } = waiting.request;
    const inB = await b.library.open(inA.id);
    assert.ok(inB);
    for (const verdict of ['approve', 'approveForConversation'] as const)
      assert.equal(b.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict }), false);
    assert.equal(a.library.approvals.waiting.length, 1);
    assert.equal(a.host.sent('rm /tmp/a'), 0);

    const verdict = 'approveForConversation';
    assert.equal(a.library.approvals.settle({ approvalId: id, shownDigest: digest, verdict }), true);
    await a.settled(inA);
    const [grant] = await b.library.grants.list(inA.id);
    assert.ok(grant);
    assert.equal(await b.library.grants.revoke(inA.id, grant.id), true);
    await inA.send('Again');
    await a.until(() => a.library.approvals.waiting.length > 0);
    inA.stop();
    await a.settled(inA);
    assert.equal(a.host.sent('rm /tmp/a'), 1);
  });

  it('can be written again when the other window is gone, and says that its run was interrupted', async () => {
    const a = window('window-a', hangs('Let me '));
    const b = window('window-b', says('Hello from b.'));
    const inA = await a.library.create();
    await inA.send('First');
    await a.reached(inA, 'writing');
    const inB = await b.library.open(inA.id);
    assert.equal(inB?.snapshot().readOnly, true);

    a.store.dispose();
    await storeClock.advance(46_000);
    const writable = new Promise<void>((resolve) => {
      inB.onDidChange(() => {
        if (!inB.snapshot().readOnly) resolve();
      });
    });
    await b.clock.advance(15_000);
    await withinDeadline('the other window noticing', writable);
    assert.deepEqual(
      inB.snapshot().runs.map(({ state }) => state),
      ['interrupted'],
    );
    await inB.send('Second');
    await b.settled(inB);
    assert.deepEqual(
      inB.snapshot().messages.map(({ text }) => text),
      ['First', 'Second', 'Hello from b.'],
    );
  });

  it('runs nothing more in a window that slept so long that another one took over', async () => {
    const remove = { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'rm /tmp/a' }, id: 'remove' };
    const a = window('window-a', calls(remove), says('Done.'));
    const b = window('window-b', says('I go on.'));
    a.host.plays({ 'rm /tmp/a': { code: 0 } });
    const inA = await a.library.create();
    await inA.send('Tidy up');
    await a.until(() => a.library.approvals.waiting.length > 0);
    const [waiting] = a.library.approvals.waiting;
    assert.ok(waiting);

    await storeClock.advance(46_000);
    const inB = await b.library.open(inA.id);
    assert.ok(inB);
    await inB.send('Go on');
    await b.settled(inB);

    const { id: approvalId, digest: shownDigest } = waiting.request;
    assert.equal(a.library.approvals.settle({ approvalId, shownDigest, verdict: 'approve' }), true);
    await a.settled(inA);
    assert.equal(a.host.sent('rm /tmp/a'), 0);
    assert.deepEqual(
      inA
        .snapshot()
        .runs.map(({ state }) => state)
        .sort(),
      ['completed', 'interrupted'],
    );
    assert.equal(inA.snapshot().calls.find(({ callId }) => callId === 'remove')?.dispatched, false);
  });

  it('has no production host raised any more when the next request was of another window', async () => {
    const a = window('window-a', says('Done.'));
    const b = window('window-b');
    const inB = await b.library.create();
    const inA = await a.library.open(inB.id);
    assert.ok(inA);
    b.library.raised.raise(inB.id, { id: lab.id, label: lab.label });
    const lowered = new Promise<void>((resolve) => {
      b.library.raised.onDidChange(() => resolve());
    });
    await inA.send('Tidy up');
    await a.settled(inA);
    await withinDeadline('the raise ending', lowered);
    assert.deepEqual(b.library.raised.list(inB.id), []);
  });

  it('asks from the next call on when the other window narrows its mode in the middle of a run', async () => {
    const a = window(
      'window-a',
      calls({ name: 'request_user_input', args: { questions: [{ id: 'q', prompt: 'Now?' }] } }),
      calls({ name: 'ssh_exec_run', args: { host_id: lab.id, command: 'rm /tmp/a' } }),
      says('It stays.'),
    );
    const b = window('window-b');
    a.host.plays({ 'rm /tmp/a': { code: 0 } });
    const inA = await a.library.create();
    await inA.setMode('full');
    await inA.send('Delete it');
    await a.reached(inA, 'waitingForUser');
    const inB = await b.library.open(inA.id);
    assert.ok(inB);
    const narrowed = new Promise<void>((resolve) => {
      inA.onDidChange(() => {
        if (inA.snapshot().summary.permissionMode === 'ask') resolve();
      });
    });
    await inB.setMode('ask');
    await withinDeadline('the window of the run seeing the mode', narrowed);
    const [question] = a.questions.waiting;
    a.questions.answerQuestions(question?.id ?? '', [
      { questionId: 'q', selectedOptionIds: [], customText: 'Yes' },
    ]);
    await a.reached(inA, 'waitingForApproval');
    inA.stop();
    await a.settled(inA);
    assert.equal(a.host.sent('rm /tmp/a'), 0);
  });

  it('is named in both after it is renamed in one', async () => {
    const a = window('window-a');
    const b = window('window-b');
    const inA = await a.library.create();
    const inB = await b.library.open(inA.id);
    assert.ok(inB);
    const renamed = new Promise<void>((resolve) => {
      inB.onDidChange(() => {
        if (inB.snapshot().summary.title === 'Disk') resolve();
      });
    });
    await a.library.rename(inA.id, 'Disk');
    await withinDeadline('the other window seeing the name', renamed);
  });
});
