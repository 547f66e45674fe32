import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import type { Target } from '../../../../src/domain/ssh/target.ts';
import { connectionFault, faultError } from '../../../../src/domain/ssh/connectionFault.ts';
import { settle } from '../../../support/fakeClock.ts';
import { codeOf, ManagerBench, never, place, targetFor } from './managerBench.ts';

describe('leases on connections', () => {
  it('concurrent callers share one resolution, one attempt and one connection', async () => {
    const bench = new ManagerBench();
    const held = bench.hold();
    const acquired = Promise.all([
      bench.manager.acquire(bench.host, 'terminal', never),
      bench.manager.acquire(bench.host, 'agent-exec', never),
    ]);
    await settle();
    await settle();
    held.succeed();
    const leases = await acquired;
    assert.deepEqual([bench.resolutions, bench.requests.length, bench.opened.length], [1, 1, 1]);
    assert.deepEqual(
      leases.map((lease) => lease.user),
      ['op', 'op'],
    );
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual([bench.resolutions, bench.requests.length], [1, 1]);
    assert.deepEqual(bench.states, ['resolving', 'connecting', 'ready']);
  });

  it('two hosts with the same resolved target share the connection, and both show its state', async () => {
    const bench = new ManagerBench();
    const other = newHostId();
    bench.targets.set(other, targetFor(other));
    await Promise.all([
      bench.manager.acquire(bench.host, 'exec', never),
      bench.manager.acquire(other, 'exec', never),
    ]);
    assert.equal(bench.opened.length, 1);
    assert.deepEqual([bench.manager.state(bench.host).k, bench.manager.state(other).k], ['ready', 'ready']);
    bench.opened[0]?.liveness.fire({ k: 'suspect' });
    assert.deepEqual(
      [bench.manager.state(bench.host).k, bench.manager.state(other).k],
      ['suspect', 'suspect'],
    );
  });

  it('somebody who may not ask gets the connection, and otherwise hears that a person has to answer', async () => {
    const bench = new ManagerBench();
    bench.attempt = async (request) => {
      if (!request.mayAsk()) throw faultError(connectionFault('answer-needed', place));
    };
    assert.equal(
      await codeOf(bench.manager.acquireUnasked(bench.host, 'sftp-browse', never)),
      'answer-needed',
    );
    const lease = await bench.manager.acquire(bench.host, 'terminal', never);
    const unasked = await bench.manager.acquireUnasked(bench.host, 'sftp-browse', never);
    assert.deepEqual([unasked.user, bench.opened.length, bench.recents.length], ['op', 1, 1]);
    lease.release();
    unasked.release();
  });

  it('somebody who may not ask does not try a refused sign-in again', async () => {
    const bench = new ManagerBench();
    bench.attempt = async () => {
      throw faultError(connectionFault('auth-failed', place));
    };
    const code = (): Promise<string> =>
      codeOf(bench.manager.acquireUnasked(bench.host, 'sftp-browse', never));
    assert.deepEqual([await code(), await code(), bench.requests.length], ['auth-failed', 'auth-failed', 1]);
  });

  it('the banner of a connection is taken once, and that of the next one once more', async () => {
    const bench = new ManagerBench();
    const take = async (): Promise<string> =>
      (await bench.manager.acquire(bench.host, 'exec', never)).takeBanner();
    assert.deepEqual([await take(), await take()], ['Mind the gap', '']);
    bench.opened[0]?.end(connectionFault('link-lost', place));
    assert.deepEqual([await take(), await take()], ['Mind the gap', '']);
    assert.equal(bench.opened.length, 2);
  });

  it('the next attempt looks for the password where the host keeps it by then', async () => {
    const bench = new ManagerBench();
    const place = (reference: string | undefined): Partial<Target> => ({
      passwordPlace: { reference, account: 'op@lab' },
    });
    bench.targets.set(bench.host, targetFor(bench.host, place(undefined)));
    await bench.manager.acquire(bench.host, 'exec', never);
    bench.targets.set(bench.host, targetFor(bench.host, place('kept')));
    bench.changes.fire();
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.equal(bench.opened.length, 1, 'the same target keeps its connection');
    bench.opened[0]?.end(connectionFault('link-lost', { stage: 'link', hop: 'op@lab' }));
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual(
      bench.requests.map(({ target }) => target.passwordPlace?.reference),
      [undefined, 'kept'],
    );
  });

  it('another user is another connection', async () => {
    const bench = new ManagerBench();
    const other = newHostId();
    bench.targets.set(other, targetFor(other, { user: 'root' }));
    await bench.manager.acquire(bench.host, 'exec', never);
    await bench.manager.acquire(other, 'exec', never);
    assert.equal(bench.opened.length, 2);
  });

  it('an abort ends one caller only; the attempt goes on for the other', async () => {
    const bench = new ManagerBench();
    const held = bench.hold();
    const abort = new AbortController();
    const first = codeOf(bench.manager.acquire(bench.host, 'exec', abort.signal));
    const second = bench.manager.acquire(bench.host, 'exec', never);
    await settle();
    await settle();
    abort.abort(new Error('enough'));
    assert.match(await first, /enough/);
    assert.equal(bench.signals[0]?.aborted, false);
    held.succeed();
    await second;
    assert.equal(bench.opened.length, 1);
  });

  it('when nobody waits any more the attempt is ended, which closes its prompts, and the state is idle', async () => {
    const bench = new ManagerBench();
    bench.hold();
    const abort = new AbortController();
    const only = codeOf(bench.manager.acquire(bench.host, 'exec', abort.signal));
    await settle();
    await settle();
    bench.requests[0]?.onProgress({ k: 'asking', what: 'password' });
    assert.deepEqual(bench.manager.state(bench.host), { k: 'asking', hop: 1, what: 'password' });
    abort.abort(new Error('enough'));
    await only;
    await settle();
    assert.deepEqual([bench.signals[0]?.aborted, bench.manager.state(bench.host).k], [true, 'idle']);
    assert.deepEqual(bench.recents, []);
  });

  it('an attempt that was given up says nothing about the next one', async () => {
    const bench = new ManagerBench();
    let endFirst = (): void => {};
    bench.attempt = () => new Promise((_, reject) => (endFirst = () => reject(new Error('late'))));
    const abort = new AbortController();
    const first = codeOf(bench.manager.acquire(bench.host, 'exec', abort.signal));
    await settle();
    await settle();
    abort.abort(new Error('enough'));
    await first;
    const held = bench.hold();
    const second = bench.manager.acquire(bench.host, 'exec', never);
    await settle();
    await settle();
    endFirst();
    await settle();
    assert.equal(bench.manager.state(bench.host).k, 'connecting');
    held.succeed();
    await second;
    assert.equal(bench.manager.state(bench.host).k, 'ready');
  });

  it('every caller gets the one fault of the attempt, and the next acquire tries again', async () => {
    const bench = new ManagerBench();
    const held = bench.hold();
    const codes = Promise.all([
      codeOf(bench.manager.acquire(bench.host, 'exec', never)),
      codeOf(bench.manager.acquire(bench.host, 'exec', never)),
    ]);
    await settle();
    await settle();
    held.fail(connectionFault('auth-failed', place, { tried: 'x' }));
    assert.deepEqual(await codes, ['auth-failed', 'auth-failed']);
    const state = bench.manager.state(bench.host);
    assert.deepEqual([state.k, state.k === 'stopped' && state.fault.code], ['stopped', 'auth-failed']);
    bench.attempt = async () => undefined;
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.equal(bench.manager.state(bench.host).k, 'ready');
    assert.deepEqual(
      bench.recents.map(({ ok }) => ok),
      [false, true],
    );
  });

  it('a refused sign-in is not tried again for tools, until a person connects, the host changes or ten minutes are over', async () => {
    const bench = new ManagerBench();
    const refuse = async (): Promise<never> => {
      throw faultError(connectionFault('auth-failed', place, { tried: 'x' }));
    };
    const forTool = (): Promise<string> => codeOf(bench.manager.acquire(bench.host, 'agent-exec', never));
    bench.attempt = refuse;
    for (let n = 0; n < 3; n++) assert.equal(await forTool(), 'auth-failed');
    assert.equal(bench.requests.length, 1);

    await codeOf(bench.manager.acquire(bench.host, 'terminal', never));
    assert.equal(bench.requests.length, 2, 'a person is not held back');

    bench.changes.fire();
    await forTool();
    assert.equal(bench.requests.length, 3, 'the host has changed');

    await bench.clock.advance(600_000);
    await forTool();
    await forTool();
    assert.equal(bench.requests.length, 4, 'ten minutes are over');
  });

  it('the key that opened a host is offered first the next time', async () => {
    const bench = new ManagerBench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    bench.opened[0]?.end(connectionFault('link-lost', place));
    await lease.lost;
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual(
      bench.requests.map((request) => request.lastSucceeded),
      [undefined, 'SHA256:key'],
    );
  });

  it('an unknown host stops with its fault', async () => {
    const bench = new ManagerBench();
    const missing = newHostId();
    assert.equal(await codeOf(bench.manager.acquire(missing, 'exec', never)), 'unknown-host');
    assert.equal(bench.manager.state(missing).k, 'stopped');
  });
});

