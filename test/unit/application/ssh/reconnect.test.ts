import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import {
  connectionFault,
  faultError,
  type ConnectionFaultCode,
} from '../../../../src/domain/ssh/connectionFault.ts';
import { settle } from '../../../support/fakeClock.ts';
import { codeOf, ManagerBench, never, targetFor } from './managerBench.ts';

const link = { stage: 'link', hop: 'op@lab', outcome: 'unknown' } as const;

describe('a lost connection', () => {
  let bench: ManagerBench;
  let startedAt: number;
  beforeEach(() => {
    bench = new ManagerBench();
  });
  const state = () => bench.manager.state(bench.host);
  const lose = async (code: ConnectionFaultCode = 'link-lost'): Promise<void> => {
    startedAt = bench.clock.now();
    bench.opened.at(-1)?.end(connectionFault(code, link));
    await settle();
  };
  /** Attempts fail by `code`; the seconds at which each began are noted. */
  const failing = (code: ConnectionFaultCode = 'refused'): number[] => {
    const at: number[] = [];
    bench.attempt = () => {
      at.push((bench.clock.now() - startedAt) / 1000);
      return Promise.reject(faultError(connectionFault(code, { stage: 'transport', hop: 'op@lab' })));
    };
    return at;
  };

  it('that nobody wants back stays lost', async () => {
    await bench.manager.acquire(bench.host, 'exec', never);
    await lose();
    await bench.clock.advance(3_600_000);
    assert.deepEqual([state().k, bench.requests.length], ['stopped', 1]);
    assert.equal(bench.clock.pending, 0);
  });

  for (const purpose of ['terminal', 'forward', 'sftp-browse'] as const)
    it(`of a lease for ${purpose} is opened again after a second`, async () => {
      const lease = await bench.manager.acquire(bench.host, purpose, never);
      await lose();
      assert.deepEqual(state(), {
        k: 'waiting',
        attempt: 1,
        at: startedAt + 1_000,
        fault: connectionFault('link-lost', link),
      });
      await bench.clock.advance(1_000);
      assert.deepEqual([state().k, bench.requests.length], ['ready', 2]);
      assert.deepEqual(
        bench.states.slice(-4),
        ['waiting', 'resolving', 'connecting', 'ready'],
        'a stop is not shown in between',
      );
      assert.equal(bench.requests[1]?.mayAsk(), false);
      assert.deepEqual(bench.recents, [{ hostId: bench.host, ok: true }], 'recents are what somebody wanted');
      lease.release();
    });

  it('is tried after 1, 2, 4, 8, 15, 30, 60 and 60 s, and not beyond half an hour', async () => {
    const wanted = bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    const at = failing();
    await lose();
    await bench.clock.advance(40 * 60_000);
    assert.deepEqual(at.slice(0, 9), [1, 3, 7, 15, 30, 60, 120, 180, 240]);
    assert.equal(at.at(-1), 1_800);
    const last = state();
    assert.deepEqual([last.k, last.k === 'stopped' && last.fault.code], ['stopped', 'refused']);
    assert.equal(bench.clock.pending, 0);
    wanted.dispose();
  });

  for (const code of ['auth-failed', 'key-changed', 'config-error', 'not-ssh', 'agent-missing'] as const)
    it(`is not tried again after ${code}`, async () => {
      bench.manager.keepConnected(bench.host);
      await bench.manager.acquire(bench.host, 'exec', never);
      const at = failing(code);
      await lose();
      await bench.clock.advance(600_000);
      const last = state();
      assert.deepEqual([at, last.k, last.k === 'stopped' && last.fault.code], [[1], 'stopped', code]);
      assert.equal(bench.clock.pending, 0);
    });

  it('that could come back with an answer only waits for the person', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    bench.attempt = async (request) => {
      if (!request.mayAsk()) throw faultError(connectionFault('answer-needed', { ...link, stage: 'auth' }));
    };
    await lose();
    await bench.clock.advance(600_000);
    const waiting = state();
    assert.deepEqual(
      [waiting.k, waiting.k === 'waiting' && [waiting.attempt, waiting.at, waiting.fault.code]],
      ['waiting', [2, undefined, 'answer-needed']],
    );
    bench.wakeSignals.fire('network');
    await bench.clock.advance(1_000);
    assert.equal(bench.requests.length, 2, 'nobody is asked because of a network change');
    bench.manager.reconnectNow(bench.host);
    await bench.clock.advance(0);
    assert.equal(state().k, 'ready');
  });

  it('may be asked for again by anybody meanwhile, who then is the one to be asked', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    await lose();
    const held = bench.hold();
    await bench.clock.advance(1_000);
    const [own] = bench.requests.slice(-1);
    assert.equal(own?.mayAsk(), false);
    const caller = bench.manager.acquire(bench.host, 'exec', never);
    await settle();
    assert.equal(own.mayAsk(), true);
    held.succeed();
    await caller;
    assert.equal(bench.requests.length, 2);
  });

  it('a caller who gives up leaves it waiting as before', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    failing();
    await lose();
    await bench.clock.advance(1_000);
    const before = state();
    bench.hold();
    const abort = new AbortController();
    const caller = codeOf(bench.manager.acquire(bench.host, 'exec', abort.signal));
    await settle();
    await settle();
    assert.equal(state().k, 'connecting');
    abort.abort(new Error('enough'));
    await caller;
    await settle();
    assert.deepEqual([before.k, state()], ['waiting', before]);
  });

  it('is given up when nobody wants it any more, or by disconnect', async () => {
    const lease = await bench.manager.acquire(bench.host, 'terminal', never);
    failing();
    await lose();
    lease.release();
    assert.deepEqual([state().k, bench.clock.pending], ['stopped', 0]);
    bench.attempt = async () => undefined;
    await bench.manager.acquire(bench.host, 'terminal', never);
    failing();
    await lose();
    bench.manager.disconnect(bench.host);
    assert.deepEqual([state().k, bench.clock.pending], ['idle', 0]);
  });

  it('by the own disconnect or by idleness is not lost', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'terminal', never);
    bench.manager.disconnect(bench.host);
    await bench.clock.advance(600_000);
    assert.deepEqual([state().k, bench.requests.length], ['idle', 1]);
  });

  it('is tried at once after a network change, but no more than 6 times a minute', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    const at = failing();
    await lose();
    for (let n = 0; n < 8; n++) {
      bench.wakeSignals.fire('network');
      await bench.clock.advance(100);
    }
    assert.deepEqual(at, [0, 0.1, 0.2, 0.3, 0.4], 'with the connect before them they are six');
    await bench.clock.advance(59_300);
    assert.ok(at.length >= 6);
    for (const from of at) assert.ok(at.filter((one) => one >= from && one < from + 60).length <= 6);
  });

  it('is tried at once after sleep, with half an hour anew', async () => {
    bench.manager.keepConnected(bench.host);
    await bench.manager.acquire(bench.host, 'exec', never);
    const at = failing();
    await lose();
    await bench.clock.advance(130_000);
    const before = at.length;
    bench.clock.sleepThrough(8 * 3_600_000);
    await bench.clock.advance(0);
    assert.equal(at.length, before + 1);
    await bench.clock.advance(600_000);
    assert.equal(state().k, 'waiting');
  });

  it('behind a jump host comes back as soon as that does, without an attempt of its own for each', async () => {
    const gate = targetFor(newHostId(), { label: 'gate', addresses: ['192.0.2.2'] });
    const hosts = [1, 2, 3].map((n) => {
      const host = newHostId();
      const route = { k: 'jump', via: gate } as const;
      bench.targets.set(host, targetFor(host, { addresses: [`10.0.0.${String(n)}`], route }));
      return host;
    });
    for (const host of hosts) await bench.manager.acquire(host, 'terminal', never);
    assert.equal(bench.opened.length, 4);
    failing();
    startedAt = bench.clock.now();
    bench.opened[0]?.end(connectionFault('link-lost', link));
    await settle();
    assert.deepEqual(
      hosts.map((host) => bench.manager.state(host).k),
      ['waiting', 'waiting', 'waiting'],
    );
    await bench.clock.advance(100_000);
    const perMinute = bench.requests.slice(4).map(({ target }) => target.label);
    assert.deepEqual([...new Set(perMinute)], ['gate'], 'nothing is tried behind a gate that is closed');
    assert.ok(perMinute.length <= 12, `${String(perMinute.length)} attempts in 100 s`);
    bench.attempt = async () => undefined;
    const before = bench.requests.length;
    await bench.clock.advance(61_000);
    assert.deepEqual(
      hosts.map((host) => bench.manager.state(host).k),
      ['ready', 'ready', 'ready'],
    );
    assert.equal(bench.requests.length - before, 4);
  });
});

describe('a moment in which the line may have changed', () => {
  it('probes every open connection once, with 5 s to answer', async () => {
    const bench = new ManagerBench();
    const other = newHostId();
    bench.targets.set(other, targetFor(other, { user: 'root' }));
    await bench.manager.acquire(bench.host, 'exec', never);
    await bench.manager.acquire(other, 'exec', never);
    const checks = (): readonly (readonly number[])[] => bench.opened.map((transport) => transport.checks);
    bench.wakeSignals.fire('focus');
    assert.deepEqual(checks(), [[5_000], [5_000]]);
    bench.wakeSignals.fire('network');
    assert.deepEqual(checks(), [
      [5_000, 5_000],
      [5_000, 5_000],
    ]);
    bench.clock.sleepThrough(60_000);
    await bench.clock.advance(0);
    assert.deepEqual(
      checks().map((list) => list.length),
      [3, 3],
    );
    await bench.clock.advance(300_000);
    assert.equal(checks()[0]?.length, 3, 'time that passes as it should is no sleep');
  });
});
