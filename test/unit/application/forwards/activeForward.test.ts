import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, type Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import { ActiveForward } from '../../../../src/application/forwards/activeForward.ts';
import type { KnownForward } from '../../../../src/application/forwards/knownForward.ts';
import type {
  ConnectionChange,
  ConnectionState,
  Lease,
} from '../../../../src/application/ports/connection.ts';
import type { LocalClient, LocalListener } from '../../../../src/application/ports/forwards.ts';
import { localFault, type Fault } from '../../../../src/domain/fault.ts';
import { usualSocketRules } from '../../../../src/domain/forward/configForwards.ts';
import { newForwardId, type ForwardBind } from '../../../../src/domain/forward/forward.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const lost: Fault = { ...localFault('link-lost').fault, retry: 'backoff' };
const nothing = { dispose(): void {} };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A host whose connection comes and goes as the test says. */
class FakeHost {
  readonly id = newHostId();
  readonly changes = new Emitter<ConnectionChange>();
  state: ConnectionState = { k: 'ready', since: 0, rttMs: undefined };
  isWanted = 0;
  leases = 0;
  lose: (fault: Fault) => void = () => {};

  become(state: ConnectionState): void {
    this.state = state;
    this.changes.fire({ hostId: this.id, state });
  }

  lease(): Lease {
    this.leases += 1;
    const refuse = async (): Promise<never> => {
      throw localFault('internal', { reason: 'not asked for here' });
    };
    return {
      lost: new Promise((resolve) => (this.lose = resolve)),
      user: 'deploy',
      port: 22,
      shell: refuse,
      exec: refuse,
      bytes: refuse,
      direct: async () => new PassThrough(),
      listen: refuse,
      allowed: 1,
      onAllowedChange: () => nothing,
      takeBanner: () => '',
      release: () => void (this.leases -= 1),
    };
  }
}

/** A network on which one port is listened on at a time, as the test allows it. */
class FakeNetwork {
  readonly log: string[] = [];
  onClient: (client: LocalClient) => void = () => {};
  refusal: Error | undefined;
  fail: (error: Error) => void = () => {};

  async listen({
    bind,
    onClient,
  }: {
    bind: ForwardBind;
    onClient: (client: LocalClient) => void;
  }): Promise<LocalListener> {
    if (this.refusal !== undefined) throw this.refusal;
    const port = 'port' in bind && bind.port !== 0 ? bind.port : 40_000;
    this.log.push(`listen ${port}`);
    this.onClient = onClient;
    return {
      at: { port },
      failed: new Promise((resolve) => (this.fail = resolve)),
      close: async () => void this.log.push(`close ${port}`),
    };
  }

  /** A client connects; tells what becomes of it. */
  connect(): { readonly end: () => string } {
    let end = 'held';
    const stream: Duplex = new PassThrough();
    this.onClient({
      originator: { address: '127.0.0.1', port: 1 },
      accept: () => {
        end = 'accepted';
        return stream;
      },
      reject: () => (end = 'rejected'),
    });
    return { end: () => end };
  }
}

