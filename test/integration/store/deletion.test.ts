import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, newConversationId, newMessageId, newRunId } from '../../../src/agentkit/index.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { hostRecord } from '../../contract/hostStore.ts';
import { part, request } from '../../contract/requestLog.ts';
import { assistantMessage, conversation, event, toolMessage, userMessage } from '../../contract/runStore.ts';
import { StoreFolder } from './storeFolder.ts';

const canary = 'canary-7f3b';

describe('deleting', () => {
  let folder: StoreFolder;
  let store: Store;
  const chat = newConversationId();
  const run = newRunId();
  const prompt = userMessage(run, `${canary} prompt`);

  beforeEach(async () => {
    folder = new StoreFolder();
    store = folder.window();
    const call = callId('c');
    const filler = `${canary} `.repeat(2_000);
    // The operations log keeps the title with each call, but not what a call gave, also when the conversation is gone:
    // docs/operations-log.md.
    await store.runs.createConversation({ ...conversation(chat, 'Disk'), systemPrompt: canary });
    await store.runs.startRun({ runId: run, conversationId: chat, startedAt: 1 });
    await store.runs.recordEvent(
      event(run, chat, {
        kind: 'toolStarted',
        callId: callId('unsaved'),
        toolName: 'ssh_exec_run',
        ground: { kind: 'proof' },
        mode: 'ask',
      }),
    );
    await store.runs.recordEvent(
      event(run, chat, {
        kind: 'toolFinished',
        message: toolMessage(run, callId('unsaved'), canary),
        outcome: 'succeeded',
      }),
    );
    await store.runs.enqueue(chat, userMessage(run, `${canary} queued`));
    await store.runs.recordCompaction(chat, {
      messageId: newMessageId(),
      boundary: prompt.id,
      summary: canary,
      createdAt: 1,
    });
    await store.runs.saveRun({
      runId: run,
      conversationId: chat,
      startedAt: 1,
      state: 'completed',
      appended: [prompt, assistantMessage(run, [call], filler), toolMessage(run, call, filler)],
    });
    const parts = await store.requestLog.keep(chat, [
      part(`${canary} prompt`, prompt.id),
      part(`${canary} block`),
    ]);
    await store.requestLog.add(chat, request('r', { at: prompt.createdAt, purpose: canary }), parts);
    await store.search.search({ query: canary, offset: 0, limit: 5 }, new AbortController().signal);
  });
  afterEach(() => folder.dispose());

  it('a conversation leaves nothing of itself in any file, while the store stays open', async () => {
    await folder.window().hosts.put(hostRecord());
    assert.ok(folder.bytes().includes(canary));
    const before = statSync(folder.paths.database).size + statSync(folder.paths.writeAheadLog).size;
    await store.runs.deleteConversation(chat);
    assert.ok(!folder.bytes().includes(canary));
    const after = statSync(folder.paths.database).size + statSync(folder.paths.writeAheadLog).size;
    assert.ok(after < before, 'the space is given back');
  });

  it('a conversation in which nothing was called leaves its title nowhere', async () => {
    const id = newConversationId();
    await store.runs.createConversation(conversation(id, 'kanarie-title'));
    assert.ok(folder.bytes().includes('kanarie-title'));
    await store.runs.deleteConversation(id);
    assert.ok(!folder.bytes().includes('kanarie-title'));
  });

  it('what is cut off leaves nothing either', async () => {
    folder
      .outsider()
      .exec("PRAGMA secure_delete = ON; UPDATE conversations SET system_prompt = 'x'; DELETE FROM inbox;");
    await store.runs.truncateFrom(chat, prompt.id);
    assert.ok(!folder.bytes().includes(canary));
  });

  it('a host leaves nothing', async () => {
    const host = await store.hosts.put({ ...hostRecord(), label: 'kanarie-label', user: 'kanarie-user' });
    await store.hosts.learn(host.id, { home: '/home/kanarie' });
    assert.ok(folder.bytes().includes('kanarie'));
    await store.hosts.remove(host.id);
    assert.ok(!folder.bytes().includes('kanarie'));
  });

  it('takes the copy of an older schema along', async () => {
    writeFileSync(folder.paths.copy, canary);
    await store.runs.deleteConversation(chat);
    assert.equal(existsSync(folder.paths.copy), false);
  });
});
