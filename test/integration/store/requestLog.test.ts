import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { newConversationId } from '../../../src/agentkit/index.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { part, request } from '../../contract/requestLog.ts';
import { conversation } from '../../contract/runStore.ts';
import { recordingLog } from '../../support/silentLog.ts';
import { StoreFolder } from './storeFolder.ts';

describe('request logs in a store on disk', () => {
  let folder: StoreFolder;
  let store: Store;
  const chat = newConversationId();

  beforeEach(async () => {
    folder = new StoreFolder();
    store = folder.window();
    await store.runs.createConversation(conversation(chat));
  });
  afterEach(() => folder.dispose());

  it('are one log, whichever window writes', async () => {
    const other = folder.window();
    const [a = 0] = await store.requestLog.keep(chat, [part('a')]);
    await store.requestLog.add(chat, request('r1'), [a]);
    const numbers = await other.requestLog.keep(chat, [part('a'), part('b')]);
    assert.equal(numbers[0], a);
    await other.requestLog.add(chat, request('r2'), numbers);
    const names: string[] = [];
    for await (const { entry } of store.requestLog.entries(chat))
      names.push(entry.kind === 'request' ? entry.requestId : '');
    assert.deepEqual(names, ['r1', 'r2']);
  });

  it('are read in steps, in order and whole', async () => {
    const texts = Array.from({ length: 120 }, (_, n) => `text ${n}`);
    const numbers: number[] = [];
    for (let from = 0; from < texts.length; from += 40)
      numbers.push(
        ...(await store.requestLog.keep(
          chat,
          texts.slice(from, from + 40).map((text) => part(text)),
        )),
      );
    for (const [n, number] of numbers.entries()) await store.requestLog.add(chat, request(`r${n}`), [number]);
    const read: string[] = [];
    for await (const { body } of store.requestLog.parts(chat, [1, 1_000])) read.push(body);
    assert.deepEqual(
      read,
      texts.map((text) => part(text).body),
    );
    let entries = 0;
    for await (const { parts } of store.requestLog.entries(chat)) {
      assert.deepEqual(parts, [[numbers[entries], numbers[entries]]]);
      entries++;
    }
    assert.equal(entries, 120);
  });

  it('lose one entry to one that cannot be read', async () => {
    for (const name of ['r1', 'r2', 'r3']) await store.requestLog.add(chat, request(name), []);
    folder.outsider().exec(`UPDATE request_log SET entry = '{"kind":"secret"}' WHERE key = 2`);
    const log = recordingLog();
    let entries = 0;
    for await (const _ of folder.window({ log }).requestLog.entries(chat)) entries++;
    assert.equal(entries, 2);
    assert.deepEqual(log.lines, ['warn store: an entry of the request log (2) cannot be read']);
  });

  it('use an index for every statement that a run waits for', () => {
    const outsider = folder.outsider();
    for (const sql of [
      'SELECT number FROM request_parts WHERE conversation_id = ? AND hash = ?',
      'SELECT max(number) AS last FROM request_parts WHERE conversation_id = ?',
      'SELECT count(*) AS parts FROM request_parts WHERE conversation_id = ? AND number BETWEEN ? AND ?',
      'SELECT total(bytes) FROM request_parts WHERE conversation_id = ?',
      'SELECT total(bytes) FROM request_log WHERE conversation_id = ?',
      'SELECT key, parts, entry FROM request_log WHERE conversation_id = ? AND key > ? ORDER BY key',
    ]) {
      const plan = outsider
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/gu), () => 1))
        .map((step) => String(step['detail']))
        .join('; ');
      assert.match(plan, /^SEARCH \w+ USING (COVERING )?INDEX [^;]*$/, `${sql}: ${plan}`);
    }
  });
});
