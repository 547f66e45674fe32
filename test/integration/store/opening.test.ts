import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { newConversationId } from '../../../src/agentkit/index.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { Connection } from '../../../src/infrastructure/store/connection.ts';
import { prepare } from '../../../src/infrastructure/store/openFile.ts';
import { migrations } from '../../../src/infrastructure/store/schema/migrations.ts';
import { hostRecord } from '../../contract/hostStore.ts';
import { conversation } from '../../contract/runStore.ts';
import { mustRun } from '../../lab/run.ts';
import { isRoot, passesAsOrdinaryUser } from '../../support/asOrdinaryUser.ts';
import { recordingLog } from '../../support/silentLog.ts';
import { StoreFolder, withFault } from './storeFolder.ts';

describe('opening the store', () => {
  let folder: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.dispose());

  it('touches nothing until something is written, and reads an empty store until then', async () => {
    const store = folder.window();
    assert.deepEqual(await store.hosts.list(), []);
    assert.deepEqual(await store.runs.listConversations(), []);
    assert.deepEqual(await store.runs.interruptLapsedRuns(), []);
    assert.deepEqual(store.state.state(), { k: 'ready' });
    assert.equal(existsSync(folder.directory), false);
    await store.hosts.put(hostRecord());
    assert.equal((await store.hosts.list()).length, 1);
  });

  it('keeps folder and files to the user', async () => {
    const store = folder.window();
    await store.hosts.put(hostRecord());
    await store.knownHosts.add({
      name: 'h',
      port: 22,
      keyType: 'ssh-ed25519',
      keyBase64: 'AAAA',
      origin: 'asked',
      addedAt: 1,
    });
    assert.equal(statSync(folder.directory).mode & 0o777, 0o700);
    const names = readdirSync(folder.directory).sort();
    assert.deepEqual(names, [
      'changes.mark',
      'known_hosts',
      'termind.db',
      'termind.db-shm',
      'termind.db-wal',
    ]);
    for (const name of names) assert.equal(statSync(join(folder.directory, name)).mode & 0o777, 0o600, name);
  });

  it('sets the pragmas of the contract, and full synchronisation only where it is asked for', async () => {
    const database = folder.databaseOf();
    const read = (connection: Connection): Record<string, unknown> =>
      Object.fromEntries(
        ['journal_mode', 'synchronous', 'foreign_keys', 'secure_delete', 'auto_vacuum', 'busy_timeout'].map(
          (name) => [name, connection.pragma(name)],
        ),
      );
    const normal = {
      journal_mode: 'wal',
      synchronous: 1,
      foreign_keys: 1,
      secure_delete: 1,
      auto_vacuum: 2,
      busy_timeout: 10,
    };
    assert.deepEqual(await database.write({}, read), normal);
    assert.deepEqual(await database.write({ isDurable: true }, read), { ...normal, synchronous: 2 });
    assert.deepEqual(await database.write({}, read), normal);
  });

  it('uses a rollback journal where a write-ahead log is refused', () => {
    mkdirSync(folder.directory);
    const connection = new Connection(new DatabaseSync(`file:${folder.paths.database}?vfs=unix-dotfile`));
    prepare(connection);
    assert.equal(connection.pragma('journal_mode'), 'truncate');
    for (const step of migrations) step(connection);
    connection.close();
  });

  it('a closed store leaves one file and no log behind', async () => {
    const store = folder.window();
    await store.hosts.put(hostRecord());
    store.dispose();
    assert.deepEqual(readdirSync(folder.directory).sort(), ['changes.mark', 'termind.db']);
    await assert.rejects(store.hosts.list(), withFault('store-missing', 'it is closed'));
    await assert.rejects(store.hosts.put(hostRecord()), withFault('store-missing', 'it is closed'));
  });

  it('the warning of an experimental module is not printed', async () => {
    const source = `import { openStore } from '${new URL('../../../src/infrastructure/store/openStore.ts', import.meta.url).href}';
      import { systemClock } from '${new URL('../../../src/agentkit/index.ts', import.meta.url).href}';
      const log = { trace() {}, info() {}, warn() {}, error() {} };
      const store = openStore({ directory: process.argv[1], clock: systemClock, windowId: 'w', log });
      await store.runs.createConversation(${JSON.stringify(conversation())});
      await store.runs.deleteConversation('${newConversationId()}');
      store.dispose();
      process.emitWarning('still heard');`;
    const warned = await mustRun('/bin/sh', [
      '-c',
      '"$0" --input-type=module -e "$1" "$2" 2>&1',
      process.execPath,
      source,
      folder.directory,
    ]);
    assert.doesNotMatch(warned, /SQLite/);
    assert.match(warned, /still heard/);
  });

  describe('a file with a newer schema', () => {
    beforeEach(async () => {
      const store = folder.window();
      await store.hosts.put(hostRecord());
      store.dispose();
      folder.outsider().exec('PRAGMA user_version = 99');
    });

    it('is read and never written', async () => {
      const store = folder.window();
      const before = folder.bytes(['termind.db']);
      assert.equal((await store.hosts.list()).length, 1);
      const state = store.state.state();
      assert.equal(state.k === 'readOnly' && state.fault.code, 'store-newer');
      await assert.rejects(store.hosts.put(hostRecord()), withFault('store-newer'));
      await assert.rejects(store.hosts.remove(newHostId()), withFault('store-newer'));
      assert.equal(folder.bytes(['termind.db']), before);
    });

    it('says that it is newer when its tables are not the ones that are asked for', async () => {
      folder.outsider().exec('ALTER TABLE hosts RENAME TO machines');
      await assert.rejects(folder.window().hosts.list(), withFault('store-newer'));
    });

    it('tells its state to whoever listens', async () => {
      const store = folder.window();
      const states: string[] = [];
      store.state.onDidChangeState((state) => states.push(state.k));
      await store.hosts.list();
      assert.deepEqual(states, ['readOnly']);
    });
  });

  describe('a damaged file', () => {
    const rubbish = 'This is no database, and it must stay what it is. '.repeat(100);

    beforeEach(() => {
      mkdirSync(folder.directory);
      writeFileSync(folder.paths.database, rubbish);
    });

    it('is reported and left as it is', async () => {
      const store = folder.window();
      await assert.rejects(store.hosts.list(), withFault('store-damaged'));
      await assert.rejects(store.hosts.put(hostRecord()), withFault('store-damaged'));
      const state = store.state.state();
      assert.equal(state.k === 'unavailable' && state.fault.code, 'store-damaged');
      assert.equal(readFileSync(folder.paths.database, 'utf8'), rubbish);
    });

    it('is set aside on the word of the person, and a new store begins', async () => {
      const store = folder.window();
      await assert.rejects(store.hosts.list(), withFault('store-damaged'));
      const name = await store.state.setAsideDamaged();
      assert.equal(readFileSync(join(folder.directory, name), 'utf8'), rubbish);
      assert.deepEqual(store.state.state(), { k: 'ready' });
      await store.hosts.put(hostRecord());
      assert.equal((await store.hosts.list()).length, 1);
    });

    it('a page that is damaged later is reported, and the rest can be read', async () => {
      writeFileSync(folder.paths.database, '');
      const first = folder.window();
      await first.hosts.put(hostRecord());
      await first.knownHosts.rows();
      first.dispose();
      const outsider = folder.outsider();
      const table = outsider.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'hosts'").get();
      const size = Number(Object.values(outsider.prepare('PRAGMA page_size').get() ?? {})[0]);
      const page = Number(table?.['rootpage']);
      outsider.close();
      const bytes = readFileSync(folder.paths.database);
      bytes.fill(0xff, (page - 1) * size, page * size);
      writeFileSync(folder.paths.database, bytes);
      const store = folder.window();
      await assert.rejects(store.hosts.list(), withFault('store-damaged'));
      assert.deepEqual(await store.knownHosts.rows(), []);
    });
  });

  it('a row that cannot be read costs one row, and the log names it without its content', async () => {
    const log = recordingLog();
    const store = folder.window({ log });
    const good = await store.hosts.put(hostRecord());
    const bad = await store.hosts.put(hostRecord());
    folder.outsider().prepare('UPDATE hosts SET record = ? WHERE id = ?').run('{"label":"secret"', bad.id);
    assert.deepEqual(await store.hosts.list(), [good]);
    assert.equal(await store.hosts.get(bad.id), undefined);
    assert.deepEqual(new Set(log.lines), new Set([`warn store: the host ${bad.id} cannot be read`]));
  });

  it('a folder that cannot be written is read, and a write says why it is refused', async function () {
    if (isRoot) {
      const title = 'a folder that cannot be written';
      return passesAsOrdinaryUser({ file: fileURLToPath(import.meta.url), title, folder: folder.parent });
    }
    const first = folder.window();
    await first.hosts.put(hostRecord());
    first.dispose();
    chmodSync(folder.directory, 0o500);
    const store = folder.window();
    assert.equal((await store.hosts.list()).length, 1);
    const state = store.state.state();
    assert.equal(state.k === 'readOnly' && state.fault.code, 'store-read-only');
    await assert.rejects(store.hosts.put(hostRecord()), withFault('store-read-only'));
    chmodSync(folder.directory, 0o700);
    await store.hosts.put(hostRecord());
    assert.equal((await store.hosts.list()).length, 2);
    assert.deepEqual(store.state.state(), { k: 'ready' });

    const other = new StoreFolder();
    chmodSync(other.parent, 0o500);
    const never = other.window();
    assert.deepEqual(await never.hosts.list(), []);
    await assert.rejects(
      never.hosts.put(hostRecord()),
      withFault('store-read-only', 'its folder is read-only'),
    );
    chmodSync(other.parent, 0o700);
    other.dispose();
  }).timeout(120_000);

  it('a full disk refuses the write and keeps what was there', async () => {
    const database = folder.databaseOf({
      migrations: [
        ...migrations,
        (connection) => {
          const pages = Number(connection.pragma('page_count'));
          connection.pragma('max_page_count', pages + 8);
        },
      ],
    });
    const write = (id: number): Promise<unknown> =>
      database.write({ area: 'hosts' }, (connection) =>
        connection.run(
          'INSERT INTO hosts (id, revision, record) VALUES (?, 1, ?)',
          String(id),
          JSON.stringify('x'.repeat(4_000)),
        ),
      );
    let written = 0;
    await assert.rejects(
      async () => {
        for (; written < 100; written++) await write(written);
      },
      withFault('store-read-only', 'the disk is full'),
    );
    assert.ok(written > 0);
    const rows = await database.read((connection) => connection.all('SELECT id FROM hosts'));
    assert.equal(rows.length, written);
    assert.deepEqual(database.state, { k: 'ready' });
    await database.write({}, (connection) => connection.pragma('max_page_count', 10_000));
    await write(written);
  });
});
