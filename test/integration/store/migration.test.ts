import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { conversationId, messageId, systemClock } from '../../../src/agentkit/index.ts';
import { verifyLog } from '../../../src/application/operations/verifyLog.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { Connection } from '../../../src/infrastructure/store/connection.ts';
import { type Migration, migrations } from '../../../src/infrastructure/store/schema/migrations.ts';
import { knownHost } from '../../contract/knownHostsStore.ts';
import { StoreFolder } from './storeFolder.ts';

const never = new AbortController().signal;
const id = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;

/** A store as that version of the schema wrote it: what people have on their disks. */
const dump = (version: number): string =>
  readFileSync(new URL(`./versions/${version}.sql`, import.meta.url), 'utf8');

function schemaOf(database: DatabaseSync): readonly unknown[] {
  return database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name")
    .all()
    .map((row) => ({ ...row }));
}

describe('migration', () => {
  let folder: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.dispose());

  function restore(version: number): void {
    mkdirSync(folder.directory);
    const database = new DatabaseSync(folder.paths.database);
    database.exec(dump(version));
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  }

  for (let version = 1; version <= migrations.length; version++) {
    it(`a store of version ${version} opens with everything in it`, async () => {
      restore(version);
      const store = folder.window();
      const hostId = parseHostId(id(1));
      assert.ok(hostId);
      const host = await store.hosts.get(hostId);
      assert.deepEqual([host?.label, host?.revision], ['db1', 1]);
      assert.deepEqual(await store.hosts.facts(hostId), {
        os: 'Linux',
        loginShell: 'bash',
        shellFamily: 'posix',
        home: '/root',
      });
      assert.deepEqual(await store.hosts.recents(), [{ hostId, at: 5, ok: true }]);
      assert.deepEqual(await store.knownHosts.rows(), [knownHost]);
      const serials = (await store.knownHosts.certificates()).map(({ serial }) => serial);
      assert.deepEqual(serials, version < 8 ? [] : ['18446744073709551615']);
      const log = await verifyLog(store.operations, { kept: undefined }, never);
      assert.deepEqual([log.rows, log.fault], [version < 9 ? 0 : 3, undefined]);
      assert.equal((await store.grants.list(conversationId(id(2)))).length, version < 10 ? 0 : 1);
      const transfers = (await store.transfers.list()).map(({ record, holder }) => [record.state, holder]);
      assert.deepEqual(transfers, version < 12 ? [] : [['running', 'elsewhere']]);
      assert.equal((await store.runs.interruptLapsedRuns()).length, 0, 'the lease is young and foreign');
      folder.outsider().exec('UPDATE runs SET renewed_at = 0');
      assert.equal((await store.runs.interruptLapsedRuns()).length, 1);
      const loaded = await store.runs.load(conversationId(id(2)));
      assert.ok(loaded);
      assert.equal(loaded.summary.order, version < 11 ? null : 2.5);
      assert.deepEqual(
        loaded.messages.map(({ role, text }) => [role, text]),
        [
          ['user', 'Why is it full?'],
          ['assistant', 'I look.'],
          ['tool', 'Filesystem'],
          ['tool', 'late'],
        ],
      );
      assert.deepEqual(
        loaded.inbox.map(({ message }) => message.id),
        [messageId(id(6))],
      );
      assert.deepEqual(
        loaded.compactions.map(({ summary }) => summary),
        ['# Goal'],
      );
      for (const [query, offset] of [
        ['"is it full"', 0],
        ['look', 1],
        ['filesystem', 2],
        ['late', 3],
      ] as const) {
        const found = await store.search.search({ query, offset: 0, limit: 20 }, never);
        assert.deepEqual(
          found?.results.map((message) => [message.messageOffset, message.matches]),
          [[offset, 1]],
          query,
        );
      }
    });

    it(`the steps up to version ${version} are the ones that were published`, () => {
      const published = new DatabaseSync(':memory:');
      published.exec(dump(version));
      const current = new DatabaseSync(':memory:');
      for (const step of migrations.slice(0, version)) step(new Connection(current));
      assert.deepEqual(schemaOf(current), schemaOf(published));
    });
  }

  describe('to a later version', () => {
    const later: readonly Migration[] = [
      ...migrations,
      (connection) => connection.exec('ALTER TABLE hosts ADD COLUMN note TEXT'),
    ];
    const failing: readonly Migration[] = [
      ...later,
      (connection) => connection.exec('DELETE FROM hosts; SELECT * FROM nowhere;'),
    ];
    const version = (): unknown => folder.outsider().prepare('PRAGMA user_version').get()?.['user_version'];

    it('copies the file first, keeps the copy until the next clean start, and runs each step once', async () => {
      restore(1);
      const first = folder.databaseOf({ migrations: later });
      await first.write({}, () => undefined);
      assert.equal(version(), later.length);
      const copy = new DatabaseSync(folder.paths.copy, { readOnly: true });
      assert.deepEqual({ ...copy.prepare('PRAGMA user_version').get() }, { user_version: 1 });
      assert.deepEqual({ ...copy.prepare('SELECT count(*) AS n FROM messages').get() }, { n: 3 });
      copy.close();
      first.dispose();
      const second = folder.databaseOf({ migrations: later });
      await second.read(() => undefined);
      assert.equal(existsSync(folder.paths.copy), false);
    });

    it('that fails leaves the file as it was', async () => {
      restore(1);
      const database = folder.databaseOf({ migrations: failing });
      await assert.rejects(database.write({}, () => undefined));
      assert.equal(version(), 1);
      assert.equal((await folder.window().hosts.list()).length, 1);
    });

    it('two windows that start at once migrate once', async () => {
      restore(1);
      const windows = [1, 2, 3].map(() => folder.databaseOf({ migrations: later, clock: systemClock }));
      await Promise.all(windows.map((window) => window.write({}, () => undefined)));
      assert.equal(version(), later.length);
    });

    it('an empty store needs no copy', async () => {
      const database = folder.databaseOf({ migrations: later });
      await database.write({}, () => undefined);
      assert.equal(version(), later.length);
      assert.equal(existsSync(folder.paths.copy), false);
    });
  });
});
