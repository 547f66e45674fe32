import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { OutputThrottle } from '../../../../src/application/terminal/outputThrottle.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

function rig() {
  const clock = new FakeClock();
  const log: string[] = [];
  const written: string[] = [];
  const throttle = new OutputThrottle(
    {
      write: (text) => written.push(text),
      pause: () => log.push('pause'),
      resume: () => log.push('resume'),
    },
    clock,
  );
  return { clock, log, written, throttle };
}

describe('output throttle', () => {
  it('writes what arrives, in order and whole', async () => {
    const { clock, written, throttle } = rig();
    throttle.push('one ');
    throttle.push('two');
    await clock.advance(0);
    assert.deepEqual(written, ['one two']);
  });

  it('pauses above 256 KiB, resumes at half of it and drops nothing', async () => {
    const { clock, log, written, throttle } = rig();
    for (let i = 0; i < 5; i++) throttle.push(String(i).repeat(64 * 1024));
    assert.deepEqual(log, ['pause']);
    await clock.advance(0);
    await clock.advance(16);
    assert.deepEqual(log, ['pause']);
    await clock.advance(16);
    assert.deepEqual(log, ['pause', 'resume']);
    await clock.advance(1000);
    assert.equal(written.join(''), [0, 1, 2, 3, 4].map((i) => String(i).repeat(64 * 1024)).join(''));
    assert.ok(written.every((batch) => batch.length <= 64 * 1024));
  });

  it('writes small batches for half a second after a key', async () => {
    const { clock, written, throttle } = rig();
    throttle.inputHappened();
    throttle.push('x'.repeat(40 * 1024));
    await clock.advance(0);
    assert.equal(written[0]?.length, 16 * 1024);
    await clock.advance(500);
    throttle.push('y'.repeat(40 * 1024));
    await clock.advance(16);
    assert.equal(written.at(-1)?.length, 40 * 1024);
  });

  it('never cuts a surrogate pair', async () => {
    const { clock, written, throttle } = rig();
    throttle.push(`${'x'.repeat(64 * 1024 - 1)}😀end`);
    await clock.advance(100);
    assert.deepEqual(
      written.map((batch) => batch.length),
      [64 * 1024 - 1, 5],
    );
  });

  it('writes nothing after it was disposed', async () => {
    const { clock, written, throttle } = rig();
    throttle.push('late');
    throttle.dispose();
    await clock.advance(100);
    assert.deepEqual(written, []);
  });
});
