import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { run } from '../../lab/run.ts';
import { startSshd } from '../../lab/sshd.ts';
import { startFaultProxy, type FaultProxy, type Faults } from '../../lab/faultProxy.ts';

const kilobyte = 'x'.repeat(1024);

/** Resolves with the error code that ended the socket, or with `undefined` after an orderly end. */
function endOf(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let code: string | undefined;
    socket.resume();
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
    socket.once('close', () => resolve(code));
  });
}

describe('fault proxy', () => {
  /** Answers each byte with itself, and the end with the end. */
  let server: net.Server;
  let proxy: FaultProxy;
  let clients: Socket[];

  async function start(faults: Faults = {}): Promise<void> {
    proxy = await startFaultProxy({ port: (server.address() as net.AddressInfo).port }, faults);
  }

  async function connect(): Promise<Socket> {
    const socket = net.connect({ port: proxy.port, host: proxy.host, allowHalfOpen: true });
    clients.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** Sends all of `message`, ends, and returns all that comes back. */
  async function echo(message: string): Promise<string> {
    const socket = await connect();
    socket.end(message);
    return text(socket);
  }

  beforeEach(async () => {
    clients = [];
    server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.pipe(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  afterEach(async () => {
    for (const socket of clients) socket.destroy();
    await proxy.stop();
    server.close();
  });

  it('a good line carries every byte and both ends', async () => {
    await start();
    const message = kilobyte.repeat(4096);
    assert.equal(await echo(message), message);
    await proxy.waitFor(({ open }) => open === 0);
    const all = { received: message.length, delivered: message.length };
    assert.deepEqual(proxy.counters, { accepted: 1, open: 0, cut: 0, toTarget: all, toClient: all });
  });

  for (const faults of [
    { delayMs: 3 },
    { bytesPerSecond: 4_000_000 },
    { delayMs: 2, bytesPerSecond: 8_000_000 },
  ])
    it(`a line with ${JSON.stringify(faults)} keeps order and ends`, async () => {
      await start(faults);
      const message = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join('');
      assert.equal(await echo(message), message);
    });

  it('a delay that is taken away lets nothing overtake', async () => {
    await start({ delayMs: 20 });
    const socket = await connect();
    socket.write('first ');
    await proxy.waitFor(({ toTarget }) => toTarget.received === 6);
    proxy.set({});
    socket.end('second');
    assert.equal(await text(socket), 'first second');
  });

  for (const direction of ['toTarget', 'toClient'] as const)
    for (const [by, code] of [
      ['close', undefined],
      ['reset', 'ECONNRESET'],
    ] as const)
      it(`a ${by} after 1500 bytes ${direction} delivers exactly these, then ends the connection`, async () => {
        await start({ cut: { direction, afterBytes: 1500, by } });
        const socket = await connect();
        let seen = 0;
        socket.on('data', (data: Buffer) => (seen += data.length));
        socket.write(kilobyte.repeat(4));
        assert.equal(await endOfHalf(socket), code);
        assert.equal(proxy.counters[direction].delivered, 1500);
        assert.equal(proxy.counters.cut, 1);
        if (direction === 'toClient') assert.equal(seen, 1500);
      });

  it('a cut at byte 0 ends a connection before the target has said anything, as often as asked for', async () => {
    await start({ cut: { direction: 'toClient', afterBytes: 0, by: 'close', connections: 1 } });
    assert.equal(await text(await connect()), '');
    assert.equal(await echo('next'), 'next');
  });

  it('held bytes come when the line comes back', async () => {
    await start();
    const socket = await connect();
    proxy.set({ silence: 'hold' });
    socket.end('late');
    await proxy.waitFor(({ toTarget }) => toTarget.received === 4);
    assert.equal(proxy.counters.toTarget.delivered, 0);
    proxy.set({});
    assert.equal(await text(socket), 'late');
  });

  it('a black hole accepts and swallows, and what met it stays black', async () => {
    await start();
    const before = await connect();
    before.write('seen');
    await once(before, 'data');
    proxy.set({ silence: 'swallow' });
    const during = await connect();
    let answered = 0;
    for (const socket of [before, during]) {
      socket.on('data', () => (answered += 1));
      socket.write('lost');
    }
    await proxy.waitFor(({ toTarget }) => toTarget.received === 12);
    proxy.set({});
    before.write('lost');
    await proxy.waitFor(({ toTarget }) => toTarget.received === 16);
    assert.equal(await echo('new'), 'new');
    assert.deepEqual([answered, proxy.counters.toTarget.delivered], [0, 7]);
  });

  it('refused connects fail at the system, open connections stay, and the port comes back', async () => {
    await start();
    const open = await connect();
    await proxy.refuse();
    const refused = net.connect({ port: proxy.port, host: proxy.host });
    assert.equal(await endOf(refused), 'ECONNREFUSED');
    open.write('still');
    assert.equal(String(await once(open, 'data')), 'still');
    await proxy.accept();
    assert.equal(await echo('again'), 'again');
  });

  it('a target that does not listen resets the client', async () => {
    await start();
    server.close();
    await once(server, 'close');
    assert.equal(await endOf(await connect()), 'ECONNRESET');
  });

  it('a client that reads late gets everything, and the proxy never holds more than a little of it', async () => {
    const flood = Buffer.alloc(32 << 20);
    server.removeAllListeners('connection');
    server.on('connection', (socket) => socket.end(flood));
    await start();
    let mostHeld = 0;
    const all = proxy.waitFor(({ toClient }) => {
      mostHeld = Math.max(mostHeld, toClient.received - toClient.delivered);
      return toClient.delivered === flood.length;
    });
    const socket = await connect();
    await proxy.waitFor(({ toClient }) => toClient.received > 512 << 10);
    socket.resume();
    await all;
    assert.ok(mostHeld < 1 << 20, `held ${mostHeld} bytes`);
  });

  it('all open connections can be cut at once', async () => {
    await start();
    const sockets = [await connect(), await connect()];
    await proxy.waitFor(({ accepted }) => accepted === 2);
    proxy.cutAll('reset');
    assert.deepEqual(await Promise.all(sockets.map(endOf)), ['ECONNRESET', 'ECONNRESET']);
  });

  it('OpenSSH works over a slow line, and a connection that is cut under it ends', async function () {
    this.timeout(120_000);
    await start();
    const sshd = await startSshd();
    const line = await startFaultProxy({ port: sshd.port }, { delayMs: 5, bytesPerSecond: 20_000_000 });
    const through = { Port: String(line.port), HostKeyAlias: `[127.0.0.1]:${sshd.port}` };
    try {
      const whole = await run(
        'ssh',
        sshd.sshArguments('head -c 1000000 /dev/zero | wc -c; seq 20000', through),
      );
      assert.equal(
        whole.stdout,
        `1000000\n${Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join('')}`,
      );
      line.set({ cut: { direction: 'toClient', afterBytes: 50_000, by: 'reset' } });
      const cut = await run('ssh', sshd.sshArguments('seq 200000', through));
      assert.equal(cut.status, 255);
      assert.ok(cut.stdout.startsWith('1\n2\n') && cut.stdout.length < 50_000);
    } finally {
      await line.stop();
      await sshd.stop();
    }
  });

  /** As {@link endOf} for a client that keeps its own half open: an orderly end is answered with ours. */
  function endOfHalf(socket: Socket): Promise<string | undefined> {
    socket.once('end', () => socket.end());
    return endOf(socket);
  }
});
