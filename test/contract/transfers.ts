import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { mostTransfers, type TransferStorePort } from '../../src/application/ports/transfers.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import {
  newTransferId,
  type TransferId,
  type TransferRecord,
} from '../../src/domain/transfer/transferRecord.ts';
import type { FakeClock } from '../support/fakeClock.ts';
import { withFault } from '../integration/store/storeFolder.ts';

export interface TransfersFixture {
  readonly store: TransferStorePort;
  readonly clock: FakeClock;
  dispose(): void;
}

export function transferRecord(parts: Partial<TransferRecord> = {}): TransferRecord {
  return {
    id: newTransferId(),
    kind: 'file',
    from: { k: 'local', folder: '/home/deploy', path: ['release.tar'] },
    to: { k: 'remote', host: newHostId(), path: '/srv/release.tar' },
    policy: 'ask',
    verify: false,
    by: 'person',
    state: 'queued',
    addedAt: 1,
    starts: 0,
    doneBytes: 0,
    doneFiles: 0,
    skippedFiles: 0,
    failedFiles: 0,
    failures: [],
    renamed: [],
    changedFiles: 0,
    ...parts,
  };
}

/** What every store of transfers does. */
export function describeTransfers(name: string, open: () => TransfersFixture): void {
  describe(`transfers in ${name}`, () => {
    let fixture: TransfersFixture;
    let store: TransferStorePort;
    beforeEach(() => {
      fixture = open();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    const ids = async (): Promise<readonly TransferId[]> =>
      (await store.list()).map(({ record }) => record.id);

    it('are listed with the newest first, and each as it was written', async () => {
      const old = transferRecord({ addedAt: 1 });
      const young = transferRecord({
        addedAt: 2,
        kind: 'folder',
        from: { k: 'remote', host: newHostId(), path: '/srv/\u{10feff}' },
        to: { k: 'local', folder: '/home', path: [] },
        failures: [
          {
            path: '/srv/a',
            fault: { code: 'denied', stage: 'sftp', facts: { path: '/a' }, retry: 'user', outcome: 'failed' },
          },
        ],
      });
      await store.add(old);
      await store.add(young);
      assert.deepEqual(await store.list(), [
        { record: young, holder: 'here' },
        { record: old, holder: 'here' },
      ]);
      assert.deepEqual(await store.get(old.id), { record: old, holder: 'here' });
      assert.equal(await store.get(newTransferId()), undefined);
    });

    it('are written by the window that holds them, and by no other', async () => {
      const record = transferRecord();
      await store.add(record);
      assert.equal(await store.save({ ...record, state: 'running' }, 'hold'), true);
      const paused = { ...record, state: 'paused' as const };
      assert.equal(await store.save(paused, 'release'), true);
      assert.deepEqual(await store.get(record.id), { record: paused, holder: undefined });
      assert.equal(await store.save(record, 'hold'), false, 'given back');
      assert.deepEqual(await store.take(record.id), paused);
      assert.equal(await store.save(record, 'hold'), true);
      assert.equal(await store.take(newTransferId()), undefined);
    });

    it('are removed unless somebody works on them', async () => {
      const held = transferRecord();
      const free = transferRecord();
      for (const record of [held, free]) await store.add(record);
      await store.save(free, 'release');
      await store.remove([held.id, free.id, newTransferId()]);
      assert.deepEqual(await ids(), [held.id]);
    });

    it('make room for new ones, the finished first, and refuse when there is none', async () => {
      const finished = transferRecord({ state: 'completed', addedAt: 0 });
      await store.add(finished);
      for (let n = 1; n < mostTransfers; n++) await store.add(transferRecord({ addedAt: n }));
      await store.add(transferRecord({ addedAt: mostTransfers }));
      assert.equal((await ids()).includes(finished.id), false);
      assert.equal((await ids()).length, mostTransfers);
      await assert.rejects(store.add(transferRecord()), withFault('transfers-full'));
    });

    it('of tools stay for a day after their end, and not longer', async () => {
      const { clock } = fixture;
      const asked = transferRecord({ by: 'tool', state: 'completed', finishedAt: clock.now() });
      await store.add(asked);
      await clock.advance(24 * 60 * 60 * 1_000 - 1);
      await store.add(transferRecord({ addedAt: 2 }));
      assert.equal((await ids()).length, 2);
      await clock.advance(1);
      await store.add(transferRecord({ addedAt: 3 }));
      assert.equal((await ids()).includes(asked.id), false);
    });
  });
}
