import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, type Message, newConversationId, newRunId } from '../../../src/agentkit/index.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { assistantMessage, conversation, toolMessage, userMessage } from '../../contract/runStore.ts';
import { recordingLog } from '../../support/silentLog.ts';
import { StoreFolder } from './storeFolder.ts';

describe('a long conversation', () => {
  let folder: StoreFolder;
  let store: Store;
  const chat = newConversationId();
  const run = newRunId();
  const messages: Message[] = [];
  for (let turn = 0; turn < 500; turn++) {
    const call = callId(`call_${turn}`);
    messages.push(userMessage(run, `${turn}`), assistantMessage(run, [call]), toolMessage(run, call));
  }

  beforeEach(async () => {
    folder = new StoreFolder();
    store = folder.window();
    await store.runs.createConversation(conversation(chat));
    await store.runs.startRun({ runId: run, conversationId: chat, startedAt: 1 });
    await store.runs.saveRun({
      runId: run,
      conversationId: chat,
      startedAt: 1,
      state: 'completed',
      appended: messages,
    });
  });
  afterEach(() => folder.dispose());

  it('is read in steps that let others run, and comes back whole and in order', async () => {
    let turns = 0;
    let isLoaded = false;
    const beat = (): void => {
      turns++;
      if (!isLoaded) setImmediate(beat);
    };
    setImmediate(beat);
    const loaded = await store.runs.load(chat);
    isLoaded = true;
    assert.deepEqual(loaded?.messages, messages);
    assert.equal(loaded.calls.length, 500);
    assert.ok(turns >= messages.length / 200, `${turns} rounds of the event loop`);
  });

  it('large rows make smaller steps', async () => {
    const big = Array.from({ length: 6 }, () => userMessage(run, 'x'.repeat(600_000)));
    await store.runs.saveRun({
      runId: run,
      conversationId: chat,
      startedAt: 1,
      state: 'completed',
      appended: big,
    });
    assert.deepEqual((await store.runs.load(chat))?.messages.slice(-6), big);
  });

  it('is read again when another window cuts it meanwhile', async () => {
    const other = folder.window();
    const cut = messages[600];
    assert.ok(cut);
    const [loaded] = await Promise.all([store.runs.load(chat), other.runs.truncateFrom(chat, cut.id)]);
    const after = messages.slice(0, 600);
    const found = loaded?.messages.length;
    assert.ok(
      found === messages.length || found === after.length,
      `${found} messages: before or after, not between`,
    );
    assert.deepEqual((await store.runs.load(chat))?.messages, after);
  });

  it('one message that cannot be read costs one message', async () => {
    const log = recordingLog();
    const bad = messages[300];
    assert.ok(bad);
    folder.outsider().prepare('UPDATE messages SET payload = \'{"role":"user"}\' WHERE id = ?').run(bad.id);
    const loaded = await folder.window({ log }).runs.load(chat);
    assert.deepEqual(loaded?.messages, messages.toSpliced(300, 1));
    assert.deepEqual(log.lines, [`warn store: the message ${bad.id} cannot be read`]);
  });

  it('uses an index for every statement that reads or writes it', () => {
    const outsider = folder.outsider();
    const plans = (
      [
        'SELECT ordinal, id, payload FROM messages WHERE conversation_id = ? AND ordinal > ? ORDER BY ordinal',
        'SELECT key, run_id FROM calls WHERE conversation_id = ? AND key > ? ORDER BY key',
        'SELECT key FROM calls WHERE conversation_id = ? AND result IS NOT NULL AND answered = 0 AND slot IS NOT NULL ORDER BY slot LIMIT 200',
        'SELECT max(ordinal) FROM messages WHERE conversation_id = ?',
        'SELECT id FROM runs WHERE conversation_id = ? ORDER BY started_at, id',
        'SELECT id FROM runs WHERE ended_at IS NULL',
        'SELECT id FROM conversations ORDER BY updated_at DESC, id LIMIT ?',
        'SELECT id FROM conversations WHERE updated_at <= ? AND (updated_at < ? OR id > ?) ORDER BY updated_at DESC, id LIMIT ?',
        'UPDATE inbox SET in_flight = ? WHERE conversation_id = ? AND id = ?',
      ] as const
    ).map((sql) => {
      const steps = outsider
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/g), () => 1));
      return { sql, plan: steps.map((step) => String(step['detail'])).join('; ') };
    });
    for (const { sql, plan } of plans)
      assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER|^SCAN \w+$/, `${sql}: ${plan}`);
  });
});
