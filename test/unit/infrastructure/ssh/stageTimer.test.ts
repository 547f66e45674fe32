import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { StageTimer } from '../../../../src/infrastructure/ssh/stageTimer.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('TRAP-3: the timer of an attempt', () => {
  const setUp = (): { clock: FakeClock; timer: StageTimer; expired: () => number; expire: () => void } => {
    const clock = new FakeClock();
    let count = 0;
    return { clock, timer: new StageTimer(clock), expired: () => count, expire: () => (count += 1) };
  };

  it('expires once after its time', async () => {
    const { clock, timer, expired, expire } = setUp();
    timer.start(30_000, expire);
    await clock.advance(29_999);
    assert.equal(expired(), 0);
    await clock.advance(60_000);
    assert.equal(expired(), 1);
  });

  it('KH-12: stands still while questions are open, also nested ones, and goes on with what was left', async () => {
    const { clock, timer, expired, expire } = setUp();
    timer.start(30_000, expire);
    await clock.advance(20_000);
    timer.pause();
    timer.pause();
    await clock.advance(3_600_000);
    timer.resume();
    await clock.advance(3_600_000);
    timer.resume();
    await clock.advance(9_999);
    assert.equal(expired(), 0);
    await clock.advance(1);
    assert.equal(expired(), 1);
  });

  it('a stage that begins while a question is open begins to count when it is closed', async () => {
    const { clock, timer, expired, expire } = setUp();
    timer.pause();
    timer.start(1_000, expire);
    await clock.advance(5_000);
    timer.resume();
    await clock.advance(999);
    assert.equal(expired(), 0);
    await clock.advance(1);
    assert.equal(expired(), 1);
  });

  it('a stopped or disposed timer leaves nothing behind', async () => {
    const { clock, timer, expired, expire } = setUp();
    timer.start(1_000, expire);
    timer.stop();
    timer.pause();
    timer.resume();
    assert.equal(clock.pending, 0);
    timer.start(1_000, expire);
    timer.dispose();
    await clock.advance(5_000);
    assert.deepEqual([clock.pending, expired()], [0, 0]);
  });
});
