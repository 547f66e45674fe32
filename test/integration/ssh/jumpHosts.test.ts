import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { startFaultProxy } from '../../lab/faultProxy.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { skipBecause } from '../../skip.ts';
import { RouteBench } from './routeBench.ts';
import { faultOf, finish, never, startServer, targetOf, within } from './sshBench.ts';

/** Resolves when `isSo`, which other events bring about. */
const until = (isSo: () => boolean, what: string): Promise<void> =>
  within(
    (async () => {
      while (!isSo()) await settle();
    })(),
    what,
  );

const behind = (server: Sshd, via: Target, change: Partial<Target> = {}): Target =>
  targetOf(server, { label: 'db', route: { k: 'jump', via }, ...change });

describe('a host behind jump hosts', () => {
  let gate: Sshd;
  let bastion: Sshd;
  let db: Sshd;
  let bench: RouteBench;
  before(async () => {
    [gate, bastion, db] = await Promise.all([startServer(), startServer(), startServer()]);
  });
  after(() => Promise.all([gate, bastion, db].map((server) => server.stop())));
  beforeEach(() => (bench = new RouteBench()));
  afterEach(() => bench.dispose());

  const atGate = (change: Partial<Target> = {}): Target => targetOf(gate, { label: 'gate', ...change });
  const connections = (server: Sshd): number => server.log().match(/Accepted publickey/g)?.length ?? 0;

  it('is reached through one and through two of them, each asked about under its own name', async () => {
    const one = behind(db, atGate());
    assert.equal(await bench.run(one, 'echo through one'), 'through one\n');
    const user = gate.account.name;
    assert.deepEqual(
      bench.ssh.person.hostKeys.map(({ hop }) => hop),
      [`${user}@gate (hop 1 of 2)`, `${db.account.name}@db (hop 2 of 2, via gate)`],
    );
    const two = behind(db, behind(bastion, atGate(), { label: 'bastion' }));
    assert.equal(await bench.run(two, 'echo through two'), 'through two\n');
    assert.deepEqual(
      bench.ssh.person.hostKeys.slice(2).map(({ hop }) => hop),
      [
        `${bastion.account.name}@bastion (hop 2 of 3, via gate)`,
        `${db.account.name}@db (hop 3 of 3, via gate, bastion)`,
      ],
    );
    assert.deepEqual(
      bench.traced(two).map((facts) => facts.find((fact) => /carrier|already/.test(fact))),
      [
        `${user}@gate (hop 1 of 2): alreadyConnected`,
        `${bastion.account.name}@bastion (hop 2 of 3, via gate): carrier`,
        `${db.account.name}@db (hop 3 of 3, via gate, bastion): carrier`,
      ],
    );
  });

  it('its jump host is a host like any other, and shows that it is connected', async () => {
    const hop = atGate();
    const lease = await bench.manager.acquire(bench.host(behind(db, hop)), 'exec', never);
    assert.equal(bench.manager.state(hop.hostId).k, 'ready');
    const before = connections(gate);
    assert.equal(await bench.run(hop, 'echo itself'), 'itself\n');
    assert.equal(connections(gate), before);
    lease.release();
  });

  it('20 targets behind one jump host use one connection to it', async () => {
    const before = [connections(gate), connections(db)];
    const hop = atGate();
    const targets = Array.from({ length: 20 }, (_, n) => behind(db, hop, { connectTimeoutMs: 20_000 + n }));
    bench.ssh.person.answerHostKey = () => 'remember';
    const said = await Promise.all(targets.map((target, n) => bench.run(target, `echo ${String(n)}`)));
    assert.deepEqual(
      said,
      targets.map((_, n) => `${String(n)}\n`),
    );
    assert.deepEqual(
      [connections(gate), connections(db)].map((count, n) => count - (before[n] ?? 0)),
      [1, 20],
    );
  });

  it('tells which hop is being connected and asks', async () => {
    const states: unknown[] = [];
    const target = behind(db, atGate());
    bench.manager.onDidChange(({ hostId, state }) => {
      if (hostId === target.hostId && state.k !== 'ready') states.push(state);
    });
    await bench.run(target, 'true');
    assert.deepEqual(states, [
      { k: 'resolving' },
      { k: 'connecting', hop: 1 },
      { k: 'asking', hop: 1, what: 'hostKey' },
      { k: 'connecting', hop: 1 },
      { k: 'connecting', hop: 2 },
      { k: 'asking', hop: 2, what: 'hostKey' },
      { k: 'connecting', hop: 2 },
    ]);
  });

  it('the end of a jump host is the end of what it carries, with one and the same fault', async () => {
    const line = await startFaultProxy({ port: gate.port });
    try {
      const hop = targetOf({
        ...gate,
        port: line.port,
        host: line.host,
        account: gate.account,
        key: gate.key,
      });
      const target = behind(db, hop);
      const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
      const running = await lease.exec('sleep 60', never);
      line.cutAll('reset');
      const fault = await within(lease.lost, 'the end of the target');
      assert.ok(['link-lost', 'server-closed'].includes(fault.code), fault.code);
      assert.equal(fault.hop, `${gate.account.name}@lab (hop 1 of 2)`);
      assert.deepEqual((await running.exit).kind, 'unknown');
      const [state, hopState] = [bench.manager.state(target.hostId), bench.manager.state(hop.hostId)];
      assert.deepEqual(
        [state.k === 'stopped' && state.fault, hopState.k === 'stopped' && hopState.fault.code],
        [{ ...fault, outcome: 'unknown' }, fault.code],
      );
    } finally {
      await line.stop();
    }
  });

  it('disconnecting the jump host disconnects what it carries', async () => {
    const hop = atGate();
    const lease = await bench.manager.acquire(bench.host(behind(db, hop)), 'exec', never);
    bench.manager.disconnect(hop.hostId);
    assert.equal((await within(lease.lost, 'the end')).code, 'cancelled');
  });

  it('a jump host that cannot be reached is the fault of that hop', async () => {
    const port = await freePort();
    const fault = await bench.fault(behind(db, atGate({ port })));
    assert.deepEqual(
      [fault.code, fault.hop, fault.facts['port']],
      ['refused', `${gate.account.name}@gate (hop 1 of 2)`, String(port)],
    );
  });

  it('what the jump host says about the next server decides about the fault, which is its own', async () => {
    const port = await freePort();
    const hop = `${gate.account.name}@gate (hop 1 of 2)`;
    const there = behind(db, atGate(), { port });
    const refused = await bench.fault(there);
    const own =
      bench.manager
        .trace(there.hostId)
        .at(-1)
        ?.events.map(({ fact }) => fact) ?? [];
    assert.deepEqual(
      own.filter((fact) => fact.k === 'channelRefused'),
      [{ k: 'channelRefused', reason: 2, text: 'Connection refused' }],
    );
    const unknown = await bench.fault(behind(db, atGate(), { addresses: ['no-such-name.invalid'] }));
    assert.deepEqual(
      [refused, unknown].map(({ code, hop: at, facts, retry }) => [code, at, facts['from'], retry]),
      [
        ['refused', hop, hop, 'backoff'],
        ['name-not-found', hop, hop, 'backoff'],
      ],
    );
  });

  it('a policy against forwarding is told apart, and nothing is retried', async () => {
    for (const config of [
      ['AllowTcpForwarding no'],
      ['PermitOpen 192.0.2.1:22'],
      ['DisableForwarding yes'],
    ]) {
      const strict = await startServer({ config });
      try {
        const fault = await bench.fault(behind(db, targetOf(strict, { label: 'strict' })));
        assert.deepEqual(
          [fault.code, fault.hop, fault.retry, fault.facts['address']],
          ['forward-refused', `${strict.account.name}@strict (hop 1 of 2)`, 'user', db.host],
          config[0],
        );
      } finally {
        await strict.stop();
      }
    }
  });

  it('a jump host that cannot reach it in time is given as long as an address', async () => {
    const clock = new FakeClock();
    const slow = new RouteBench({ clock });
    const line = await startFaultProxy({ port: gate.port });
    try {
      const hop = targetOf({ host: line.host, port: line.port, account: gate.account, key: gate.key });
      const lease = await slow.manager.acquire(slow.host(hop), 'exec', never);
      line.set({ silence: 'hold' });
      const target = behind(db, hop);
      const fault = faultOf(slow.manager.acquire(slow.host(target), 'exec', never));
      await until(() => slow.traced(target).flat().length > 1, 'the attempt');
      await clock.advance(15_000);
      const { code, facts } = await within(fault, 'the fault');
      assert.deepEqual([code, facts['from']], ['connect-timeout', `${gate.account.name}@lab`]);
      lease.release();
    } finally {
      await slow.dispose();
      await line.stop();
    }
  });

  for (const [bytes, by] of [
    [0, 'close'],
    [900, 'reset'],
    [2_500, 'close'],
    [3_000, 'reset'],
    [4_000, 'close'],
  ] as const)
    it(`CON-2: a line that ends (${by}) after ${String(bytes)} bytes from the jump host has exactly one fault`, async () => {
      const line = await startFaultProxy({ port: gate.port });
      line.set({ cut: { direction: 'toClient', afterBytes: bytes, by } });
      const hop = targetOf({ host: line.host, port: line.port, account: gate.account, key: gate.key });
      const stops: string[] = [];
      const target = behind(db, hop);
      bench.manager.onDidChange(({ hostId, state }) => {
        if (hostId === target.hostId && state.k === 'stopped') stops.push(state.fault.code);
      });
      try {
        const fault = await within(bench.fault(target), 'the fault');
        assert.ok(['not-identified', 'server-closed', 'link-lost'].includes(fault.code), fault.code);
        assert.match(fault.hop ?? '', /hop 1 of 2/);
        assert.deepEqual(stops, [fault.code]);
      } finally {
        await line.stop();
      }
    });

  it('R10: connecting and closing again and again leaves no descriptor and no connection behind', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'descriptors are counted in /proc');
    const open = (): number => readdirSync('/proc/self/fd').length;
    const ended = (): number => gate.log().match(/Disconnected from user/g)?.length ?? 0;
    const cycle = async (): Promise<void> => {
      const before = ended();
      const hop = atGate();
      const target = behind(db, hop);
      const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
      bench.manager.disconnect(hop.hostId);
      assert.equal((await lease.lost).code, 'cancelled');
      await until(() => ended() > before, 'the end at the server');
    };
    await cycle();
    const before = open();
    const cycles = 5;
    for (let n = 0; n < cycles; n++) await cycle();
    // Others open and close descriptors in this process as well; a leak of ours shows once a cycle.
    await until(() => open() < before + cycles, `${String(before)} descriptors, as before`);
  });

  it('keeps its channels when the lease on the jump host itself is released', async () => {
    const hop = atGate();
    const own = await bench.manager.acquire(bench.host(hop), 'terminal', never);
    const lease = await bench.manager.acquire(bench.host(behind(db, hop)), 'exec', never);
    own.release();
    assert.equal((await finish(await lease.exec('echo still', never))).stdout.toString(), 'still\n');
  });
});