describe('the end of a connection', () => {
  it('comes 60 s after the last lease was released, and not while one is held', async () => {
    const bench = new ManagerBench();
    const first = await bench.manager.acquire(bench.host, 'exec', never);
    const second = await bench.manager.acquire(bench.host, 'terminal', never);
    first.release();
    first.release();
    await bench.clock.advance(300_000);
    assert.equal(bench.manager.state(bench.host).k, 'ready');
    second.release();
    await bench.clock.advance(59_000);
    const third = await bench.manager.acquire(bench.host, 'exec', never);
    await bench.clock.advance(300_000);
    assert.deepEqual([bench.manager.state(bench.host).k, bench.opened.length], ['ready', 1]);
    third.release();
    await bench.clock.advance(60_000);
    assert.deepEqual([bench.manager.state(bench.host).k, bench.clock.pending], ['idle', 0]);
  });

  it('of a jump host comes 60 s after the end of the last connection that it carries', async () => {
    const bench = new ManagerBench();
    const gate = targetFor(newHostId(), { label: 'gate', addresses: ['192.0.2.2'] });
    bench.targets.set(bench.host, targetFor(bench.host, { route: { k: 'jump', via: gate } }));
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual(
      bench.requests.map(({ hop, via }) => [hop.label, hop.index, hop.count, via?.hop]),
      [
        ['gate', 1, 2, undefined],
        ['lab', 2, 2, 'op@gate (hop 1 of 2)'],
      ],
    );
    await bench.clock.advance(300_000);
    lease.release();
    await bench.clock.advance(60_000);
    assert.deepEqual(
      [bench.manager.state(bench.host).k, bench.manager.state(gate.hostId).k],
      ['idle', 'ready'],
    );
    await bench.clock.advance(60_000);
    assert.deepEqual([bench.manager.state(gate.hostId).k, bench.clock.pending], ['idle', 0]);
  });

  it('of a jump host ends what it carries by the same fault, before that notices by itself', async () => {
    const bench = new ManagerBench();
    const gate = targetFor(newHostId(), { label: 'gate', addresses: ['192.0.2.2'] });
    bench.targets.set(bench.host, targetFor(bench.host, { route: { k: 'jump', via: gate } }));
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    const fault = connectionFault('not-responding', { stage: 'link', hop: 'op@gate (hop 1 of 2)' });
    bench.opened[0]?.end(fault);
    assert.deepEqual(bench.manager.state(bench.host), {
      k: 'stopped',
      fault: { ...fault, outcome: 'unknown' },
    });
    assert.equal((await lease.lost).code, 'not-responding');
  });

  it('of a jump host during the attempt behind it is the fault of that attempt', async () => {
    const bench = new ManagerBench();
    const gate = targetFor(newHostId(), { label: 'gate', addresses: ['192.0.2.2'] });
    bench.targets.set(bench.host, targetFor(bench.host, { route: { k: 'jump', via: gate } }));
    bench.hold();
    const { attempt: hold } = bench;
    bench.attempt = async (request, signal) => {
      if (request.hop.label !== 'gate') await hold(request, signal);
    };
    const attempt = codeOf(bench.manager.acquire(bench.host, 'exec', never));
    for (let n = 0; n < 6; n++) await settle();
    bench.opened[0]?.end(connectionFault('link-lost', { stage: 'link', hop: 'op@gate (hop 1 of 2)' }));
    assert.equal(await attempt, 'link-lost');
  });

  it('is told to every lease with the fault, and shown', async () => {
    const bench = new ManagerBench();
    const leases = [
      await bench.manager.acquire(bench.host, 'exec', never),
      await bench.manager.acquire(bench.host, 'exec', never),
    ];
    bench.opened[0]?.end(
      connectionFault('not-responding', { stage: 'link', hop: 'op@lab', outcome: 'unknown' }),
    );
    const faults = await Promise.all(leases.map((lease) => lease.lost));
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['not-responding', 'not-responding'],
    );
    const state = bench.manager.state(bench.host);
    assert.deepEqual([state.k, state.k === 'stopped' && state.fault.code], ['stopped', 'not-responding']);
    assert.equal(bench.manager.negotiated(bench.host), undefined);
    for (const lease of leases) lease.release();
    assert.equal(bench.clock.pending, 0);
  });

  it('by disconnect is at once, also for an attempt under way', async () => {
    const bench = new ManagerBench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    bench.manager.disconnect(bench.host);
    assert.equal((await lease.lost).code, 'cancelled');
    await settle();
    assert.equal(bench.manager.state(bench.host).k, 'idle');
    bench.hold();
    const waiting = codeOf(bench.manager.acquire(bench.host, 'exec', never));
    await settle();
    await settle();
    bench.manager.disconnect(bench.host);
    assert.equal(await waiting, 'cancelled');
    assert.equal(bench.manager.state(bench.host).k, 'idle');
  });

  it('by dispose leaves nothing behind and refuses what comes later', async () => {
    const bench = new ManagerBench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    bench.manager.dispose();
    await lease.lost;
    assert.equal(await codeOf(bench.manager.acquire(bench.host, 'exec', never)), 'cancelled');
    assert.equal(bench.clock.pending, 0);
  });

  it('a released lease carries nothing any more', async () => {
    const bench = new ManagerBench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    lease.release();
    assert.equal(await codeOf(lease.exec('true', never)), 'cancelled');
    assert.deepEqual(bench.opened[0]?.commands, []);
  });
});

