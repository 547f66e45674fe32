import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  callId,
  type ConversationId,
  newConversationId,
  newRunId,
  type RunId,
} from '../../../src/agentkit/index.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { assistantMessage, conversation, event, toolMessage, userMessage } from '../../contract/runStore.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { skipBecause } from '../../skip.ts';
import { StoreFolder, withFault } from './storeFolder.ts';

describe('the lease of a run', () => {
  let folder: StoreFolder;
  let clock: FakeClock;
  let here: Store;
  let there: Store;
  let chat: ConversationId;
  let run: RunId;

  beforeEach(async () => {
    folder = new StoreFolder();
    clock = new FakeClock();
    here = folder.window({ clock, windowId: 'here' });
    there = folder.window({ clock, windowId: 'there' });
    chat = newConversationId();
    run = newRunId();
    await here.runs.createConversation(conversation(chat));
    await here.runs.startRun({ runId: run, conversationId: chat, startedAt: clock.now() });
  });
  afterEach(() => folder.dispose());

  const start = (store: Store): Promise<void> =>
    store.runs.startRun({ runId: newRunId(), conversationId: chat, startedAt: clock.now() });

  it('keeps every other window out of the conversation while it is live', async () => {
    await assert.rejects(start(there), withFault('run-leased'));
    await assert.rejects(there.runs.deleteConversation(chat), withFault('run-leased'));
    await assert.rejects(
      there.runs.saveRun({ runId: run, conversationId: chat, startedAt: 1, state: 'writing', appended: [] }),
      withFault('run-leased'),
    );
    assert.equal(await there.runs.renewLease(run), false);
    assert.deepEqual(await there.runs.interruptLapsedRuns(), []);
    assert.deepEqual((await there.runs.load(chat))?.summary.run, {
      id: run,
      state: 'connecting',
      live: true,
    });
  });

  it('lapses after 45 seconds without renewal, and not before', async () => {
    await clock.advance(30_000);
    assert.equal(await here.runs.renewLease(run), true);
    await clock.advance(45_000);
    assert.deepEqual(await there.runs.interruptLapsedRuns(), []);
    await clock.advance(1);
    assert.deepEqual(await there.runs.interruptLapsedRuns(), [
      { runId: run, conversationId: chat, state: 'interrupted' },
    ]);
    assert.deepEqual(await there.runs.interruptLapsedRuns(), []);
    assert.equal(await here.runs.renewLease(run), false);
    const save = {
      runId: run,
      conversationId: chat,
      startedAt: 1,
      state: 'completed',
      appended: [],
    } as const;
    await assert.rejects(here.runs.saveRun(save), withFault('run-leased'));
    assert.deepEqual((await here.runs.load(chat))?.runs, [
      { id: run, state: 'interrupted', startedAt: clock.now() - 75_001, endedAt: clock.now() },
    ]);
  });

  it('a window does not interrupt its own run after the machine slept', async () => {
    await clock.advance(3_600_000);
    assert.deepEqual(await here.runs.interruptLapsedRuns(), []);
    assert.equal(await here.runs.renewLease(run), true);
    await assert.rejects(start(there), withFault('run-leased'));
  });

  it('a lapsed run is taken over by starting another', async () => {
    await clock.advance(45_001);
    await start(there);
    assert.equal(await here.runs.renewLease(run), false);
    assert.equal((await here.runs.load(chat))?.runs.find(({ id }) => id === run)?.state, 'interrupted');
  });

  it('a late result of a lost run is kept and stands behind its call', async () => {
    const call = callId('a');
    const assistant = assistantMessage(run, [call]);
    await here.runs.saveRun({
      runId: run,
      conversationId: chat,
      startedAt: 1,
      state: 'callingTools',
      appended: [userMessage(run, 'x'), assistant],
    });
    await clock.advance(45_001);
    await there.runs.interruptLapsedRuns();
    const message = toolMessage(run, call);
    await here.runs.recordEvent(event(run, chat, { kind: 'toolFinished', message, outcome: 'succeeded' }));
    assert.deepEqual((await there.runs.load(chat))?.messages.slice(1), [assistant, message]);
  });

  it('no call starts in a lost run, and the log of operations says nothing of it', async () => {
    const starts = (store: Store): Promise<void> =>
      store.runs.recordEvent(
        event(run, chat, {
          kind: 'toolStarted',
          callId: callId('a'),
          toolName: 'ssh_exec_run',
          ground: { kind: 'proof' },
          mode: 'ask',
        }),
      );
    await assert.rejects(starts(there), withFault('run-leased'));
    await clock.advance(45_001);
    await start(there);
    await assert.rejects(starts(here), withFault('run-leased'));
    assert.deepEqual((await here.runs.load(chat))?.calls, []);
    const logged = folder.outsider().prepare('SELECT count(*) AS rows FROM operations').get();
    assert.deepEqual({ ...logged }, { rows: 0 });
  });

  const owner = (values: {
    readonly machine?: string;
    readonly pid?: number;
    readonly start?: string;
  }): void => {
    const outsider = folder.outsider();
    const set = (column: string, value: string | number): void =>
      void outsider.prepare(`UPDATE runs SET ${column} = ? WHERE id = ?`).run(value, run);
    if (values.machine !== undefined) set('lease_machine', values.machine);
    if (values.pid !== undefined) set('lease_pid', values.pid);
    if (values.start !== undefined) set('lease_start', values.start);
  };
  const lapsed = async (): Promise<number> => (await there.runs.interruptLapsedRuns()).length;

  it('of a process that has ended lapses at once', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const { pid } = child;
    assert.ok(pid !== undefined);
    owner({ pid, start: '' });
    assert.equal(await lapsed(), 0, 'it is alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await lapsed(), 1);
  });

  it('of an earlier process under the same id lapses at once', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'only Linux tells when a process started');
    owner({ start: 'an earlier boot:1' });
    assert.equal(await lapsed(), 1);
  });

  it('of another machine is judged by time only', async () => {
    owner({ machine: 'elsewhere', pid: 2 ** 22 + 1, start: 'x' });
    assert.equal(await lapsed(), 0);
    await clock.advance(45_001);
    assert.equal(await lapsed(), 1);
  });
});
