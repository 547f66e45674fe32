import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { HeadKeeper } from '../../../../src/application/operations/headKeeper.ts';
import type { OperationsPort } from '../../../../src/application/ports/operations.ts';
import { openMemoryStore } from '../../../../src/infrastructure/store/memory/openMemoryStore.ts';
import { connected } from '../../../contract/operations.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { recordingLog } from '../../../support/silentLog.ts';

describe('the head of the operations log that is kept outside', () => {
  let clock: FakeClock;
  let operations: OperationsPort;
  let keeper: HeadKeeper;
  let log: ReturnType<typeof recordingLog>;
  let secrets: Map<string, string>;
  let writes: number;

  beforeEach(() => {
    clock = new FakeClock();
    log = recordingLog();
    secrets = new Map();
    writes = 0;
    ({ operations } = openMemoryStore({ clock, log }));
    keeper = keeperOf(secrets);
  });
  afterEach(() => {
    keeper.dispose();
    assert.equal(clock.pending, 0, 'no timer is left');
  });

  function keeperOf(kept: Map<string, string>): HeadKeeper {
    return new HeadKeeper({
      operations,
      secrets: {
        get: async (key) => kept.get(key),
        set: async (key, value) => {
          writes++;
          kept.set(key, value);
        },
        delete: async (key) => void kept.delete(key),
      },
      key: 'head',
      clock,
      log,
    });
  }

  it('is that of the newest row, some seconds behind a burst, written once', async () => {
    for (let at = 1; at <= 20; at++) await operations.append(connected(at));
    assert.equal(await keeper.read(), undefined);
    await clock.advance(60_000);
    const { head } = await operations.bounds();
    assert.deepEqual(await keeper.read(), { ...head, at: 1_700_000_005_000 });
    assert.equal(writes, 1);
  });

  it('is kept at once by a window that closes, and not again without a new row', async () => {
    await operations.append(connected(1));
    await keeper.flush();
    await keeper.flush();
    await keeper.keep();
    assert.equal((await keeper.read())?.seq, 1);
    assert.equal(writes, 1);
  });

  it('never goes back to an older row of the same log', async () => {
    for (const at of [1, 2, 3]) await operations.append(connected(at));
    await keeper.keep();
    const newest = await keeper.read();
    const other = keeperOf(secrets);
    await other.keep();
    other.dispose();
    assert.deepEqual(await keeper.read(), newest);
  });

  for (const [what, kept] of [
    ['is newer than the log', { seq: 99, hash: 'x', at: 1 }],
    ['is another row than that of the log', { seq: 1, hash: 'x', at: 1 }],
  ] as const)
    it(`that ${what} stays until a person accepts the log, and the window says so`, async () => {
      secrets.set('head', JSON.stringify(kept));
      for (const at of [1, 2]) await operations.append(connected(at));
      await clock.advance(60_000);
      assert.deepEqual(await keeper.read(), kept);
      assert.match(log.lines.join('\n'), /warn operations: the log is not the one whose end was kept/);
      await keeper.accept();
      assert.equal((await keeper.read())?.seq, 2);
    });

  it('that is gone from the front stays until a person accepts the log', async () => {
    await operations.append(connected(1));
    assert.equal(await keeper.keep(), true);
    for (const at of [2, 3]) await operations.append(connected(at));
    await operations.prune(3);
    assert.equal(await keeper.keep(), false);
    assert.equal((await keeper.read())?.seq, 1);
    await keeper.accept();
    assert.equal((await keeper.read())?.seq, 4, 'the row that says so');
  });

  it('may be the last one that was pruned', async () => {
    for (const at of [1, 2]) await operations.append(connected(at));
    await keeper.keep();
    await operations.append(connected(3));
    await operations.prune(3);
    assert.equal((await operations.bounds()).anchor.seq, 2);
    assert.equal(await keeper.keep(), true);
  });

  for (const text of ['', '{', '[]', '{"seq":"1"}', '{"seq":0,"hash":"x","at":1}'])
    it(`that cannot be read counts as none: ${JSON.stringify(text)}`, async () => {
      secrets.set('head', text);
      await operations.append(connected(1));
      await keeper.keep();
      assert.equal((await keeper.read())?.seq, 1);
    });

  it('is given up with a word in the log where the storage refuses it', async () => {
    keeper.dispose();
    keeper = new HeadKeeper({
      operations,
      secrets: {
        get: async () => undefined,
        set: () => Promise.reject(new Error('no keyring')),
        delete: async () => {},
      },
      key: 'head',
      clock,
      log,
    });
    await operations.append(connected(1));
    await clock.advance(60_000);
    assert.match(log.lines.join('\n'), /the end of the log was not kept: Error: no keyring/);
  });
});
