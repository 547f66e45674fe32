import assert from 'node:assert/strict';
import { PassThrough, type Duplex } from 'node:stream';
import { describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import type {
  ByteStream,
  ExecOptions,
  ManagedChannel,
  RemoteListener,
} from '../../../../src/application/ports/connection.ts';
import type { Liveness, Transport, TransportRequest } from '../../../../src/application/ports/transport.ts';
import type { WakeSignal } from '../../../../src/application/ports/wakeSignals.ts';
import { SshConnectionManager } from '../../../../src/application/ssh/sshConnectionManager.ts';
import { isTermindError, localFault, type Fault } from '../../../../src/domain/fault.ts';
import { newHostId, type HostId } from '../../../../src/domain/host/hostId.ts';
import { connectionFault, faultError } from '../../../../src/domain/ssh/connectionFault.ts';
import type { Target } from '../../../../src/domain/ssh/target.ts';
import { agreedUsually, usualChoice } from '../../../support/algorithms.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;
const place = { stage: 'auth', hop: 'op@lab', outcome: 'failed' } as const;

function targetFor(hostId: HostId, change: Partial<Target> = {}): Target {
  return {
    hostId,
    label: 'lab',
    tier: undefined,
    addresses: ['192.0.2.1'],
    port: 22,
    user: 'op',
    trustName: '192.0.2.1',
    trustNameIsAlias: false,
    identities: [],
    identitiesOnly: false,
    certificateFiles: [],
    identityAgent: undefined,
    identity: { kind: 'default' },
    preferredAuthentications: undefined,
    passwordPrompts: 3,
    attemptLimit: 6,
    agentForwarding: undefined,
    userKnownHostsFiles: [],
    globalKnownHostsFiles: [],
    strictHostKeyChecking: 'ask',
    connectTimeoutMs: undefined,
    serverAliveIntervalMs: undefined,
    serverAliveCountMax: undefined,
    addressFamily: 'any',
    bindAddress: undefined,
    bindInterface: undefined,
    tcpKeepAlive: true,
    route: { k: 'direct' },
    algorithms: usualChoice,
    environment: [],
    origins: {},
    ...change,
  };
}

/** A transport that does what its test says. */
class MemoryTransport implements Transport {
  readonly facts = {
    user: 'op',
    address: '192.0.2.1',
    port: 22,
    serverIdentification: 'SSH-2.0-test',
    hostKeyType: 'ssh-ed25519',
    hostKeyFingerprint: 'SHA256:x',
    authenticatedBy: 'none',
    algorithms: agreedUsually,
    agent: undefined,
    forwardedAgent: undefined,
  };
  readonly acceptedKey = 'SHA256:key';
  readonly liveness = new Emitter<Liveness>();
  readonly onLiveness = this.liveness.event;
  readonly lost: Promise<Fault>;
  readonly commands: string[] = [];
  readonly #ended = new Emitter<Fault>();
  readonly onEnd = this.#ended.event;
  #tellLost: (fault: Fault) => void = () => {};
  constructor() {
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
  }
  end(fault: Fault): void {
    this.#ended.fire(fault);
    this.#tellLost(fault);
  }
  readonly checks: number[] = [];
  readonly opened: Duplex[] = [];
  readonly allowed = 10;
  readonly onAllowedChange = new Emitter<void>().event;
  as(): Transport {
    return this;
  }
  check(withinMs: number): void {
    this.checks.push(withinMs);
  }
  ended(fault: Fault): void {
    this.end(fault);
  }
  async shell(): Promise<ManagedChannel> {
    throw new Error('not asked for here');
  }
  async bytes(): Promise<ByteStream> {
    throw new Error('not asked for here');
  }
  async listen(): Promise<RemoteListener> {
    throw new Error('not asked for here');
  }
  async direct(): Promise<Duplex> {
    const stream = new PassThrough();
    this.opened.push(stream);
    return stream;
  }
  async exec(command: string | ExecOptions): Promise<ManagedChannel> {
    this.commands.push(typeof command === 'string' ? command : command.command);
    throw new Error('not asked for here');
  }
  close(): void {
    this.end(connectionFault('cancelled', { stage: 'link', hop: 'op@lab' }));
  }
}

class Bench {
  readonly clock = new FakeClock();
  readonly host = newHostId();
  readonly targets = new Map<HostId, Target>([[this.host, targetFor(this.host)]]);
  readonly requests: TransportRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly opened: MemoryTransport[] = [];
  readonly recents: { hostId: HostId; ok: boolean }[] = [];
  readonly changes = new Emitter<void>();
  readonly wakeSignals = new Emitter<WakeSignal>();
  readonly states: string[] = [];
  resolutions = 0;
  /** What an attempt does; by default it succeeds at once. */
  attempt: (request: TransportRequest, signal: AbortSignal) => Promise<unknown> = async () => undefined;
  readonly manager = new SshConnectionManager({
    directory: {
      target: async (id, signal) => {
        this.resolutions += 1;
        await settle();
        signal.throwIfAborted();
        const target = this.targets.get(id);
        if (target === undefined) throw localFault('unknown-host');
        return target;
      },
      onDidChange: this.changes.event,
    },
    transport: {
      open: async (request, signal) => {
        this.requests.push(request);
        this.signals.push(signal);
        await this.attempt(request, signal);
        const transport = new MemoryTransport();
        this.opened.push(transport);
        return transport;
      },
    },
    clock: this.clock,
    log: { trace() {}, info() {}, warn() {}, error() {} },
    random: () => 0.5,
    signals: { onSignal: this.wakeSignals.event },
    history: { recordConnect: async ({ hostId, ok }) => void this.recents.push({ hostId, ok }) },
  });

  constructor() {
    this.manager.onDidChange(({ state }) => this.states.push(state.k));
  }

  /** An attempt that goes on until its test settles it. */
  hold(): { succeed: () => void; fail: (fault: Fault) => void } {
    let succeed = (): void => {};
    let fail = (_fault: Fault): void => {};
    this.attempt = (_request, signal) =>
      new Promise<void>((resolve, reject) => {
        succeed = resolve;
        fail = (fault) => reject(faultError(fault));
        signal.addEventListener('abort', () => reject(faultError(connectionFault('cancelled', place))));
      });
    return { succeed: () => succeed(), fail: (fault) => fail(fault) };
  }
}

const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return isTermindError(error) ? error.fault.code : String(error);
  }
  return 'no fault';
};

