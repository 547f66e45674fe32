import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'mocha';
import { openStore } from '../../../../src/infrastructure/store/openStore.ts';
import { describeGrants } from '../../../contract/grants.ts';
import { describeHostStore } from '../../../contract/hostStore.ts';
import { describeKnownHostsStore, knownHost } from '../../../contract/knownHostsStore.ts';
import { describeMessageSearch } from '../../../contract/messageSearch.ts';
import { describeOperations } from '../../../contract/operations.ts';
import { describeRequestLog, maxLogBytes } from '../../../contract/requestLog.ts';
import { describeRunStore } from '../../../contract/runStore.ts';
import { describeTransfers } from '../../../contract/transfers.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { silentLog } from '../../../support/silentLog.ts';

const directory = '/nonexistent/termind-memory';
const open = (clock = new FakeClock()) =>
  openStore({
    directory,
    clock,
    windowId: 'one',
    log: silentLog,
    sqlite: undefined,
    requestLogBytes: maxLogBytes,
  });

describeRunStore('memory', async () => {
  const clock = new FakeClock();
  const store = open(clock);
  return { store: store.runs, clock, dispose: () => store.dispose() };
});
describeMessageSearch('memory', async () => {
  const clock = new FakeClock();
  const store = open(clock);
  return { search: store.search, runs: store.runs, clock, dispose: () => store.dispose() };
});
describeTransfers('memory', () => {
  const clock = new FakeClock();
  const store = open(clock);
  return { store: store.transfers, clock, dispose: () => store.dispose() };
});
describeGrants('memory', async () => {
  const store = open();
  return { grants: store.grants, runs: store.runs, dispose: () => store.dispose() };
});
describeRequestLog('memory', async () => {
  const store = open();
  return { log: store.requestLog, runs: store.runs, dispose: () => store.dispose() };
});
describeOperations('memory', async () => {
  const clock = new FakeClock();
  const store = open(clock);
  return {
    log: store.operations,
    runs: store.runs,
    clock,
    window: 'one',
    dispose: () => store.dispose(),
  };
});
describeHostStore('memory', async () => {
  const store = open();
  return { store: store.hosts, dispose: () => store.dispose() };
});
describeKnownHostsStore('memory', async () => {
  const store = open();
  return { store: store.knownHosts, dispose: () => store.dispose() };
});

describe('a store without SQLite', () => {
  it('says that nothing is saved, tells of its changes and touches no file', async () => {
    const store = open();
    const areas: string[] = [];
    store.state.onDidChangeRows((area) => areas.push(area));
    await store.knownHosts.add(knownHost);
    assert.deepEqual(store.state.state(), { k: 'memory' });
    assert.deepEqual(areas, ['knownHosts']);
    assert.equal(existsSync(directory), false);
    store.dispose();
  });
});
