import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { hostRecord } from '../../contract/hostStore.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { StoreFolder, withFault } from './storeFolder.ts';

describe('a store that another window has locked', () => {
  let folder: StoreFolder;
  let clock: FakeClock;
  beforeEach(async () => {
    folder = new StoreFolder();
    clock = new FakeClock();
    const first = folder.window();
    await first.hosts.put(hostRecord());
    first.dispose();
  });
  afterEach(() => folder.dispose());

  it('is written as soon as the lock is free', async () => {
    const store = folder.window({ clock });
    await store.hosts.list();
    const other = folder.outsider();
    other.exec('BEGIN IMMEDIATE');
    const put = store.hosts.put(hostRecord());
    await clock.advance(4_000);
    other.exec('COMMIT');
    await clock.advance(1_000);
    assert.equal((await put).revision, 1);
    assert.equal((await store.hosts.list()).length, 2);
  });

  it('is reported after five seconds, keeps its state and is written by the next attempt', async () => {
    const store = folder.window({ clock });
    await store.hosts.list();
    const other = folder.outsider();
    other.exec('BEGIN IMMEDIATE');
    const outcomes = [1, 2, 3].map(() =>
      store.hosts.put(hostRecord()).then(
        () => 'written',
        (error: unknown) => withFault('store-busy')(error) && 'busy',
      ),
    );
    await clock.advance(5_000);
    assert.deepEqual(await Promise.all(outcomes), ['busy', 'busy', 'busy']);
    assert.deepEqual(store.state.state(), { k: 'ready' });
    assert.equal((await store.hosts.list()).length, 1, 'reading goes on beside a writer');
    other.exec('COMMIT');
    await store.hosts.put(hostRecord());
    assert.equal((await store.hosts.list()).length, 2);
    assert.equal(clock.pending, 0);
  });

  it('writes of one window keep their order while they wait', async () => {
    const store = folder.window({ clock });
    const id = newHostId();
    await store.hosts.list();
    const other = folder.outsider();
    other.exec('BEGIN IMMEDIATE');
    const names = ['sh', 'dash', 'bash'];
    const writes = names.map((loginShell) => store.hosts.learn(id, { loginShell }));
    await settle();
    other.exec('COMMIT');
    await clock.advance(5_000);
    await Promise.all(writes);
    assert.deepEqual(await store.hosts.facts(id), { loginShell: 'bash' });
  });

  it('a write that waits is refused when the window closes', async () => {
    const store = folder.window({ clock });
    await store.hosts.list();
    folder.outsider().exec('BEGIN IMMEDIATE');
    const refused = assert.rejects(store.hosts.put(hostRecord()), withFault('store-missing', 'it is closed'));
    await settle();
    store.dispose();
    await refused;
    assert.equal(clock.pending, 0);
  });
});
