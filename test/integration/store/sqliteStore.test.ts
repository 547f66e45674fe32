import { systemClock } from '../../../src/agentkit/index.ts';
import { describeGrants } from '../../contract/grants.ts';
import { describeHostStore } from '../../contract/hostStore.ts';
import { describeKnownHostsStore } from '../../contract/knownHostsStore.ts';
import { describeMessageSearch } from '../../contract/messageSearch.ts';
import { describeOperations } from '../../contract/operations.ts';
import { describeRequestLog, maxLogBytes } from '../../contract/requestLog.ts';
import { describeRunStore } from '../../contract/runStore.ts';
import { describeTransfers } from '../../contract/transfers.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { StoreFolder } from './storeFolder.ts';

describeRunStore('SQLite', async () => {
  const folder = new StoreFolder();
  const clock = new FakeClock();
  return { store: folder.window({ clock }).runs, clock, dispose: () => folder.dispose() };
});
describeHostStore('SQLite', async () => {
  const folder = new StoreFolder();
  return { store: folder.window({ clock: systemClock }).hosts, dispose: () => folder.dispose() };
});
describeKnownHostsStore('SQLite', async () => {
  const folder = new StoreFolder();
  return { store: folder.window().knownHosts, dispose: () => folder.dispose() };
});
describeGrants('SQLite', async () => {
  const folder = new StoreFolder();
  const { grants, runs } = folder.window();
  return { grants, runs, dispose: () => folder.dispose() };
});
describeRequestLog('SQLite', async () => {
  const folder = new StoreFolder();
  const { requestLog, runs } = folder.window({ requestLogBytes: maxLogBytes });
  return { log: requestLog, runs, dispose: () => folder.dispose() };
});
describeOperations('SQLite', async () => {
  const folder = new StoreFolder();
  const clock = new FakeClock();
  const { operations, runs } = folder.window({ clock, windowId: 'one' });
  return { log: operations, runs, clock, window: 'one', dispose: () => folder.dispose() };
});
for (const fullText of [true, false])
  describeMessageSearch(fullText ? 'SQLite' : 'SQLite without full-text search', async () => {
    const folder = new StoreFolder();
    const clock = new FakeClock();
    const { search, runs } = folder.window({ clock, fullText });
    return { search, runs, clock, dispose: () => folder.dispose() };
  });
describeTransfers('SQLite', () => {
  const folder = new StoreFolder();
  const clock = new FakeClock();
  return { store: folder.window({ clock }).transfers, clock, dispose: () => folder.dispose() };
});
