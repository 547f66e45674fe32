import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { conversationId, Emitter, type GrantShape } from '../../../../src/agentkit/index.ts';
import { RaisedHosts } from '../../../../src/application/assistant/raisedHosts.ts';
import type { ForwardState } from '../../../../src/application/forwards/forwardState.ts';
import type { KnownForward } from '../../../../src/application/forwards/knownForward.ts';
import { HeadKeeper } from '../../../../src/application/operations/headKeeper.ts';
import {
  noteForwards,
  noteRaises,
  notedGrants,
  notedHostStore,
  notedKnownHosts,
} from '../../../../src/application/operations/notedActs.ts';
import { OperationsLog } from '../../../../src/application/operations/operationsLog.ts';
import type { ActEntry } from '../../../../src/application/ports/operations.ts';
import { usualSocketRules } from '../../../../src/domain/forward/configForwards.ts';
import { asForwardId } from '../../../../src/domain/forward/forward.ts';
import type { HostListing, HostRecord } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { openMemoryStore } from '../../../../src/infrastructure/store/memory/openMemoryStore.ts';
import type { Store } from '../../../../src/infrastructure/store/openStore.ts';
import { knownHost } from '../../../contract/knownHostsStore.ts';
import { listed } from '../../../contract/operations.ts';
import { conversation } from '../../../contract/runStore.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';
import { shapeRedactor } from '../../../support/shapeRedactor.ts';
import { recordingLog } from '../../../support/silentLog.ts';

const dayMs = 86_400_000;

const hostAdded = { kind: 'act', window: 'w1', actor: 'person', what: 'hostAdded', facts: {} } as const;

