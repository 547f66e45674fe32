import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { bytes, lockOwner, says, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

describe('the scratch lock', () => {
  let place: ScratchFolder;
  let lock: string;
  beforeEach(() => {
    place = scratchFolder();
    lock = `${place.root}.lock`;
  });
  afterEach(() => place.remove());

  function heldBy(owner: object, at: number): void {
    writeFileSync(lock, JSON.stringify({ ...lockOwner.self, ...owner, at, token: 'theirs' }));
    utimesSync(lock, at / 1_000, at / 1_000);
  }

  it('names its owner and the time while an operation runs, and is gone behind it', async () => {
    const scratch = place.open();
    let seen: unknown;
    await scratch.update(
      'a',
      () => {
        seen = JSON.parse(readFileSync(lock, 'utf8'));
        return bytes('x');
      },
      signal,
    );
    const { at, token, ...owner } = seen as { at: number; token: string };
    assert.deepEqual(owner, lockOwner.self);
    assert.ok(Math.abs(Date.now() - at) < 60_000 && token.length === 36);
    assert.ok(!existsSync(lock));
  });

  it('replaces an owner that is dead at once, and counts again', async () => {
    const scratch = place.open();
    await scratch.write('a', { bytes: bytes('x') }, signal);
    writeFileSync(path.join(place.root, 'half written'), '12345');
    heldBy({ pid: await deadProcess() }, Date.now());
    const written = await scratch.write('b', { bytes: bytes('y') }, signal);
    assert.deepEqual([written.totals.bytes, written.totals.files], [7, 3]);
    assert.ok(!existsSync(lock) && !existsSync(`${lock}.takeover`));
  });

  it('replaces a later process that got the id of the owner', async () => {
    heldBy({ startToken: 'another start' }, Date.now());
    await place.open().write('a', { bytes: bytes('x') }, signal);
  });

  it('waits for a living owner, then says that scratch is busy', async () => {
    const clock = new FakeClock(Date.now());
    heldBy({ machine: 'another machine', pid: 1 }, clock.now());
    const scratch = place.open({ clock });
    const attempt = scratch.write('a', { bytes: bytes('x') }, signal);
    const outcome = assert.rejects(attempt, says('Scratch is busy in another window.'));
    await advanceUntilSettled(attempt, clock, () =>
      utimesSync(lock, clock.now() / 1_000, clock.now() / 1_000),
    );
    await outcome;
    assert.ok(existsSync(lock));
  });

  it('replaces an owner that is silent for ten seconds', async () => {
    const clock = new FakeClock(Date.now());
    heldBy({ machine: 'another machine', pid: 1 }, clock.now());
    const attempt = place.open({ clock }).write('a', { bytes: bytes('x') }, signal);
    const waited = await advanceUntilSettled(attempt, clock);
    assert.equal((await attempt).created, true);
    assert.ok(waited >= 10_000);
  });

  it('replaces a lock that was never written to its end', async () => {
    const clock = new FakeClock(Date.now() + 11_000);
    writeFileSync(lock, '{"pid":');
    await place.open({ clock }).write('a', { bytes: bytes('x') }, signal);
  });

  it('a take-over whose process died is cleared away', async () => {
    const clock = new FakeClock(Date.now() + 60_000);
    heldBy({ pid: await deadProcess() }, Date.now());
    writeFileSync(`${lock}.takeover`, '');
    const attempt = place.open({ clock }).write('a', { bytes: bytes('x') }, signal);
    await advanceUntilSettled(attempt, clock);
    assert.equal((await attempt).created, true);
  });

  it('Stop ends the wait', async () => {
    const clock = new FakeClock(Date.now());
    heldBy({ machine: 'another machine', pid: 1 }, clock.now());
    const stop = new AbortController();
    const attempt = place.open({ clock }).write('a', { bytes: bytes('x') }, stop.signal);
    await clock.advance(0);
    stop.abort(new Error('stopped'));
    await assert.rejects(attempt, /stopped/);
  });

  it('an owner that was replaced while its machine slept changes nothing', async () => {
    let sleptMs = 0;
    const clock = {
      ...systemClock,
      now: () => Date.now() + sleptMs,
      monotonic: () => performance.now() + sleptMs,
    };
    const scratch = place.open({ clock });
    await scratch.write('a', { bytes: bytes('old') }, signal);
    const attempt = scratch.update(
      'a',
      () => {
        sleptMs = 20_000;
        rmSync(lock);
        heldBy({}, clock.now());
        return bytes('new');
      },
      signal,
    );
    await assert.rejects(attempt, says('Scratch is busy in another window.'));
    assert.equal(readFileSync(path.join(place.root, 'a'), 'utf8'), 'old');
    assert.match(readFileSync(lock, 'utf8'), /theirs/);
  });
});

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** Moves time on in small steps until the work has settled; how far it went in milliseconds. */
async function advanceUntilSettled(
  work: Promise<unknown>,
  clock: FakeClock,
  step = (): void => {},
): Promise<number> {
  const startedAt = clock.now();
  let settled = false;
  const end = (): void => void (settled = true);
  work.then(end, end);
  while (!settled) {
    if (clock.now() - startedAt > 60_000) throw new Error('nothing settled within a minute of fake time');
    step();
    await (clock.pending > 0 ? clock.advance(20) : settle());
  }
  return clock.now() - startedAt;
}
