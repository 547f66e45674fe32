import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProgressMeter } from '../../../../src/application/transfer/engine/progressMeter.ts';
import type { TransferProgress } from '../../../../src/application/transfer/engine/transfer.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('the progress of a transfer', () => {
  it('is told four times a second, with the rate of the last three', async () => {
    const clock = new FakeClock();
    const told: TransferProgress[] = [];
    const meter = new ProgressMeter(clock, (progress) => told.push(progress));
    meter.expect(1);
    meter.sized(100_000, 1);
    meter.had(20_000);
    for (let quarter = 0; quarter < 16; quarter++) {
      meter.moved(2_500);
      await clock.advance(250);
    }
    assert.equal(told.length, 16);
    assert.deepEqual(told[3], {
      doneBytes: 30_000,
      totalBytes: 100_000,
      bytesPerSecond: 10_000,
      secondsLeft: undefined,
      doneFiles: 0,
      totalFiles: 1,
    });
    assert.deepEqual(told[15], {
      doneBytes: 60_000,
      totalBytes: 100_000,
      bytesPerSecond: 10_000,
      secondsLeft: 4,
      doneFiles: 0,
      totalFiles: 1,
    });
    for (let quarter = 0; quarter < 13; quarter++) await clock.advance(250);
    assert.deepEqual([told.at(-1)?.bytesPerSecond, told.at(-1)?.secondsLeft], [0, undefined]);
    meter.fileDone();
    meter.finish();
    assert.deepEqual([told.length, told.at(-1)?.doneFiles], [30, 1]);
    await clock.advance(10_000);
    assert.equal(told.length, 30);
  });

  it('has no total until every file has a size', async () => {
    const clock = new FakeClock();
    const told: TransferProgress[] = [];
    const meter = new ProgressMeter(clock, (progress) => told.push(progress));
    meter.expect(2);
    meter.sized(5, 1);
    await clock.advance(250);
    meter.sized(6, 1);
    await clock.advance(250);
    meter.dispose();
    assert.deepEqual(
      told.map(({ totalBytes }) => totalBytes),
      [undefined, 11],
    );
  });
});
