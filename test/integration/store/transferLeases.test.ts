import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { leaseLimitMs } from '../../../src/infrastructure/store/leases.ts';
import { transferRecord } from '../../contract/transfers.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { StoreFolder } from './storeFolder.ts';

describe('transfers of two windows', () => {
  let folder: StoreFolder;
  let clock: FakeClock;
  beforeEach(() => {
    folder = new StoreFolder();
    clock = new FakeClock();
  });
  afterEach(() => folder.dispose());

  it('are seen by both and worked on by one', async () => {
    const here = folder.window({ clock, windowId: 'here' }).transfers;
    const there = folder.window({ clock, windowId: 'there' }).transfers;
    const record = transferRecord({ state: 'running' });
    await here.add(record);
    assert.deepEqual(await there.list(), [{ record, holder: 'elsewhere' }]);
    assert.equal(await there.take(record.id), undefined);
    assert.equal(await there.save({ ...record, state: 'cancelled' }, 'release'), false);
    await there.remove([record.id]);
    assert.deepEqual(await here.list(), [{ record, holder: 'here' }]);
    await here.save(record, 'release');
    assert.deepEqual(await there.take(record.id), record);
    assert.equal(await here.take(record.id), undefined);
  });

  it('are nobody’s when their window was not heard of for 45 seconds', async () => {
    const here = folder.window({ clock, windowId: 'here' }).transfers;
    const there = folder.window({ clock, windowId: 'there' }).transfers;
    const record = transferRecord({ state: 'running' });
    await here.add(record);
    await clock.advance(leaseLimitMs);
    assert.equal((await there.get(record.id))?.holder, 'elsewhere');
    await clock.advance(1);
    assert.equal((await there.get(record.id))?.holder, undefined);
    assert.deepEqual(await there.take(record.id), record);
    assert.equal(await here.save(record, 'hold'), false);
  });

  it('that cannot be read cost themselves only', async () => {
    const { transfers } = folder.window({ clock });
    const good = transferRecord();
    for (const record of [good, transferRecord({ addedAt: 2 })]) await transfers.add(record);
    folder.outsider().exec("UPDATE transfers SET payload = '{}' WHERE added_at = 2");
    assert.deepEqual(
      (await transfers.list()).map(({ record }) => record.id),
      [good.id],
    );
  });
});
