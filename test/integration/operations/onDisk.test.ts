import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, newConversationId, newRunId } from '../../../src/agentkit/index.ts';
import { verifyLog } from '../../../src/application/operations/verifyLog.ts';
import type { OperationsPort } from '../../../src/application/ports/operations.ts';
import { connected, listed, proposed } from '../../contract/operations.ts';
import { conversation, event } from '../../contract/runStore.ts';
import { mustRun } from '../../lab/run.ts';
import { StoreFolder } from '../store/storeFolder.ts';

const child = fileURLToPath(new URL('./children/appender.ts', import.meta.url));
const never = new AbortController().signal;
const rowsEach = 2_000;

describe('the operations log on disk', () => {
  let folder: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.dispose());

  it('loses nothing of what two processes add at once, and its chain is whole', async () => {
    const store = folder.window();
    await store.operations.append(connected(0, 'h1', { from: 'first' }));
    await Promise.all(
      ['a', 'b'].map((name) =>
        mustRun(process.execPath, [child, folder.directory, name, String(rowsEach)], { deadlineMs: 240_000 }),
      ),
    );
    const verdict = await verifyLog(store.operations, { kept: undefined }, never);
    assert.deepEqual([verdict.rows, verdict.fault], [1 + 2 * rowsEach, undefined]);
    const numbers: Record<string, string[]> = { a: [], b: [] };
    for (const { entry } of await listed(store.operations.rows(1))) {
      assert.ok(entry?.kind === 'act');
      numbers[entry.facts['from'] ?? '']?.push(entry.facts['number'] ?? '');
    }
    const all = Array.from({ length: rowsEach }, (_, n) => String(n));
    assert.deepEqual(numbers, { a: all, b: all });
  }).timeout(300_000);

  for (const [what, sql] of [
    ['a change', "UPDATE operations SET hash = 'x' WHERE seq = 1"],
    ['a removal', 'DELETE FROM operations WHERE seq = 2'],
    ['a removal at the end', 'DELETE FROM operations WHERE seq = 3'],
    ['a row in between', "INSERT OR REPLACE INTO operations (seq, hash, entry) VALUES (2, 'x', '{}')"],
    ['a row far behind the end', "INSERT INTO operations (seq, hash, entry) VALUES (9, 'x', '{}')"],
    ['an anchor that is no row', "UPDATE operations_anchor SET seq = 2, hash = 'x'"],
    ['an anchor that is gone', 'DELETE FROM operations_anchor'],
  ] as const)
    it(`refuses ${what}`, async () => {
      const { operations } = folder.window();
      for (const at of [1, 2, 3]) await operations.append(connected(at));
      assert.throws(() => folder.outsider().exec(sql), /only added|anchor of the operations/);
      assert.equal((await verifyLog(operations, { kept: undefined }, never)).rows, 3);
    });

  /** Takes the triggers away, as whoever may write the file can, and does something else to it. */
  const tampered = (sql: string): void => {
    const outsider = folder.outsider();
    for (const row of outsider
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'operations%'")
      .all())
      outsider.exec(`DROP TRIGGER "${String(row['name'])}"`);
    outsider.exec(sql);
    outsider.close();
  };

  for (const [what, sql, fault] of [
    [
      'a text that was changed',
      "UPDATE operations SET entry = replace(entry, 'lab', 'dev') WHERE seq = 2",
      { k: 'changed', seq: 2 },
    ],
    [
      'a text that is no JSON any more',
      "UPDATE operations SET entry = '{' WHERE seq = 2",
      { k: 'changed', seq: 2 },
    ],
    ['a row that was removed', 'DELETE FROM operations WHERE seq = 2', { k: 'missing', seq: 2 }],
    ['an end that was cut', 'DELETE FROM operations WHERE seq = 3', { k: 'cut', seq: 3 }],
    [
      'an end that was exchanged for what a row of another log says',
      'DELETE FROM operations WHERE seq = 3; INSERT INTO operations (seq, hash, entry) SELECT 3, hash, entry FROM operations WHERE seq = 1',
      { k: 'misnumbered', seq: 3 },
    ],
    [
      'a front that was cut without a word',
      'UPDATE operations_anchor SET seq = 1, hash = (SELECT hash FROM operations WHERE seq = 1); DELETE FROM operations WHERE seq = 1',
      { k: 'front', seq: 1 },
    ],
  ] as const)
    it(`is found to have ${what}`, async () => {
      const { operations } = folder.window();
      for (const at of [1, 2, 3]) await operations.append(connected(at));
      const { head } = await operations.bounds();
      const kept = { ...head, at: 1 };
      assert.deepEqual((await verifyLog(operations, { kept }, never)).fault, undefined);
      tampered(sql);
      assert.deepEqual((await verifyLog(operations, { kept }, never)).fault, fault);
    });

  it('is whole for a verification under which another window removes old rows', async () => {
    const { operations } = folder.window();
    for (let at = 1; at <= 150; at++) await operations.append(connected(at));
    let walks = 0;
    const underWay: OperationsPort = {
      append: (entry) => operations.append(entry),
      newest: (query) => operations.newest(query),
      bounds: () => operations.bounds(),
      hashAt: (seq) => operations.hashAt(seq),
      prune: (before) => operations.prune(before),
      onDidAppend: operations.onDidAppend,
      async *rows(after) {
        const isFirst = walks++ === 0;
        for await (const row of operations.rows(after)) {
          if (isFirst && row.seq === 50) assert.equal(await operations.prune(120), 119);
          yield row;
        }
      },
    };
    const verdict = await verifyLog(underWay, { kept: undefined }, never);
    assert.deepEqual([verdict.fault, verdict.firstSeq, verdict.rows, walks], [undefined, 120, 32, 2]);
  });

  it('loses any number of old rows and tells of them', async () => {
    const { operations } = folder.window();
    for (let at = 1; at <= 1_250; at++) await operations.append(connected(at));
    assert.equal(await operations.prune(1_240), 1_239);
    const verdict = await verifyLog(operations, { kept: undefined }, never);
    assert.deepEqual([verdict.fault, verdict.firstSeq, verdict.rows], [undefined, 1_240, 11 + 2]);
  }).timeout(120_000);

  it('that was written anew from the start contradicts the row that was kept', async () => {
    const { operations } = folder.window();
    for (const at of [1, 2, 3]) await operations.append(connected(at));
    const { head } = await operations.bounds();
    tampered('DELETE FROM operations');
    for (const at of [4, 5, 6, 7]) await operations.append(connected(at));
    assert.equal((await verifyLog(operations, { kept: undefined }, never)).fault, undefined, 'by itself');
    const verdict = await verifyLog(operations, { kept: { ...head, at: 1 } }, never);
    assert.deepEqual(verdict.fault, { k: 'rewritten', seq: 3 });
  });

  it('keeps a call from being dispatched when it cannot be written', async () => {
    const { runs, operations } = folder.window();
    const [chat, run, call] = [newConversationId(), newRunId(), callId('call_1')];
    await runs.createConversation(conversation(chat));
    await runs.startRun({ runId: run, conversationId: chat, startedAt: 1 });
    await runs.recordEvent(event(run, chat, proposed()));
    folder
      .outsider()
      .exec("CREATE TRIGGER full BEFORE INSERT ON operations BEGIN SELECT raise(ABORT, 'full'); END");
    const started = event(run, chat, {
      kind: 'toolStarted',
      callId: call,
      toolName: 'ssh_exec_run',
      ground: { kind: 'fullAccess' },
      mode: 'full',
    });
    await assert.rejects(runs.recordEvent(started));
    const loaded = await runs.load(chat);
    assert.deepEqual(
      loaded?.calls.map(({ dispatched }) => dispatched),
      [false],
      'nothing of it was stored',
    );
    assert.deepEqual(await listed(operations.rows(0)), []);
  });
});
