import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { newForwardId, type ForwardId } from '../../../src/domain/forward/forward.ts';
import { thisProcess } from '../../../src/infrastructure/store/leases.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { StoreFolder } from './storeFolder.ts';

describe('the lease of a forward', () => {
  let folder: StoreFolder;
  let clock: FakeClock;
  let id: ForwardId;
  beforeEach(() => {
    folder = new StoreFolder();
    clock = new FakeClock();
    id = newForwardId();
  });
  afterEach(() => folder.dispose());

  it('belongs to one window until that gives it back', async () => {
    const here = folder.window({ clock, windowId: 'here' }).forwardLeases;
    const there = folder.window({ clock, windowId: 'there' }).forwardLeases;
    assert.equal(await here.take(id), true);
    assert.equal(await there.take(id), false);
    assert.equal(await here.take(id), true);
    assert.equal(await there.take(newForwardId()), true);
    await there.release(id);
    assert.equal(await there.take(id), false, 'a stranger cannot give it back');
    await here.release(id);
    assert.equal(await there.take(id), true);
  });

  it('is nobody’s after 45 seconds without renewal, and not before', async () => {
    const here = folder.window({ clock, windowId: 'here' }).forwardLeases;
    const there = folder.window({ clock, windowId: 'there' }).forwardLeases;
    await here.take(id);
    await clock.advance(40_000);
    await here.take(id);
    await clock.advance(45_000);
    assert.equal(await there.take(id), false);
    await clock.advance(1);
    assert.equal(await there.take(id), true);
    assert.equal(await here.take(id), false);
  });

  it('is nobody’s at once when its process has ended', async () => {
    const there = folder.window({ clock, windowId: 'there' }).forwardLeases;
    await there.take(id);
    const child = spawn('true');
    await once(child, 'exit');
    folder
      .outsider()
      .prepare(
        "UPDATE forward_leases SET lease_window = 'gone', lease_pid = ?, lease_machine = ?, lease_start = ''",
      )
      .run(child.pid ?? 0, thisProcess('').machine);
    assert.equal(await there.take(id), true);
  });
});
