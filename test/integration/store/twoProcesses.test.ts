import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { newConversationId } from '../../../src/agentkit/index.ts';
import { conversation } from '../../contract/runStore.ts';
import { mustRun } from '../../lab/run.ts';
import { StoreFolder } from './storeFolder.ts';

const child = fileURLToPath(new URL('./children/hammer.ts', import.meta.url));
const writes = 10_000;

describe('two processes on one store', () => {
  let folder: StoreFolder;
  afterEach(() => folder.dispose());

  it('lose nothing of 10,000 writes each, and the file stays sound', async () => {
    folder = new StoreFolder();
    const store = folder.window();
    const own = [newConversationId(), newConversationId()];
    const shared = newConversationId();
    for (const id of [...own, shared]) await store.runs.createConversation(conversation(id));
    await Promise.all(
      own.map((id) =>
        mustRun(process.execPath, [child, folder.directory, id, shared, String(writes)], {
          deadlineMs: 110_000,
        }),
      ),
    );
    const numbers = Array.from({ length: writes / 2 }, (_, n) => String(n));
    for (const id of own) {
      const loaded = await store.runs.load(id);
      assert.deepEqual(
        loaded?.messages.map((message) => (message.role === 'user' ? message.text : '')),
        numbers,
      );
      assert.equal(loaded.summary.messageCount, numbers.length);
    }
    const queued = (await store.runs.load(shared))?.inbox.map(({ message }) => message.text) ?? [];
    assert.equal(queued.length, writes);
    for (const id of own)
      assert.deepEqual(
        queued.filter((text) => text.startsWith(id)),
        numbers.map((n) => `${id} ${n}`),
        'in the order in which each process wrote them',
      );
    assert.deepEqual(
      { ...folder.outsider().prepare('PRAGMA integrity_check').get() },
      { integrity_check: 'ok' },
    );
  }).timeout(120_000);
});