describe('a forward that is wanted', () => {
  let clock: FakeClock;
  let host: FakeHost;
  let network: FakeNetwork;
  let active: ActiveForward;
  let acquire: () => Promise<Lease>;
  beforeEach(() => {
    clock = new FakeClock();
    host = new FakeHost();
    network = new FakeNetwork();
    acquire = async () => host.lease();
  });
  afterEach(async () => {
    await active.stop();
    assert.deepEqual([host.leases, host.isWanted, clock.pending], [0, 0, 0]);
  });

  async function start(bind: ForwardBind = { port: 8080 }): Promise<void> {
    const forward: KnownForward = {
      id: newForwardId(),
      kind: 'local',
      bind,
      destination: { host: 'localhost', port: 80 },
      autoStart: 'never',
      host: {
        id: host.id,
        label: 'db1',
        source: 'vault',
        address: 'db1.example.com',
        port: 22,
        user: 'deploy',
        group: undefined,
        tags: [],
        tier: undefined,
        alias: undefined,
      },
      sockets: usualSocketRules,
      failsTheConnection: false,
    };
    active = new ActiveForward({
      forward,
      connections: {
        acquire: () => acquire(),
        state: () => host.state,
        onDidChange: host.changes.event,
        keepConnected: () => {
          host.isWanted += 1;
          return { dispose: () => void (host.isWanted -= 1) };
        },
      },
      network: {
        listen: (request) => network.listen(request),
        dial: async () => {
          throw localFault('internal', { reason: 'not asked for here' });
        },
      },
      clock,
      onState: () => {},
      onCounters: () => {},
    });
    await active.started.catch(() => {});
  }

  async function lose(next: ConnectionState): Promise<void> {
    host.state = next;
    host.lose(lost);
    await settled();
  }

  it('holds a client for three seconds while its host is being reached, and then breaks it', async () => {
    await start();
    await lose({ k: 'connecting', hop: 1 });
    assert.equal(active.state.k, 'down');
    const client = network.connect();
    await clock.advance(2_999);
    assert.equal(client.end(), 'held');
    await clock.advance(1);
    assert.equal(client.end(), 'rejected');
  });

  it('serves a held client as soon as it is back, on the listener that stayed', async () => {
    await start();
    await lose({ k: 'waiting', attempt: 1, at: clock.now() + 1_000, fault: lost });
    const client = network.connect();
    await settled();
    assert.equal(client.end(), 'held');
    host.become({ k: 'ready', since: 0, rttMs: undefined });
    await settled();
    await settled();
    assert.deepEqual([active.state.k, client.end(), network.log], ['listening', 'accepted', ['listen 8080']]);
  });

  it('breaks a client at once while the next attempt is far away', async () => {
    await start();
    await lose({ k: 'waiting', attempt: 5, at: clock.now() + 15_000, fault: lost });
    const client = network.connect();
    await settled();
    assert.equal(client.end(), 'rejected');
  });

  it('breaks a client at once while only a person could bring the host back', async () => {
    await start();
    await lose({ k: 'waiting', attempt: 1, at: undefined, fault: lost });
    const client = network.connect();
    await settled();
    assert.equal(client.end(), 'rejected');
  });

  it('gives its port up when nobody tries any more, and takes the same one when the host is back', async () => {
    await start({ port: 0 });
    await lose({ k: 'stopped', fault: lost });
    assert.deepEqual(network.log, ['listen 40000', 'close 40000']);
    host.become({ k: 'ready', since: 0, rttMs: undefined });
    await settled();
    assert.deepEqual(network.log, ['listen 40000', 'close 40000', 'listen 40000']);
    assert.deepEqual(active.state, { k: 'listening', at: { port: 40_000 } });
  });

  it('tries again to listen where it did before, ever more rarely', async () => {
    await start();
    network.refusal = localFault('port-in-use', { port: '8080' });
    await lose({ k: 'stopped', fault: lost });
    host.become({ k: 'ready', since: 0, rttMs: undefined });
    await settled();
    const why = active.state.k === 'down' ? active.state.why : undefined;
    assert.equal(why?.k === 'fault' && why.fault.code, 'port-in-use');
    await clock.advance(1_000);
    assert.equal(active.state.k, 'down');
    network.refusal = undefined;
    await clock.advance(1_999);
    assert.equal(active.state.k, 'down');
    await clock.advance(1);
    assert.equal(active.state.k, 'listening');
  });

  it('listens again when its listener breaks by itself', async () => {
    await start();
    network.fail(new Error('the network is gone'));
    await settled();
    await settled();
    assert.deepEqual(network.log, ['listen 8080', 'close 8080', 'listen 8080']);
    assert.equal(active.state.k, 'listening');
  });

  it('is over when it cannot listen at the start, and holds nothing', async () => {
    network.refusal = localFault('port-in-use', { port: '8080' });
    await start();
    await settled();
    assert.deepEqual([active.isOver, host.leases, host.isWanted], [true, 0, 0]);
  });

  it('waits for a host that cannot be reached at the start', async () => {
    acquire = async () => {
      throw localFault('unreachable', { address: 'db1.example.com' });
    };
    host.state = { k: 'stopped', fault: lost };
    await start();
    assert.equal(active.state.k, 'down');
    acquire = async () => host.lease();
    host.become({ k: 'ready', since: 0, rttMs: undefined });
    await settled();
    assert.equal(active.state.k, 'listening');
  });

  it('ends its clients when it is stopped', async () => {
    await start();
    const stream = new PassThrough();
    network.onClient({ originator: undefined, accept: () => stream, reject() {} });
    await settled();
    assert.equal(active.counters.clients, 1);
    const closed = once(stream, 'close');
    await active.stop();
    await closed;
    await settled();
    assert.deepEqual([active.counters.clients, active.state.k], [0, 'stopped']);
  });
});
