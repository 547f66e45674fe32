import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { skipBecause } from '../../skip.ts';
import { RouteBench } from './routeBench.ts';
import { faultOf, never, startServer, targetOf, within } from './sshBench.ts';

describe('R5: CON-1: a line on which packets vanish', () => {
  let server: Sshd;
  let inner: Sshd;
  let line: FaultProxy;
  let clock: FakeClock;
  let bench: RouteBench;
  before(async () => {
    [server, inner] = await Promise.all([startServer(), startServer()]);
    line = await startFaultProxy({ port: server.port });
  });
  after(async () => {
    await line.stop();
    await Promise.all([server.stop(), inner.stop()]);
  });
  beforeEach(() => {
    line.set({});
    clock = new FakeClock();
    bench = new RouteBench({ clock });
  });
  afterEach(() => bench.dispose());

  const overLine = (): Target =>
    targetOf({ host: line.host, port: line.port, account: server.account, key: server.key });

  for (const [what, targetFor] of [
    ['to the host', overLine],
    ['to its jump host', () => targetOf(inner, { label: 'inner', route: { k: 'jump', via: overLine() } })],
  ] as const)
    it(`${what}: "not responding" within 15 s, closed within 45 s, and what was pending is unknown`, async () => {
      const target = targetFor();
      const hop = target.route.k === 'jump' ? target.route.via : target;
      const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
      const running = await lease.exec('sleep 60', never);
      line.set({ silence: 'swallow' });
      const lostAt = clock.now();
      const pending = faultOf(lease.exec('true', never));
      let unknownAfter: number | undefined;
      void pending.then(() => (unknownAfter = clock.now() - lostAt));
      await clock.advance(15_000);
      assert.equal(bench.manager.state(hop.hostId).k, 'suspect');
      assert.equal(unknownAfter, undefined);
      await clock.advance(30_000);
      const fault = await within(lease.lost, 'the end');
      assert.equal(fault.code, 'not-responding');
      const state = bench.manager.state(target.hostId);
      assert.equal(state.k === 'stopped' && state.fault.code, 'not-responding');
      const lost = await within(pending, 'the end of the call');
      assert.deepEqual([lost.code, lost.outcome], ['outcome-unknown', 'unknown']);
      assert.equal((await within(running.exit, 'the exit')).kind, 'unknown');
    });

  it('is found out by a probe within 5 s when the machine wakes', async () => {
    const target = overLine();
    const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
    line.set({ silence: 'swallow' });
    clock.sleepThrough(3_600_000);
    await clock.advance(0);
    await clock.advance(5_000);
    assert.equal((await within(lease.lost, 'the end')).code, 'not-responding');
  });

  it('that is mended in time goes on', async () => {
    const target = overLine();
    const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
    line.set({ silence: 'hold' });
    await clock.advance(16_000);
    assert.equal(bench.manager.state(target.hostId).k, 'suspect');
    const ready = new Promise<void>((resolve) => {
      bench.manager.onDidChange(({ state }) => {
        if (state.k === 'ready') resolve();
      });
    });
    line.set({});
    await within(ready, 'the end of the suspicion');
    const channel = await lease.exec('exit 3', never);
    assert.deepEqual(await channel.exit, { kind: 'code', code: 3 });
  });
});

describe('a reconnect of its own accord', function () {
  let server: Sshd;
  let line: FaultProxy;
  let clock: FakeClock;
  let bench: RouteBench;
  before(async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    server = await startServer({ account: { hasPassword: true } });
    line = await startFaultProxy({ port: server.port });
  });
  after(async () => {
    await line.stop();
    await server.stop();
  });
  beforeEach(() => {
    line.set({});
    clock = new FakeClock();
    bench = new RouteBench({ clock });
  });
  afterEach(() => bench.dispose());

  const overLine = (change: Partial<Target> = {}): Target =>
    targetOf({ host: line.host, port: line.port, account: server.account, key: server.key }, change);
  const reached = (target: Target, k: string): Promise<void> =>
    within(
      new Promise<void>((resolve) => {
        if (bench.manager.state(target.hostId).k === k) return resolve();
        bench.manager.onDidChange(({ hostId, state }) => {
          if (hostId === target.hostId && state.k === k) resolve();
        });
      }),
      `the state ${k}`,
    );

  it('comes back over a mended line, for the one who holds a terminal', async () => {
    const target = overLine();
    bench.ssh.person.answerHostKey = () => 'remember';
    const lease = await bench.manager.acquire(bench.host(target), 'terminal', never);
    line.cutAll('reset');
    await reached(target, 'waiting');
    await clock.advance(1_000);
    await reached(target, 'ready');
    assert.equal(bench.ssh.person.hostKeys.length, 1);
    lease.release();
  });

  it('never asks: it waits for the person where a password or an unknown key is in the way', async () => {
    const questions: readonly (readonly [string, Partial<Target>])[] = [
      ['password', { identities: [] }],
      ['hostKey', {}],
    ];
    for (const [what, change] of questions) {
      const target = overLine({ ...change, trustName: `${what}.example` });
      const { person } = bench.ssh;
      person.answerHostKey = () => (what === 'hostKey' ? 'once' : 'remember');
      person.answerSecret = () => server.account.password;
      await bench.manager.acquire(bench.host(target), 'terminal', never);
      const asked = (): number => person.hostKeys.length + person.secrets.length;
      const before = asked();
      line.cutAll('reset');
      await reached(target, 'waiting');
      await clock.advance(1_000);
      await reached(target, 'connecting');
      await reached(target, 'waiting');
      const state = bench.manager.state(target.hostId);
      assert.ok(state.k === 'waiting');
      assert.deepEqual(
        [state.at, state.fault.code, state.fault.facts['what'], asked()],
        [undefined, 'answer-needed', what, before],
      );
      bench.manager.reconnectNow(target.hostId);
      await reached(target, 'ready');
      assert.ok(asked() > before);
      bench.manager.disconnect(target.hostId);
    }
  });
});
