import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import { ForwardDirectory } from '../../src/application/forwards/forwardDirectory.ts';
import { ForwardRegistry } from '../../src/application/forwards/forwardRegistry.ts';
import { ForwardService } from '../../src/application/forwards/forwardService.ts';
import { noCounters, type ForwardState } from '../../src/application/forwards/forwardState.ts';
import type { KnownForward } from '../../src/application/forwards/knownForward.ts';
import type { ConnectionManager, Lease } from '../../src/application/ports/connection.ts';
import { localFault } from '../../src/domain/fault.ts';
import { newForwardId, type ForwardSpec } from '../../src/domain/forward/forward.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { forwardItem } from '../../src/features/forwards/forwardItem.ts';
import { registerForwards } from '../../src/features/forwards/index.ts';
import { Command, View } from '../../src/ids.ts';
import { LocalNetwork } from '../../src/infrastructure/net/localNetwork.ts';
import { MemoryForwardLeases } from '../../src/infrastructure/store/memory/memoryForwardLeases.ts';
import { MemoryHostStore } from '../../src/infrastructure/store/memory/memoryHostStore.ts';
import { until } from '../e2e/harness/until.ts';
import { silentLog } from '../support/silentLog.ts';

const host: HostListing = {
  id: newHostId(),
  label: 'db1',
  source: 'vault',
  address: 'db1.example.com',
  port: 22,
  user: 'deploy',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: undefined,
};
const nothing = { dispose(): void {} };

/** A host that is connected and that reaches what this machine reaches. */
function connectedHost(network: LocalNetwork): ConnectionManager {
  const refuse = async (): Promise<never> => {
    throw localFault('internal', { reason: 'not asked for here' });
  };
  const lease: Lease = {
    lost: new Promise(() => {}),
    user: 'deploy',
    port: 22,
    shell: refuse,
    exec: refuse,
    bytes: refuse,
    direct: (to, signal) => network.dial('path' in to ? to : { host: to.host, port: to.port }, signal),
    listen: refuse,
    allowed: 1,
    onAllowedChange: () => nothing,
    takeBanner: () => '',
    release() {},
  };
  return {
    acquire: async () => lease,
    acquireUnasked: async () => lease,
    state: () => ({ k: 'ready', since: 0, rttMs: undefined }),
    negotiated: () => undefined,
    onDidChange: () => nothing,
    trace: () => [],
    keepConnected: () => nothing,
    reconnectNow() {},
    disconnect() {},
    dispose() {},
  };
}

describe('forwards in the editor', () => {
  const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  let spec: ForwardSpec;
  let service: ForwardService;
  let registry: ForwardRegistry;
  let echo: net.Server;
  let feature: { dispose(): void };

  beforeEach(async () => {
    echo = net.createServer((socket) => void socket.pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const at = echo.address();
    const port = at !== null && typeof at === 'object' ? at.port : 0;
    spec = {
      id: newForwardId(),
      kind: 'local',
      bind: { port: 0 },
      destination: { host: '127.0.0.1', port },
      autoStart: 'never',
    };
    const network = new LocalNetwork(systemClock);
    const connections = connectedHost(network);
    const store = new MemoryHostStore(() => {});
    const hosts = { list: async () => [host], get: async () => host, onDidChange: () => nothing };
    const directory = new ForwardDirectory({
      hosts,
      store,
      config: {
        resolve: async () => ({ values: new Map(), origin: () => undefined }),
        aliasesWithForwards: async () => new Set<string>(),
      },
      log: silentLog,
    });
    await store.put({
      id: host.id,
      label: host.label,
      addresses: [host.address],
      port: undefined,
      user: host.user,
      identity: { kind: 'default' },
      tier: undefined,
      group: undefined,
      tags: [],
      alias: undefined,
      revision: 0,
    });
    const clock = systemClock;
    registry = new ForwardRegistry({
      connections,
      network,
      leases: new MemoryForwardLeases(),
      clock,
      log: silentLog,
    });
    service = new ForwardService({ directory, registry, connections, network, clock, log: silentLog });
    await service.put(host, spec);
    feature = registerForwards({
      log: silentLog,
      describeError: (error) => String(error),
      describeFault: ({ code }) => code,
      registerCommand: (name, handler) => {
        commands.set(name, handler);
        return nothing;
      },
      runtime: async () => ({ forwards: service, hosts }),
    });
  });
  afterEach(() => {
    feature.dispose();
    service.dispose();
    registry.dispose();
    echo.close();
  });

  const row = (): unknown => ({ kind: 'forward', forward: { id: spec.id, host: { id: host.id } } });
  const run = async (command: string): Promise<unknown> => commands.get(command)?.(row());

  it('start by their row, lead where they should, and stop', async () => {
    await run(Command.startForward);
    const state = service.state(spec.id);
    assert.equal(state.k, 'listening');
    await run(Command.copyForwardAddress);
    const address = await vscode.env.clipboard.readText();
    assert.match(address, /^localhost:\d+$/);
    const socket = net.connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    socket.end('through the editor');
    assert.equal(Buffer.concat(await socket.toArray()).toString(), 'through the editor');
    await run(Command.stopForward);
    assert.equal(service.state(spec.id).k, 'stopped');
  });

  it('are picked when a command names none', async () => {
    let isDone = false;
    void commands
      .get(Command.startForward)?.()
      .then(() => (isDone = true));
    await until({
      what: 'the start',
      probe: async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return isDone;
      },
    });
    assert.equal(service.state(spec.id).k, 'listening');
  });

  it('have a view of their own', async () => {
    await vscode.commands.executeCommand(`${View.forwards}.focus`);
  });

  const item = (state: ForwardState, change: Partial<KnownForward> = {}): vscode.TreeItem =>
    forwardItem(
      {
        ...spec,
        bind: { port: 8080 },
        destination: { host: 'localhost', port: 5432 },
        host,
        sockets: { replaces: false, mask: 0o177 },
        failsTheConnection: false,
        ...change,
      },
      {
        state,
        counters: {
          ...noCounters,
          clients: 2,
          totalClients: 3,
          bytesToRemote: 1536,
          bytesToClient: 20 * 1024 * 1024,
        },
        describeFault: ({ code }) => code,
      },
    );

  for (const [what, state, change, expected] of [
    ['stopped', { k: 'stopped' }, {}, ['forward.stopped', '8080 → localhost:5432', 'stopped']],
    [
      'listening on another port',
      { k: 'listening', at: { port: 9090 } },
      { label: 'database' },
      ['forward.listening', 'database', '9090 → localhost:5432 · 2 clients, ↑ 1.5 KiB ↓ 20 MiB'],
    ],
    [
      'down, of the configuration',
      { k: 'down', why: { k: 'fault', fault: localFault('port-in-use').fault } },
      { configOrigin: '/c:7' },
      ['configForward.failed', '8080 → localhost:5432', 'port-in-use'],
    ],
    [
      'in another window',
      { k: 'down', why: { k: 'otherWindow' } },
      {},
      ['forward.failed', '8080 → localhost:5432', 'runs in another window'],
    ],
  ] as const)
    it(`show what they are: ${what}`, () => {
      const { contextValue, label, description } = item(state, change);
      assert.deepEqual([contextValue, label, description], expected);
    });
});