describe('the operations log for people', () => {
  let clock: FakeClock;
  let store: Store;
  let log: ReturnType<typeof recordingLog>;
  let operations: OperationsLog;
  let keeper: HeadKeeper;
  let keptDays: number;
  let readsFail: boolean;

  beforeEach(() => {
    clock = new FakeClock();
    log = recordingLog();
    store = openMemoryStore({ clock, log });
    keptDays = 180;
    readsFail = false;
    const secrets = new Map<string, string>();
    keeper = new HeadKeeper({
      operations: store.operations,
      secrets: {
        get: async (key) => {
          if (readsFail) throw new Error('no keyring');
          return secrets.get(key);
        },
        set: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
      key: 'head',
      clock,
      log,
    });
    operations = logOf();
  });
  afterEach(() => {
    operations.dispose();
    keeper.dispose();
    store.dispose();
  });

  function logOf(rows: Store['operations'] = store.operations): OperationsLog {
    return new OperationsLog({
      store: rows,
      keeper,
      redactor: shapeRedactor,
      keptDays: () => keptDays,
      window: 'w1',
      clock,
      log,
    });
  }

  async function acts(): Promise<readonly ActEntry[]> {
    await operations.settle();
    const rows = await listed(store.operations.rows(0));
    return rows.flatMap(({ entry }) => (entry?.kind === 'act' ? [entry] : []));
  }
  const told = async (): Promise<readonly unknown[]> =>
    (await acts()).map(({ what, actor, facts, host }) => [what, actor, facts, host?.label]);

  it('holds what is noted in order, redacted, with time and window', async () => {
    operations.note({ what: 'hostAdded', facts: { reason: 'password=hunter2hunter2' } });
    operations.note({ what: 'connected', actor: 'termind', facts: {} });
    assert.deepEqual(await acts(), [
      {
        kind: 'act',
        at: clock.now(),
        window: 'w1',
        actor: 'person',
        what: 'hostAdded',
        facts: { reason: 'password=[redacted]' },
      },
      { kind: 'act', at: clock.now(), window: 'w1', actor: 'termind', what: 'connected', facts: {} },
    ]);
  });

  it('tells in the log of the window what could not be written, and goes on', async () => {
    const rows = store.operations;
    let isFull = true;
    const failing: Store['operations'] = {
      rows: (after) => rows.rows(after),
      newest: (query) => rows.newest(query),
      bounds: () => rows.bounds(),
      hashAt: (seq) => rows.hashAt(seq),
      prune: (before) => rows.prune(before),
      onDidAppend: rows.onDidAppend,
      append: (entry) => (isFull ? Promise.reject(new Error('the disk is full')) : rows.append(entry)),
    };
    operations.dispose();
    operations = logOf(failing);
    operations.note({ what: 'hostAdded', facts: {} });
    await operations.settle();
    isFull = false;
    operations.note({ what: 'hostRemoved', facts: {} });
    assert.deepEqual(
      (await acts()).map(({ what }) => what),
      ['hostRemoved'],
    );
    assert.ok(
      log.lines.includes(
        'warn operations: "hostAdded" is not in the operations log: Error: the disk is full',
      ),
    );
  });

  it('gives the newest operations and says when there are older ones', async () => {
    for (let n = 0; n < 5; n++) operations.note({ what: 'connected', facts: { n: String(n) } });
    const all = await operations.timeline({ hostId: undefined, limit: 5 });
    assert.deepEqual([all.operations.length, all.isCut], [5, false]);
    const some = await operations.timeline({ hostId: undefined, limit: 2 });
    assert.deepEqual(
      [some.operations.map((one) => one.k === 'act' && one.entry.facts['n']), some.isCut],
      [['4', '3'], true],
    );
  });

  it('says when the storage outside cannot be read, and verifies the chain all the same', async () => {
    operations.note({ what: 'connected', facts: {} });
    readsFail = true;
    const { fault, rows, outside, isOutsideUnreadable } = await operations.verify(
      new AbortController().signal,
    );
    assert.deepEqual([fault, rows, outside, isOutsideUnreadable], [undefined, 1, undefined, true]);
  });

  it('finds out that the row which was kept outside was removed, whatever the rows behind it say', async () => {
    operations.note({ what: 'connected', facts: {} });
    await operations.settle();
    await clock.advance(10_000);
    assert.equal((await keeper.read())?.seq, 1);
    for (const at of [2, 3]) await store.operations.append({ ...hostAdded, at: clock.now() + at });
    await store.operations.prune(clock.now() + 3);
    const { fault, outside } = await operations.verify(new AbortController().signal);
    assert.deepEqual([fault, outside?.seq], [{ k: 'removed', seq: 1 }, 1]);
  });

  it('removes nothing while the storage outside cannot be read', async () => {
    operations.note({ what: 'connected', facts: {} });
    await operations.settle();
    await clock.advance(181 * dayMs);
    readsFail = true;
    operations.note({ what: 'connected', facts: {} });
    await operations.settle();
    await settle();
    assert.equal((await listed(store.operations.rows(0))).length, 2);
    assert.match(log.lines.join('\n'), /old rows were not removed: Error: no keyring/);
  });

  it('removes rows that are older than the setting says, at most once a day', async () => {
    const add = async (): Promise<void> => {
      operations.note({ what: 'connected', facts: {} });
      await operations.settle();
      await settle();
    };
    const seqs = async (): Promise<readonly number[]> =>
      (await listed(store.operations.rows(0))).map(({ seq }) => seq);
    await add();
    await clock.advance(181 * dayMs);
    await add();
    assert.deepEqual(await seqs(), [2, 3], 'the old row is gone, and one says so');
    await clock.advance(181 * dayMs - 1);
    keptDays = 0;
    await add();
    assert.deepEqual(await seqs(), [2, 3, 4], 'for ever');
    keptDays = 180;
    await add();
    assert.equal((await seqs())[0], 4);
    keptDays = 1;
    await clock.advance(dayMs / 2);
    await add();
    assert.equal((await seqs())[0], 4, 'not twice a day');
    assert.equal((await operations.verify(new AbortController().signal)).fault, undefined);
  });

  describe('is told', () => {
    const record: HostRecord = {
      id: newHostId(),
      label: 'db1',
      addresses: ['db1.example.com'],
      port: 2222,
      user: 'deploy',
      identity: { kind: 'default' },
      tier: undefined,
      group: undefined,
      tags: [],
      alias: undefined,
      revision: 0,
    };
    const listing: HostListing = {
      id: record.id,
      label: 'db1',
      source: 'vault',
      address: 'db1.example.com',
      port: 2222,
      user: 'deploy',
      group: undefined,
      tags: [],
      tier: 'prod',
      alias: undefined,
    };
    const hosts = { get: async () => listing };

    it('of hosts that are added, changed and removed, and of connects', async () => {
      const noted = notedHostStore(store.hosts, { notes: operations, hosts: () => hosts });
      const stored = await noted.put(record);
      const raised = await noted.put({ ...stored, tier: 'prod', label: 'db1', user: 'root' });
      await noted.put({ ...raised, tags: ['db'] });
      await noted.recordConnect({ hostId: record.id, at: 1, ok: true });
      await noted.recordConnect({ hostId: record.id, at: 2, ok: false });
      await noted.remove(record.id);
      assert.deepEqual(await told(), [
        ['hostAdded', 'person', {}, 'db1'],
        ['tierChanged', 'person', { from: '', to: 'prod' }, 'db1'],
        ['userChanged', 'person', { from: 'deploy', to: 'root' }, 'db1'],
        ['connected', 'termind', {}, 'db1'],
        ['connectFailed', 'termind', {}, 'db1'],
        ['hostRemoved', 'person', {}, 'db1'],
      ]);
      assert.equal((await acts())[0]?.host?.address, 'db1.example.com:2222');
    });

    it('nothing of a change that was refused', async () => {
      const noted = notedHostStore(store.hosts, { notes: operations, hosts: () => hosts });
      await assert.rejects(noted.put({ ...record, revision: 7 }));
      assert.deepEqual(await told(), []);
    });

    it('of host keys that are trusted, replaced and forgotten, with who did it', async () => {
      const noted = notedKnownHosts(store.knownHosts, operations);
      await noted.add(knownHost);
      const { name, port } = knownHost;
      await noted.change({
        remove: [knownHost],
        add: [{ ...knownHost, origin: 'rotation', keyBase64: 'AAAA' }],
        audit: [
          { at: 1, name, port, oldKey: 'old', newKey: 'new', actor: 'person', reason: 'set up anew' },
          { at: 1, name, port: 2222, oldKey: 'old', actor: 'server' },
        ],
      });
      const [first, second, ...audit] = await told();
      assert.match(JSON.stringify(first), /"hostKeyTrusted","person",.*SHA256:/);
      assert.match(JSON.stringify(second), /"hostKeyTrusted","termind",.*"origin":"rotation"/);
      assert.deepEqual(audit, [
        ['hostKeyReplaced', 'person', { name, key: 'old', newKey: 'new', reason: 'set up anew' }, undefined],
        ['hostKeyForgotten', 'termind', { name: `[${name}]:2222`, key: 'old' }, undefined],
      ]);
    });

    it('of what a person allows for a whole conversation, and takes back', async () => {
      const chat = conversation();
      await store.runs.createConversation(chat);
      const noted = notedGrants(store.grants, operations);
      const shape: GrantShape = {
        tool: 'ssh_exec_run',
        targetId: record.id,
        key: { argv: ['df'] },
        action: 'df',
        target: 'db1',
      };
      const { id } = await noted.give(chat.id, shape);
      assert.equal(await noted.revoke(chat.id, id), true);
      assert.equal(await noted.revoke(chat.id, id), false);
      const facts = { conversation: chat.id, tool: 'ssh_exec_run', shape: 'df', target: 'db1', grant: id };
      assert.deepEqual(await told(), [
        ['grantGiven', 'person', facts, undefined],
        ['grantRevoked', 'person', facts, undefined],
      ]);
    });

    it('of a production host that is raised, and when that is over', async () => {
      const raised = new RaisedHosts((error) => assert.fail(String(error)));
      const listening = noteRaises(raised, { notes: operations, hosts });
      const chat = conversationId('c1');
      raised.raise(chat, { id: record.id, label: 'db1' });
      await settle();
      raised.endRun(chat);
      await settle();
      listening.dispose();
      raised.raise(chat, { id: record.id, label: 'db1' });
      await settle();
      assert.deepEqual(await told(), [
        ['hostRaised', 'person', { conversation: chat }, 'db1'],
        ['hostLowered', 'termind', { conversation: chat }, 'db1'],
      ]);
      raised.dispose();
    });

    it('of a forward once when it begins to listen and once when it stops, however its counters move', async () => {
      const changes = new Emitter<KnownForward['id']>();
      const id = asForwardId('f1');
      const forward: KnownForward = {
        id,
        kind: 'local',
        bind: { port: 0 },
        autoStart: 'never',
        destination: { host: 'db.example.com', port: 5432 },
        host: listing,
        sockets: usualSocketRules,
        failsTheConnection: false,
      };
      let state: ForwardState = { k: 'starting' };
      const listening = noteForwards(
        { onDidChange: changes.event, state: () => state, started: [forward] },
        operations,
      );
      changes.fire(id);
      state = { k: 'listening', at: { host: '127.0.0.1', port: 15432 } };
      for (let n = 0; n < 3; n++) changes.fire(id);
      state = { k: 'stopped' };
      for (let n = 0; n < 2; n++) changes.fire(id);
      listening.dispose();
      const facts = { forward: '-L 0:db.example.com:5432', at: '127.0.0.1:15432' };
      assert.deepEqual(await told(), [
        ['forwardStarted', 'termind', facts, 'db1'],
        ['forwardStopped', 'termind', facts, 'db1'],
      ]);
    });
  });
});