describe('leases on connections', () => {
  it('concurrent callers share one resolution, one attempt and one connection', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
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

  it('another user is another connection', async () => {
    const bench = new Bench();
    const other = newHostId();
    bench.targets.set(other, targetFor(other, { user: 'root' }));
    await bench.manager.acquire(bench.host, 'exec', never);
    await bench.manager.acquire(other, 'exec', never);
    assert.equal(bench.opened.length, 2);
  });

  it('an abort ends one caller only; the attempt goes on for the other', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
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

  it('every caller gets the one fault of the attempt, and the next acquire tries again', async () => {
    const bench = new Bench();
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

  it('the key that opened a host is offered first the next time', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
    const missing = newHostId();
    assert.equal(await codeOf(bench.manager.acquire(missing, 'exec', never)), 'unknown-host');
    assert.equal(bench.manager.state(missing).k, 'stopped');
  });
});

describe('the end of a connection', () => {
  it('comes 60 s after the last lease was released, and not while one is held', async () => {
    const bench = new Bench();
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

  it('is told to every lease with the fault, and shown', async () => {
    const bench = new Bench();
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
    const bench = new Bench();
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
    const bench = new Bench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    bench.manager.dispose();
    await lease.lost;
    assert.equal(await codeOf(bench.manager.acquire(bench.host, 'exec', never)), 'cancelled');
    assert.equal(bench.clock.pending, 0);
  });

  it('a released lease carries nothing any more', async () => {
    const bench = new Bench();
    const lease = await bench.manager.acquire(bench.host, 'exec', never);
    lease.release();
    assert.equal(await codeOf(lease.exec('true', never)), 'cancelled');
    assert.deepEqual(bench.opened[0]?.commands, []);
  });
});

describe('a change of the configuration', () => {
  it('is looked at by the next acquire; an unchanged target keeps its connection', async () => {
    const bench = new Bench();
    await bench.manager.acquire(bench.host, 'exec', never);
    bench.changes.fire();
    await bench.manager.acquire(bench.host, 'exec', never);
    assert.deepEqual([bench.resolutions, bench.opened.length], [2, 1]);
    assert.equal(bench.states.filter((k) => k === 'resolving').length, 1);
  });

  it('a changed target gets a connection of its own; the old one lives as long as its leases', async () => {
    const bench = new Bench();
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
});
