import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { StoreFolder } from '../store/storeFolder.ts';
import { startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ForwardBench, ask, connectOutcome } from './forwardBench.ts';

const here = (port: number): net.TcpNetConnectOpts => ({ host: '127.0.0.1', port });

/** How a client ends that says nothing: `ended` in order, or the name of the error. */
async function endOf(port: number): Promise<string> {
  const socket = net.connect(here(port));
  try {
    socket.resume();
    await within(once(socket, 'end'), 'the end');
    return 'ended';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    socket.destroy();
  }
}

describe('a forward whose connection is lost', () => {
  let server: Sshd;
  let line: FaultProxy;
  let bench: ForwardBench;
  let target: Target;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    line = await startFaultProxy({ port: server.port });
    bench = new ForwardBench();
    target = targetOf(server, { addresses: [line.host], port: line.port });
  });
  afterEach(async () => {
    await bench.dispose();
    await line.stop();
  });

  it('-L is back on the same port', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    const lost = bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
    line.cutAll('reset');
    const state = await lost;
    assert.equal(state.k === 'down' && state.why.k, 'fault');
    assert.deepEqual(await bench.until(forward.id, 'the return', ({ k }) => k === 'listening'), {
      k: 'listening',
      at: { port },
    });
    assert.equal(await ask(here(port), 'again'), 'again');
  });

  it('-R is back on the port that the server chose before', async () => {
    const forward = bench.forward(target, `-R 127.0.0.1:0:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    const lost = bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
    line.cutAll('close');
    await lost;
    const state = await bench.until(forward.id, 'the return', ({ k }) => k === 'listening');
    const now = state.k === 'listening' && 'port' in state.at ? state.at.port : 0;
    assert.equal(await ask(here(now), 'again'), 'again');
    assert.ok(now === port || (await connectOutcome(here(port))) !== 'connected', 'one of the two is left');
  });

  it('-D is back as well', async () => {
    const forward = bench.forward(target, `-D ${await freePort()}`);
    const port = await bench.start(forward);
    const lost = bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
    line.cutAll('reset');
    await lost;
    await bench.until(forward.id, 'the return', ({ k }) => k === 'listening');
    const to = await bench.echo();
    const socket = net.connect({ ...here(port), allowHalfOpen: true });
    socket.end(Buffer.from([4, 1, to >> 8, to & 255, 127, 0, 0, 1, 0, 0x68, 0x69]));
    assert.equal(
      Buffer.concat(await within(socket.toArray(), 'the answer'))
        .subarray(8)
        .toString(),
      'hi',
    );
  });

  it('breaks the clients that were there, and turns new ones away while nobody can be reached', async () => {
    const to = await bench.echo();
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${to}`);
    const port = await bench.start(forward);
    const client = net.connect(here(port));
    client.write('x');
    await within(once(client, 'data'), 'the echo');
    const broken = once(client, 'close');
    await line.refuse();
    line.cutAll('reset');
    await within(broken, 'the end of the client');
    await bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
    assert.equal(await endOf(port), 'ECONNRESET');
    await line.accept();
    await bench.until(forward.id, 'the return', ({ k }) => k === 'listening');
    assert.equal(await ask(here(port), 'again'), 'again');
  });

  it('gives its port up when the person disconnects, and is back with the connection', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    bench.route.manager.disconnect(target.hostId);
    await bench.until(forward.id, 'the end', (state) => state.k === 'down' && state.why.k === 'disconnected');
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
    assert.equal(await bench.route.run(target, 'echo here'), 'here\n');
    await bench.until(forward.id, 'the return', ({ k }) => k === 'listening');
    assert.equal(await ask(here(port), 'again'), 'again');
  });

  it('comes with the connection when the host could not be reached at the start', async () => {
    await line.refuse();
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    await assert.rejects(bench.start(forward));
    const state = bench.registry.state(forward.id);
    assert.equal(state.k === 'down' && state.why.k === 'fault' && state.why.fault.code, 'refused');
    await line.accept();
    assert.equal(await bench.route.run(target, 'echo here'), 'here\n');
    await bench.until(forward.id, 'the return', ({ k }) => k === 'listening');
  });

  it('can be stopped at any time, also in a black hole', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    line.set({ silence: 'swallow' });
    const client = net.connect(here(port));
    const gone = once(client, 'close');
    client.on('error', () => {});
    await within(once(client, 'connect'), 'the client');
    await within(bench.registry.stop(forward.id), 'the stop');
    await within(gone, 'the end of the client');
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
  });
});

describe('a forward behind jump hosts', () => {
  let server: Sshd;
  let bench: ForwardBench;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new ForwardBench();
  });
  afterEach(() => bench.dispose());

  for (const text of [':127.0.0.1:', '-R 127.0.0.1:0:127.0.0.1:'])
    it(`works two hops away: ${text.startsWith('-R') ? '-R' : '-L'}`, async () => {
      const gate = targetOf(server, { hostId: newHostId(), label: 'gate' });
      const bastion = targetOf(server, { label: 'bastion', route: { k: 'jump', via: gate } });
      const target = targetOf(server, { label: 'inner', route: { k: 'jump', via: bastion } });
      const listen = text.startsWith('-R') ? '' : String(await freePort());
      const forward = bench.forward(target, `${listen}${text}${await bench.echo()}`);
      assert.equal(await ask(here(await bench.start(forward)), 'far away'), 'far away');
    });
});

describe('a forward that starts by itself in two windows', () => {
  let server: Sshd;
  let folder: StoreFolder;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.dispose());

  it('runs in one, and in the other one when that gives it up', async () => {
    const clock = new FakeClock();
    const [first, second] = ['first', 'second'].map(
      (windowId) => new ForwardBench({ leases: folder.window({ clock, windowId }).forwardLeases, clock }),
    );
    assert.ok(first !== undefined && second !== undefined);
    try {
      const target = targetOf(server);
      const forward = first.forward(target, `${await freePort()}:127.0.0.1:${await first.echo()}`, {
        autoStart: 'firstUse',
      });
      second.route.host(target);
      await first.registry.start(forward, { by: 'itself' });
      await second.registry.start(forward, { by: 'itself' });
      assert.equal(first.registry.state(forward.id).k, 'listening');
      assert.deepEqual(second.registry.state(forward.id), { k: 'down', why: { k: 'otherWindow' } });
      await first.registry.stop(forward.id);
      const taken = second.until(forward.id, 'the other window', ({ k }) => k === 'listening');
      await clock.advance(10_000);
      await taken;
    } finally {
      await first.dispose();
      await second.dispose();
    }
  });
});