describe('a change of the configuration', () => {
  it('is looked at by the next acquire; an unchanged target keeps its connection', async () => {
    const bench = new ManagerBench();
    await bench.manager.acquire(bench.host, 'exec', never);
    bench.changes.fire();
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual([bench.resolutions, bench.opened.length], [2, 1]);
    assert.equal(bench.states.filter((k) => k === 'resolving').length, 1);
  });

  it('a changed target gets a connection of its own; the old one lives as long as its leases', async () => {
    const bench = new ManagerBench();
    const old = await bench.manager.acquire(bench.host, 'exec', never);
    bench.targets.set(bench.host, targetFor(bench.host, { port: 2222 }));
    bench.changes.fire();
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.equal(bench.opened.length, 2);
    old.release();
    await bench.clock.advance(60_000);
    assert.equal((await bench.opened[0]?.lost)?.code, 'cancelled');
    assert.equal(bench.manager.state(bench.host).k, 'ready');
  });

  it('in the middle of an attempt is looked at for whoever asks behind it, and not for who asked before', async () => {
    const bench = new ManagerBench();
    const held = bench.hold();
    const before = bench.manager.acquire(bench.host, 'terminal', never);
    await settle();
    await settle();
    bench.targets.set(bench.host, targetFor(bench.host, { port: 2222 }));
    bench.changes.fire();
    const behind = bench.manager.acquire(bench.host, 'agent-exec', never);
    await settle();
    bench.attempt = async () => undefined;
    held.succeed();
    assert.deepEqual([(await before).port, (await behind).port], [22, 2222]);
  });
});
