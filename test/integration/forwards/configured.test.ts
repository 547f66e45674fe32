import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type TcpNetConnectOpts } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { Emitter, systemClock } from '../../../src/agentkit/index.ts';
import { ForwardDirectory } from '../../../src/application/forwards/forwardDirectory.ts';
import { ForwardingConnections } from '../../../src/application/forwards/forwardingConnections.ts';
import { ForwardService } from '../../../src/application/forwards/forwardService.ts';
import { listRemotePorts } from '../../../src/application/forwards/listRemotePorts.ts';
import { whyDown } from '../../../src/application/forwards/whyDown.ts';
import { ProgramConsents, nobodyToAsk } from '../../../src/application/vault/programConsents.ts';
import { newForwardId, type ForwardSpec } from '../../../src/domain/forward/forward.ts';
import type { HostListing } from '../../../src/domain/host/host.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { OpenSshConfig } from '../../../src/infrastructure/config/openSshConfig.ts';
import { MemoryHostStore } from '../../../src/infrastructure/store/memory/memoryHostStore.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { faultOf, never, quietLog, startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ForwardBench, ask, connectOutcome } from './forwardBench.ts';

const here = (port: number): TcpNetConnectOpts => ({ host: '127.0.0.1', port });

describe('the forwards of a host', () => {
  let server: Sshd;
  let bench: ForwardBench;
  let target: Target;
  let folder: string;
  let config: OpenSshConfig;
  let store: MemoryHostStore;
  let directory: ForwardDirectory;
  let connections: ForwardingConnections;
  let changed: Emitter<void>;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new ForwardBench();
    folder = mkdtempSync(path.join(tmpdir(), 'termind-forwards-'));
    changed = new Emitter();
    store = new MemoryHostStore(() => changed.fire());
    config = new OpenSshConfig({
      configFile: () => path.join(folder, 'config'),
      sshProgram: () => undefined,
      mayRunPrograms: () => true,
      consents: new ProgramConsents({ ...nobodyToAsk, mayRunPrograms: () => true, clock: systemClock }),
      clock: systemClock,
      log: quietLog,
      home: folder,
      systemFile: path.join(folder, 'none'),
    });
  });
  afterEach(async () => {
    await bench.dispose();
    config.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The host `web` of a configuration, which is the lab's server. */
  async function configured(lines: readonly string[]): Promise<HostListing> {
    writeFileSync(path.join(folder, 'config'), ['Host web', ...lines, 'Host other', ''].join('\n'), {
      mode: 0o600,
    });
    const hosts = (): Promise<readonly HostListing[]> => config.list().then((all) => all.hosts);
    const [host] = await hosts();
    assert.ok(host !== undefined);
    target = targetOf(server, { hostId: host.id });
    bench.route.host(target);
    directory = new ForwardDirectory({
      hosts: {
        list: hosts,
        get: async (id) => (await hosts()).find((one) => one.id === id),
        onDidChange: changed.event,
      },
      store,
      config: {
        resolve: () => config.resolve({ alias: 'web' }, never),
        aliasesWithForwards: () => config.aliasesWithForwards(),
      },
      log: quietLog,
    });
    connections = new ForwardingConnections({
      connections: bench.route.manager,
      directory,
      registry: bench.registry,
      log: quietLog,
    });
    return host;
  }

  it('are those of the configuration, with where they stand, and those that are stored', async () => {
    const host = await configured([
      'LocalForward 8080 db:80',
      'DynamicForward [::1]:1080',
      'GatewayPorts yes',
    ]);
    assert.deepEqual(await directory.hosts(), [host]);
    assert.equal(await directory.mayHave(host.id), true);
    const stored: ForwardSpec = {
      id: newForwardId(),
      kind: 'remote',
      bind: { port: 0 },
      destination: { host: 'localhost', port: 3000 },
      label: 'preview',
      autoStart: 'never',
    };
    await directory.put(host, stored);
    assert.equal((await store.get(host.id))?.alias, 'web');
    const all = await directory.of(host.id, never);
    assert.deepEqual(
      all.map(({ label, bind, autoStart, configOrigin }) => [label, bind, autoStart, configOrigin]),
      [
        ['preview', { port: 0 }, 'never', undefined],
        [undefined, { host: '', port: 8080 }, 'withConnection', `${path.join(folder, 'config')}:2`],
        [undefined, { host: '::1', port: 1080 }, 'withConnection', `${path.join(folder, 'config')}:3`],
      ],
    );
    await directory.remove(host.id, stored.id);
    assert.equal((await directory.of(host.id, never)).length, 2);
  });

  it('by SOCKS from the server go where PermitRemoteOpen lets them, stored ones as well', async () => {
    const host = await configured(['RemoteForward 0', 'PermitRemoteOpen 127.0.0.1:80 [::1]:*']);
    const permittedOpens = [
      { host: '127.0.0.1', port: 80 },
      { host: '::1', port: undefined },
    ];
    const stored: ForwardSpec = {
      id: newForwardId(),
      kind: 'remote',
      bind: { port: 0 },
      destination: undefined,
      autoStart: 'never',
    };
    await directory.put(host, stored);
    const all = await directory.of(host.id, never);
    assert.deepEqual(
      all.map((forward) => [forward.kind, forward.destination, forward.permittedOpens]),
      [
        ['remote', undefined, permittedOpens],
        ['remote', undefined, permittedOpens],
      ],
    );
  });

  it('by SOCKS from the server go nowhere while the configuration cannot be read', async () => {
    const host = await configured(['RemoteForward 0']);
    const stored = { id: newForwardId(), kind: 'remote', bind: { port: 0 }, autoStart: 'never' } as const;
    await directory.put(host, { ...stored, destination: undefined });
    const unread = new ForwardDirectory({
      hosts: { list: async () => [host], get: async () => host, onDidChange: changed.event },
      store,
      config: {
        resolve: () => Promise.reject(new Error('unreadable')),
        aliasesWithForwards: async () => new Set(['web']),
      },
      log: quietLog,
    });
    const [forward] = await unread.of(host.id, never);
    assert.deepEqual(forward?.permittedOpens, []);
  });

  it('start with the connection', async () => {
    const port = await freePort();
    const host = await configured([`LocalForward ${port} 127.0.0.1:${await bench.echo()}`]);
    const lease = await connections.acquire(host.id, 'exec', never);
    const [forward] = await directory.of(host.id, never);
    assert.ok(forward !== undefined);
    await bench.until(forward.id, 'the listener', ({ k }) => k === 'listening');
    assert.equal(await ask(here(port), 'hello'), 'hello');
    lease.release();
  });

  it('that fail do not fail the connection', async () => {
    const taken = await bench.echo();
    const host = await configured([`LocalForward ${taken} 127.0.0.1:80`]);
    const lease = await connections.acquire(host.id, 'exec', never);
    const [forward] = await directory.of(host.id, never);
    assert.ok(forward !== undefined);
    await bench.until(forward.id, 'the fault', ({ k }) => k === 'down');
    assert.equal(connections.state(host.id).k, 'ready');
    lease.release();
  });

  it('that fail with ExitOnForwardFailure fail the connection', async () => {
    const taken = await bench.echo();
    const host = await configured([`LocalForward ${taken} 127.0.0.1:80`, 'ExitOnForwardFailure yes']);
    const fault = await faultOf(connections.acquire(host.id, 'terminal', never));
    assert.deepEqual([fault.code, fault.facts['port']], ['port-in-use', String(taken)]);
    assert.notEqual(connections.state(host.id).k, 'ready');
  });

  it('that could not listen are tried again with the next connection', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const at = blocker.address();
    const port = at !== null && typeof at === 'object' ? at.port : 0;
    const to = await bench.echo();
    const host = await configured([`LocalForward ${port} 127.0.0.1:${to}`, 'ExitOnForwardFailure yes']);
    await faultOf(connections.acquire(host.id, 'exec', never));
    await new Promise((resolve) => blocker.close(resolve));
    const lease = await connections.acquire(host.id, 'exec', never);
    assert.equal(await ask(here(port), 'hello'), 'hello');
    lease.release();
  });

  it('that a person has stopped do not start by themselves again', async () => {
    const port = await freePort();
    const host = await configured([`LocalForward ${port} 127.0.0.1:${await bench.echo()}`]);
    (await connections.acquire(host.id, 'exec', never)).release();
    const [forward] = await directory.of(host.id, never);
    assert.ok(forward !== undefined);
    await bench.until(forward.id, 'the listener', ({ k }) => k === 'listening');
    await bench.registry.stop(forward.id);
    connections.disconnect(host.id);
    (await connections.acquire(host.id, 'exec', never)).release();
    await bench.registry.start(forward, { by: 'itself' });
    assert.deepEqual(bench.registry.state(forward.id), { k: 'stopped' });
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
  });

  it('start at the first use of a window when they shall, and stop when they are removed', async () => {
    const host = await configured([]);
    const port = await freePort();
    const spec: ForwardSpec = {
      id: newForwardId(),
      kind: 'local',
      bind: { port },
      destination: { host: '127.0.0.1', port: await bench.echo() },
      autoStart: 'firstUse',
    };
    await directory.put(host, spec);
    const { registry, network } = bench;
    const clock = systemClock;
    const service = new ForwardService({ directory, registry, connections, network, clock, log: quietLog });
    await service.atFirstUse();
    assert.equal(await ask(here(port), 'hello'), 'hello');
    const stopped = bench.until(spec.id, 'the end', ({ k }) => k === 'stopped');
    await directory.remove(host.id, spec.id);
    await stopped;
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
    service.dispose();
  });

  it('tell why they do not work, in order', async () => {
    const host = await configured([]);
    const echo = await bench.echo();
    const nobody = await freePort();
    const free = await freePort();
    const why = async (text: string): Promise<readonly unknown[]> => {
      const forward = bench.forward(target, text, { host });
      const found = await whyDown(
        { forward, state: bench.registry.state(forward.id) },
        { connections, network: bench.network },
        never,
      );
      return found.map((one) => [one.check, one.isFine === false ? one.fault.code : one.isFine]);
    };
    assert.deepEqual(await why(`${echo}:127.0.0.1:${echo}`), [['listener', 'port-in-use']]);
    assert.deepEqual(await why(`${free}:127.0.0.1:${echo}`), [
      ['listener', true],
      ['connection', 'link-lost'],
    ]);
    const lease = await connections.acquire(host.id, 'exec', never);
    const fine = [
      ['listener', true],
      ['connection', true],
      ['permission', true],
    ];
    assert.deepEqual(await why(`${free}:127.0.0.1:${echo}`), [...fine, ['destination', true]]);
    assert.deepEqual(await why(`${free}:127.0.0.1:${nobody}`), [...fine, ['destination', 'forward-refused']]);
    assert.deepEqual(await why(`${free}:/no/such.sock`), [
      ['listener', true],
      ['connection', true],
      ['destination', 'forward-refused'],
    ]);
    assert.deepEqual(await why(`-D ${free}`), [...fine, ['destination', 'unknown']]);
    assert.deepEqual(await why(`-R 0:127.0.0.1:${nobody}`), [
      ['connection', true],
      ['permission', true],
      ['destination', 'refused'],
    ]);
    assert.deepEqual(await why(`-R 127.0.0.1:${echo}:127.0.0.1:${echo}`), [
      ['connection', true],
      ['permission', 'forward-refused'],
    ]);
    lease.release();
  });

  it('can be made of what listens there', async () => {
    const host = await configured([]);
    const port = await bench.echo();
    const found = await within(
      listRemotePorts(host.id, { connections, clock: systemClock }, never),
      'the list',
    );
    assert.ok(found?.some((one) => one.port === port && one.address === '127.0.0.1'));
  });
});
