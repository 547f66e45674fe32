import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, faultOf, startServer, targetOf, within } from './sshBench.ts';

describe('an attempt that fails', () => {
  let server: Sshd;
  let proxy: FaultProxy;
  let bench: SshBench;
  const listeners: net.Server[] = [];
  before(async () => {
    server = await startServer();
    proxy = await startFaultProxy({ port: server.port });
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  beforeEach(() => {
    bench = new SshBench();
    proxy.set({});
  });
  afterEach(async () => {
    await bench.dispose();
    for (const listener of listeners.splice(0)) listener.close();
  });

  const at = (port: number, change: Partial<Target> = {}): Target =>
    targetOf({ ...here(server), port }, change);
  /** A peer that is not sshd. */
  const peer = async (onConnect: (socket: net.Socket) => void): Promise<number> => {
    const listener = net.createServer((socket) => {
      socket.on('error', () => {});
      onConnect(socket);
    });
    listeners.push(listener);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    assert.ok(typeof address === 'object' && address !== null);
    return address.port;
  };

  it('a port where nothing listens is refused', async () => {
    const port = await freePort();
    const fault = await bench.fault(at(port));
    assert.deepEqual(fault, {
      code: 'refused',
      stage: 'transport',
      hop: `${server.account.name}@lab`,
      facts: { address: '127.0.0.1', port: String(port) },
      retry: 'backoff',
      outcome: 'not-sent',
    });
  });

  it('a name that does not resolve is named', async () => {
    const fault = await bench.fault(at(22, { addresses: ['no-such-name.invalid'] }));
    assert.deepEqual([fault.code, fault.facts['address']], ['name-not-found', 'no-such-name.invalid']);
  });

  it('a peer that speaks HTTP is not SSH, and its first bytes are shown', async () => {
    const port = await peer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    );
    const fault = await bench.fault(at(port));
    assert.deepEqual([fault.code, fault.retry], ['not-ssh', 'never']);
    assert.match(fault.facts['text'] ?? '', /^HTTP\/1\.1 400 Bad Request/);
  });

  it('a peer that sends noise without end is not SSH', async () => {
    const port = await peer((socket) => socket.write('\x1b[31mnoise '.repeat(20_000)));
    const fault = await bench.fault(at(port));
    assert.equal(fault.code, 'not-ssh');
    assert.match(fault.facts['text'] ?? '', /^\\x1b\[31mnoise/);
  });

  it('a peer that closes before identifying itself is a network fault', async () => {
    const port = await peer((socket) => socket.end());
    const fault = await bench.fault(at(port));
    assert.deepEqual([fault.code, fault.stage, fault.retry], ['not-identified', 'transport', 'backoff']);
  });

  it('a peer that stays silent is given 45 s', async () => {
    const clock = new FakeClock();
    const slow = new SshBench({ clock });
    let tellConnected = (): void => {};
    const connected = new Promise<void>((resolve) => (tellConnected = resolve));
    const port = await peer(() => tellConnected());
    const attempt = faultOf(slow.open(at(port)));
    let isOver = false;
    void attempt.then(() => (isOver = true));
    await within(connected, 'the connection');
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(44_000);
    assert.equal(isOver, false);
    await clock.advance(2_000);
    const fault = await within(attempt, 'the end of the attempt');
    assert.equal(fault.code, 'not-identified');
    assert.equal(clock.pending, 0);
  });

  it('no common cipher names the category', async () => {
    const odd = await startServer({ config: ['Ciphers aes256-cbc'] });
    try {
      const fault = await bench.fault(targetOf(odd));
      assert.deepEqual([fault.code, fault.stage, fault.retry], ['no-common-algorithm', 'kex', 'user']);
      assert.match(fault.facts['category'] ?? '', /cipher/);
    } finally {
      await odd.stop();
    }
  });

  for (const [bytes, by] of [
    [0, 'close'],
    [10, 'close'],
    [10, 'reset'],
    [60, 'reset'],
    [900, 'close'],
    [900, 'reset'],
    [1500, 'close'],
    [1700, 'reset'],
    [1800, 'close'],
  ] as const)
    it(`TRAP-4: CON-2: a connection that ends (${by}) after ${bytes} bytes from the server has exactly one fault`, async () => {
      proxy.set({ cut: { direction: 'toClient', afterBytes: bytes, by } });
      const fault = await within(bench.fault(at(proxy.port)), 'the fault');
      assert.ok(['not-identified', 'not-ssh', 'server-closed', 'link-lost'].includes(fault.code), fault.code);
      assert.deepEqual([bench.person.secrets, fault.retry === 'never'], [[], fault.code === 'not-ssh']);
    });

  it('a line that swallows everything after the connect ends by our own timer', async () => {
    const clock = new FakeClock();
    const slow = new SshBench({ clock });
    proxy.set({ silence: 'swallow' });
    const accepted = proxy.counters.accepted;
    const attempt = faultOf(slow.open(at(proxy.port)));
    await proxy.waitFor((counters) => counters.accepted > accepted && counters.toTarget.received > 0);
    await clock.advance(46_000);
    assert.equal((await within(attempt, 'the end of the attempt')).code, 'not-identified');
  });
});

function here(server: Sshd): Pick<Sshd, 'host' | 'port' | 'account' | 'key'> {
  return { host: server.host, port: server.port, account: server.account, key: server.key };
}
