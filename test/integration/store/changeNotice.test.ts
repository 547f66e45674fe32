import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { StoreArea } from '../../../src/application/ports/store.ts';
import type { Store } from '../../../src/infrastructure/store/openStore.ts';
import { newRunId } from '../../../src/agentkit/index.ts';
import { hostRecord } from '../../contract/hostStore.ts';
import { knownHost } from '../../contract/knownHostsStore.ts';
import { conversation } from '../../contract/runStore.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { StoreFolder } from './storeFolder.ts';

function collect(store: Store): StoreArea[] {
  const areas: StoreArea[] = [];
  store.state.onDidChangeRows((area) => areas.push(area));
  return areas;
}

function nextChange(store: Store): Promise<StoreArea> {
  return new Promise((resolve) => {
    const listening = store.state.onDidChangeRows((area) => {
      listening.dispose();
      resolve(area);
    });
  });
}

describe('the change notice', () => {
  let folder: StoreFolder;
  let clock: FakeClock;
  beforeEach(() => {
    folder = new StoreFolder();
    clock = new FakeClock();
  });
  afterEach(() => folder.dispose());

  it('tells a window of its own changes by area, once each', async () => {
    const store = folder.window();
    await store.hosts.put(hostRecord());
    const areas = collect(store);
    await store.hosts.put(hostRecord());
    await store.knownHosts.add(knownHost);
    await store.runs.createConversation(conversation());
    assert.deepEqual(areas, ['hosts', 'knownHosts', 'conversations']);
  });

  it('reaches another window through the mark without any timer', async () => {
    const [here, there] = [folder.window({ clock }), folder.window()];
    await there.hosts.put(hostRecord());
    await here.hosts.list();
    const change = nextChange(here);
    await there.knownHosts.add(knownHost);
    assert.equal(await withinDeadline('the change notice', change), 'knownHosts');
    assert.equal(clock.pending, 0);
  });

  it('is also found by asking, while somebody holds it', async () => {
    // Below the ports nothing touches the mark, and this window only reads.
    const there = folder.databaseOf();
    await there.write({ area: 'hosts' }, () => undefined);
    const here = folder.window({ clock });
    await here.hosts.list();
    const holders = [here.state.keepChecking(), here.state.keepChecking()];
    await clock.advance(750);
    const areas = collect(here);
    await there.write({ area: 'conversations' }, () => undefined);
    await clock.advance(749);
    assert.deepEqual(areas, []);
    await clock.advance(1);
    assert.deepEqual(areas, ['conversations']);
    holders[0]?.dispose();
    holders[0]?.dispose();
    assert.equal(clock.pending, 1, 'the other holder keeps the timer');
    holders[1]?.dispose();
    assert.equal(clock.pending, 0);
  });

  it('a window that saw no store yet is told of everything when another one creates it', async () => {
    const here = folder.window({ clock });
    assert.deepEqual(await here.hosts.list(), []);
    const areas = collect(here);
    const holder = here.state.keepChecking();
    await clock.advance(750);
    assert.deepEqual(areas, []);
    await folder.window().hosts.put(hostRecord());
    await clock.advance(750);
    await settle();
    assert.deepEqual(areas, ['hosts', 'knownHosts', 'conversations', 'transfers']);
    assert.equal((await here.hosts.list()).length, 1);
    holder.dispose();
  });

  it('a renewed lease is nobody else’s business', async () => {
    const store = folder.window();
    const chat = conversation();
    await store.runs.createConversation(chat);
    const runId = newRunId();
    await store.runs.startRun({ runId, conversationId: chat.id, startedAt: 1 });
    const areas = collect(store);
    assert.equal(await store.runs.renewLease(runId), true);
    assert.deepEqual(areas, []);
  });

  it('leaves no timer behind when the store closes', async () => {
    const store = folder.window({ clock });
    await store.hosts.put(hostRecord());
    const holder = store.state.keepChecking();
    store.dispose();
    holder.dispose();
    assert.equal(clock.pending, 0);
  });
});