describe('a password on the way', function () {
  let gate: Sshd;
  let db: Sshd;
  let bench: RouteBench;
  before(async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    [gate, db] = await Promise.all([startServer(), startServer({ account: { hasPassword: true } })]);
  });
  after(() => Promise.all([gate.stop(), db.stop()]));
  beforeEach(() => (bench = new RouteBench()));
  afterEach(() => bench.dispose());

  it('is asked under the name of its hop, once for the whole connection', async () => {
    const hop = targetOf(gate, { label: 'gate' });
    const target = behind(db, hop, { identities: [] });
    bench.ssh.person.answerSecret = () => db.account.password;
    await Promise.all([bench.run(target, 'true'), bench.run(target, 'true')]);
    assert.deepEqual(
      bench.ssh.person.secrets.map(({ title }) => title),
      [`Password for ${db.account.name}@db (hop 2 of 2, via gate)`],
    );
  });

  it('closes and says why when the jump host ends meanwhile', async () => {
    const hop = targetOf(gate, { label: 'gate' });
    const target = behind(db, hop, { identities: [] });
    const closed = new Promise<void>((resolve) => {
      bench.ssh.person.answerSecret = (_question, signal) =>
        new Promise((answer) => {
          signal.addEventListener('abort', () => {
            resolve();
            answer(undefined);
          });
          gate.dropConnections();
        });
    });
    const fault = await within(bench.fault(target), 'the fault');
    await within(closed, 'the end of the question');
    assert.ok(['link-lost', 'server-closed'].includes(fault.code), fault.code);
    assert.match(fault.hop ?? '', /@gate \(hop 1 of 2\)$/);
  });
});
