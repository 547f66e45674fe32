import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Message, newConversationId, newRunId } from '../../../src/agentkit/index.ts';
import { Connection } from '../../../src/infrastructure/store/connection.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { fitMessageIndex } from '../../../src/infrastructure/store/search/messageIndexSchema.ts';
import { assistantMessage, conversation, userMessage } from '../../contract/runStore.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { StoreFolder } from './storeFolder.ts';

const never = new AbortController().signal;

describe('the search of a store on disk', () => {
  let folder: StoreFolder;
  let store: Store;
  const clock = new FakeClock();
  const chat = newConversationId();
  const run = newRunId();

  beforeEach(async () => {
    folder = new StoreFolder();
    store = folder.window({ clock });
    await store.runs.createConversation(conversation(chat));
  });
  afterEach(() => folder.dispose());

  async function write(messages: readonly Message[], to = store): Promise<void> {
    const runId = newRunId();
    await to.runs.startRun({ runId, conversationId: chat, startedAt: 1 });
    await to.runs.saveRun({
      runId,
      conversationId: chat,
      startedAt: 1,
      state: 'completed',
      appended: messages,
    });
  }

  const texts = (...words: readonly string[]): readonly Message[] =>
    words.map((word) => userMessage(run, word));

  async function found(query: string, by = store): Promise<readonly string[]> {
    const page = await by.search.search({ query, offset: 0, limit: 20 }, never);
    return page?.results.map(({ snippet }) => snippet) ?? [];
  }

  const count = (sql: string): unknown => Object.values(folder.outsider().prepare(sql).get() ?? {})[0];
  const waiting = (): unknown => count('SELECT count(*) FROM message_texts WHERE is_indexed = 0');

  /** Throws when the index and the texts do not say the same. Source: https://sqlite.org/fts5.html section 6.8. */
  function checkIndex(): void {
    folder.outsider().exec("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)");
  }

  it('reads an empty store without making one', async () => {
    const other = new StoreFolder();
    const { search } = other.window();
    assert.deepEqual(await search.search({ query: 'disk', offset: 0, limit: 5 }, never), {
      results: [],
      total: 0,
    });
    assert.deepEqual(await search.recent({ offset: 0, limit: 5 }, never), { results: [], total: 0 });
    assert.equal(await search.window({ conversationId: chat, offset: 0, limit: 5 }, never), undefined);
    other.dispose();
  });

  it('takes any query', async () => {
    await write(texts('disk full', 'the "quoted" one', '磁盘'));
    const atoms = [
      'disk',
      '"',
      "'",
      '*',
      '^',
      '(',
      ')',
      ':',
      '{text}',
      ' NEAR/2 ',
      ' AND ',
      ' NOT ',
      '-',
      '+',
      '\0',
      '磁',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(fc.constantFrom(...atoms), { maxLength: 12 }).map((parts) => parts.join('')),
          fc.string({ unit: 'binary', maxLength: 60 }),
        ),
        async (query) => {
          const page = await store.search.search({ query, offset: 0, limit: 5 }, never);
          assert.ok(page !== undefined && page.results.length <= 3);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('finds at once what another window wrote, and not what it removed', async () => {
    const other = folder.window();
    await write(texts('disk one'));
    assert.deepEqual(await found('disk', other), ['disk one']);
    const [two] = texts('disk two');
    assert.ok(two);
    await write([two], other);
    assert.deepEqual(await found('disk'), ['disk two', 'disk one']);
    await other.runs.truncateFrom(chat, two.id);
    assert.deepEqual(await found('disk'), ['disk one']);
    await store.runs.deleteConversation(chat);
    assert.deepEqual(await found('disk', other), []);
    checkIndex();
  });

  it('writing a message only notes that its text waits; the words enter the index when it is quiet', async () => {
    await write(texts('disk one'));
    assert.equal(waiting(), 1);
    await clock.advance(2_000);
    await withinDeadline(
      'the index to be brought up to date',
      (async () => {
        while (waiting() !== 0) await setImmediate();
      })(),
    );
    checkIndex();
  });

  it('texts of any size enter the index', async () => {
    await write(texts(...[1, 2, 3].map((n) => `${'filler '.repeat(45_000)} needle${n}`), 'short needle4'));
    for (const n of [1, 2, 3, 4]) assert.equal((await found(`needle${n}`)).length, 1);
    assert.equal(waiting(), 0);
    checkIndex();
  });

  it('a long conversation leaves the index with everything else', async () => {
    await write(Array.from({ length: 250 }, (_, n) => assistantMessage(run, [], `zqxneedle number ${n}`)));
    assert.equal((await found('zqxneedle')).length, 20);
    assert.match(folder.bytes(), /qxneedle/);
    await store.runs.deleteConversation(chat);
    assert.doesNotMatch(folder.bytes(), /qxneedle/);
    assert.deepEqual(await found('zqxneedle'), []);
    checkIndex();
  });

  it('a removal that fails leaves a conversation that is found again', async () => {
    const messages = texts('disk one', 'disk two');
    await write(messages);
    assert.equal((await found('disk')).length, 2);
    folder
      .outsider()
      .exec("CREATE TRIGGER refuse BEFORE DELETE ON conversations BEGIN SELECT raise(ABORT, 'no'); END");
    await assert.rejects(store.runs.deleteConversation(chat));
    assert.equal(waiting(), 2);
    assert.deepEqual(await found('disk'), ['disk two', 'disk one']);
    checkIndex();
  });

  it('messages from before there were texts are found from the first search on', async () => {
    await write(texts(...Array.from({ length: 130 }, (_, n) => `disk number${n}`)));
    folder
      .outsider()
      .exec('DELETE FROM message_texts; UPDATE text_backlog SET below = 1 + (SELECT max(key) FROM messages)');
    const other = folder.window();
    const [one, two] = await Promise.all([found('number7'), found('number129', other)]);
    assert.deepEqual([one, two], [['disk number7'], ['disk number129']]);
    assert.equal(count('SELECT count(*) FROM message_texts'), 130);
    checkIndex();
  });

  it('a message that is written while older texts are missing is found too', async () => {
    await write(texts('disk one', 'disk two'));
    folder.outsider().exec('DELETE FROM message_texts; UPDATE text_backlog SET below = 1000');
    await write(texts('disk three'));
    assert.deepEqual(await found('disk'), ['disk three', 'disk two', 'disk one']);
  });

  it('a store of a newer Termind is searched and not written', async () => {
    await write(texts('disk one'));
    store.dispose();
    folder.outsider().exec('PRAGMA user_version = 99');
    const newer = folder.window();
    assert.deepEqual(await found('disk', newer), ['disk one']);
    assert.equal(waiting(), 1);
  });

  describe('in a runtime without full-text search', () => {
    it('finds by looking at the texts, and the index is made when there can be one', async () => {
      store.dispose();
      folder.dispose();
      folder = new StoreFolder();
      const without = folder.window({ fullText: false });
      await without.runs.createConversation(conversation(chat));
      await write(texts('disk one'), without);
      assert.deepEqual(await found('disk', without), ['disk one']);
      without.dispose();
      const other = folder.window();
      assert.deepEqual(await found('disk', other), ['disk one']);
      assert.equal(waiting(), 0);
      checkIndex();
    });

    it('an index that cannot be kept is emptied, and deleting works', async () => {
      await write(texts('zqxcanary one'));
      assert.equal((await found('zqxcanary')).length, 1);
      store.dispose();
      const database = new DatabaseSync(folder.paths.database);
      // Here the module is there and guards its tables; where it is missing nobody does.
      const enableDefensive: unknown = Reflect.get(database, 'enableDefensive');
      if (typeof enableDefensive === 'function') Reflect.apply(enableDefensive, database, [false]);
      database.exec('PRAGMA secure_delete = ON');
      const connection = new Connection(database);
      connection.transaction('write', () => fitMessageIndex(connection, false));
      connection.close();

      const without = folder.window({ fullText: false });
      assert.deepEqual(await found('zqxcanary', without), ['zqxcanary one']);
      await without.runs.deleteConversation(chat);
      assert.doesNotMatch(folder.bytes(), /qxcanary/);
      await without.runs.createConversation(conversation(chat));
      await write(texts('disk two'), without);
      without.dispose();

      assert.deepEqual(await found('disk', folder.window()), ['disk two']);
      assert.equal(waiting(), 0);
      checkIndex();
    });
  });
});
