import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, newConversationId, newRunId } from '../../../src/agentkit/index.ts';
import { migrations } from '../../../src/infrastructure/store/schema/migrations.ts';
import { assistantMessage, conversation, toolMessage } from '../../contract/runStore.ts';
import { run as runProgram } from '../../lab/run.ts';
import { StoreFolder } from './storeFolder.ts';

const child = fileURLToPath(new URL('./children/killedAt.ts', import.meta.url));

describe('a window that is killed', () => {
  let folder: StoreFolder;
  const chat = newConversationId();
  const run = newRunId();

  beforeEach(async () => {
    folder = new StoreFolder();
    const store = folder.window();
    await store.runs.createConversation(conversation(chat));
    store.dispose();
  });
  afterEach(() => folder.dispose());

  async function killedAt(point: string, ...more: readonly string[]): Promise<void> {
    const result = await runProgram(process.execPath, [child, point, folder.directory, chat, run, ...more]);
    assert.equal(result.status, undefined, `killed, not ended: ${result.stderr}`);
  }

  function checked(sql: string): unknown {
    const outsider = folder.outsider();
    assert.deepEqual({ ...outsider.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    return Object.values(outsider.prepare(sql).get() ?? {})[0];
  }

  it('before its commit has written nothing', async () => {
    await killedAt('before commit');
    await folder.window().hosts.list();
    assert.equal(checked('SELECT count(*) FROM hosts'), 0);
  });

  it('after its commit has lost nothing', async () => {
    await killedAt('after commit');
    await folder.window().hosts.list();
    assert.equal(checked('SELECT count(*) FROM hosts'), 1);
  });

  it('inside a migration leaves the schema as it was, and the next start migrates', async () => {
    await killedAt('inside a migration');
    assert.equal(checked('PRAGMA user_version'), migrations.length);
    assert.equal(checked('SELECT count(*) FROM conversations'), 1);
    assert.ok(existsSync(folder.paths.copy), 'the copy was made first');
    const store = folder.window();
    assert.equal((await store.runs.listConversations()).length, 1);
    assert.ok(!existsSync(folder.paths.copy), 'and goes once the file has opened cleanly');
  });

  it('after dispatch leaves a call that was dispatched and has no result, in a run that is interrupted', async () => {
    await killedAt('after dispatch');
    const { runs } = folder.window();
    assert.deepEqual(await runs.interruptLapsedRuns(), [
      { runId: run, conversationId: chat, state: 'interrupted' },
    ]);
    const loaded = await runs.load(chat);
    assert.equal(loaded?.summary.run?.state, 'interrupted');
    assert.deepEqual(loaded.calls, [{ runId: run, callId: callId('call_1'), dispatched: true }]);
    assert.deepEqual(
      loaded.messages.map(({ role }) => role),
      ['assistant'],
    );
  });

  it('anywhere in the start of a run leaves its plan pending and no run, or the plan decided and the run with its prompt', async () => {
    const { runs } = folder.window();
    await runs.startRun({ runId: run, conversationId: chat, startedAt: 1 });
    const appended = [assistantMessage(run, [callId('call_1')]), toolMessage(run, callId('call_1'))];
    await runs.saveRun({ runId: run, conversationId: chat, startedAt: 1, state: 'completed', appended });
    await runs.updateMetadata(chat, { planning: true });
    const states: unknown[] = [];
    for (let reading = 1; states.at(-1) !== 'begun'; reading++) {
      await killedAt('in the start of a run', String(reading));
      const loaded = await folder.window().runs.load(chat);
      const left = [
        loaded?.calls[0]?.planOutcome,
        loaded?.runs.length,
        loaded?.messages.length,
        loaded?.summary.planning,
      ];
      const hasBegun = left[0] === 'implemented';
      assert.deepEqual(left, hasBegun ? ['implemented', 2, 3, false] : [undefined, 1, 2, true]);
      states.push(hasBegun ? 'begun' : 'nothing');
    }
    assert.ok(states.length > 2, 'it was killed at more than one place inside');
  });

  it('after the result leaves it for the transcript, once', async () => {
    await killedAt('after the result');
    const { runs } = folder.window();
    await runs.interruptLapsedRuns();
    const result = toolMessage(run, callId('call_1'));
    const [first, second] = [await runs.load(chat), await runs.load(chat)];
    assert.deepEqual(first?.messages.slice(1), [result]);
    assert.deepEqual(second, first);
    assert.deepEqual(first.calls, [{ runId: run, callId: callId('call_1'), dispatched: true, result }]);
  });
}).timeout(120_000);
