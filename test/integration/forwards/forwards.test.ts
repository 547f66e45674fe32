import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { isTermindError, type Fault } from '../../../src/domain/fault.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { faultOf, startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ForwardBench, ask, connectOutcome } from './forwardBench.ts';

const here = (port: number): net.TcpNetConnectOpts => ({ host: '127.0.0.1', port });

describe('a forward', () => {
  let server: Sshd;
  let bench: ForwardBench;
  let target: Target;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new ForwardBench();
    target = targetOf(server);
  });
  afterEach(() => bench.dispose());

  it('-L brings a port of the server to 127.0.0.1 and ::1 of this machine', async () => {
    const port = await freePort();
    const forward = bench.forward(target, `${port}:127.0.0.1:${await bench.echo()}`);
    assert.equal(await bench.start(forward), port);
    assert.deepEqual(bench.registry.state(forward.id), { k: 'listening', at: { port } });
    assert.equal(await ask(here(port), 'hello'), 'hello');
    if (hasIpv6()) assert.equal(await ask({ host: '::1', port }, 'hello'), 'hello');
    await bench.registry.stop(forward.id);
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
    assert.deepEqual(bench.registry.state(forward.id), { k: 'stopped' });
  });

  it('-R brings a port of this machine to the server, and port 0 is a port of the server’s choice', async () => {
    const forward = bench.forward(target, `-R 127.0.0.1:0:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    assert.ok(port > 0);
    assert.equal(await ask(here(port), 'from the server'), 'from the server');
    await bench.registry.stop(forward.id);
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
  });

  for (const [version, greeting] of [
    ['4', (port: number) => [4, 1, port >> 8, port & 255, 127, 0, 0, 1, 0]],
    ['4A', (port: number) => [4, 1, port >> 8, port & 255, 0, 0, 0, 1, 0, ...Buffer.from('localhost'), 0]],
    ['5', (port: number) => [5, 1, 0, 5, 1, 0, 3, 9, ...Buffer.from('localhost'), port >> 8, port & 255]],
  ] as const)
    it(`-D takes a client of SOCKS ${version} where it wants to go`, async () => {
      const forward = bench.forward(target, `-D ${await freePort()}`);
      const port = await bench.start(forward);
      const replyBytes = version === '5' ? 12 : 8;
      const socket = net.connect({ ...here(port), allowHalfOpen: true });
      socket.end(Buffer.concat([Buffer.from(greeting(await bench.echo())), Buffer.from('and more')]));
      const answer = Buffer.concat(await within(socket.toArray(), 'the answer'));
      assert.equal(answer.subarray(replyBytes).toString(), 'and more');
    });

  it('-R without a destination lets the server’s programs out by SOCKS from this machine', async () => {
    const forward = bench.forward(target, '-R 127.0.0.1:0');
    const port = await bench.start(forward);
    const to = await bench.echo();
    const socket = net.connect({ ...here(port), allowHalfOpen: true });
    socket.end(Buffer.from([4, 1, to >> 8, to & 255, 127, 0, 0, 1, 0, 0x68, 0x69]));
    const answer = Buffer.concat(await within(socket.toArray(), 'the answer'));
    assert.deepEqual([answer[1], answer.subarray(8).toString()], [0x5a, 'hi']);
  });

  it('-R without a destination lets them to what PermitRemoteOpen names, and to nothing else', async () => {
    const [open, shut] = [await bench.echo(), await bench.echo()];
    const forward = bench.forward(target, '-R 127.0.0.1:0', {
      permittedOpens: [{ host: '127.0.0.1', port: open }],
    });
    const port = await bench.start(forward);
    const answers: (number | undefined)[] = [];
    for (const to of [open, shut]) {
      const socket = net.connect({ ...here(port), allowHalfOpen: true });
      socket.end(Buffer.from([4, 1, to >> 8, to & 255, 127, 0, 0, 1, 0]));
      answers.push(Buffer.concat(await within(socket.toArray(), 'the answer'))[1]);
    }
    assert.deepEqual(answers, [0x5a, 0x5b]);
  });

  it('goes from socket to socket in both directions, and the local one is for its owner alone', async () => {
    const near = `${server.account.home}/near.sock`;
    const far = `${server.account.home}/far.sock`;
    const out = bench.forward(target, `-R ${far}:127.0.0.1:${await bench.echo()}`);
    await bench.start(out);
    const into = bench.forward(target, `-L ${near}:${far}`);
    await bench.start(into);
    assert.equal(statSync(near).mode & 0o777, 0o600);
    assert.equal(await ask({ path: near }, 'through both'), 'through both');
    await bench.registry.stop(into.id);
    assert.equal(existsSync(near), false);
  });

  it('carries megabytes both ways at once, unchanged, and counts them', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    const bytes = randomBytes(24 * 1024 * 1024);
    const socket = net.connect({ ...here(port), allowHalfOpen: true });
    socket.end(bytes);
    const back = Buffer.concat(await within(socket.toArray(), 'the bytes', 120_000));
    const sum = (all: Uint8Array): string => createHash('sha256').update(all).digest('hex');
    assert.equal(sum(back), sum(bytes));
    const { bytesToRemote, bytesToClient, totalClients } = bench.registry.counters(forward.id);
    assert.deepEqual([bytesToRemote, bytesToClient, totalClients], [bytes.length, bytes.length, 1]);
  });

  it('holds a sender back whom nobody reads', async () => {
    let tell: (socket: net.Socket) => void = () => {};
    const accepted = new Promise<net.Socket>((resolve) => (tell = resolve));
    const to = await bench.serve((socket) => tell(socket.pause()));
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${to}`);
    const socket = net.connect(here(await bench.start(forward)));
    const silent = await within(accepted, 'the client');
    const piece = Buffer.alloc(64 * 1024);
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const send = (): void => {
      while (sent < total) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
    };
    socket.on('drain', send);
    send();
    // Meanwhile others come through: the connection itself is not held back.
    const other = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(other);
    for (let n = 0; n < 100; n++) assert.equal(await ask(here(port), 'hello'), 'hello');
    assert.ok(bench.registry.counters(forward.id).bytesToRemote < total / 2);
    silent.resume();
    await within(
      new Promise<void>((resolve) => {
        let got = 0;
        silent.on('data', (bytes: Buffer) => {
          got += bytes.length;
          if (got >= total) resolve();
        });
      }),
      'the rest',
    );
    socket.destroy();
  });

  it('keeps a half-closed connection: the answer comes after the question has ended', async () => {
    const to = await bench.serve((socket) => {
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('end', () => socket.end(`you said ${Buffer.concat(parts).toString()}`));
    });
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${to}`);
    assert.equal(await ask(here(await bench.start(forward)), 'hello'), 'you said hello');
  });

  it('delivers all of an answer whose sender has closed at once', async () => {
    const to = await bench.serve((socket) =>
      socket.end(Buffer.alloc(5_000_000, 'x'), () => socket.destroySoon()),
    );
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${to}`);
    const socket = net.connect({ ...here(await bench.start(forward)), allowHalfOpen: true });
    const all = Buffer.concat(await within(socket.toArray(), 'the answer'));
    assert.equal(all.length, 5_000_000);
    socket.destroy();
  });

  it('a refused destination breaks only that client', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await freePort()}`);
    const port = await bench.start(forward);
    const socket = net.connect(here(port));
    const [error] = (await within(once(socket, 'error'), 'the end')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
    const { refusedClients, lastRefusal } = bench.registry.counters(forward.id);
    assert.deepEqual(
      [refusedClients, lastRefusal?.code, lastRefusal?.facts['reason']],
      [1, 'forward-refused', 'connectFailed'],
    );
    assert.equal(bench.registry.state(forward.id).k, 'listening');
  });

  it('serves 512 clients at a time and turns the next one away', async () => {
    const forward = bench.forward(target, `${await freePort()}:127.0.0.1:${await bench.echo()}`);
    const port = await bench.start(forward);
    const clients: net.Socket[] = [];
    for (let n = 0; n < 512; n += 32)
      await Promise.all(
        Array.from({ length: 32 }, async () => {
          const socket = net.connect(here(port));
          socket.write('x');
          clients.push(socket);
          await within(once(socket, 'data'), 'the echo', 60_000);
        }),
      );
    assert.equal(bench.registry.counters(forward.id).clients, 512);
    const late = net.connect(here(port));
    await within(once(late, 'error'), 'the end of one too many');
    const ends = clients.map((socket) => once(socket, 'close'));
    for (const socket of clients) socket.destroy();
    await within(Promise.all(ends), 'the ends');
  });

  it('names the program that has its port, and listens on another one when asked to', async () => {
    const taken = await bench.echo();
    const forward = bench.forward(target, `${taken}:127.0.0.1:${taken}`);
    const fault = await faultOf(bench.start(forward));
    assert.deepEqual([fault.code, fault.facts['port']], ['port-in-use', String(taken)]);
    assert.match(fault.facts['owner'] ?? '', new RegExp(`\\(${process.pid}\\)$`));
    const state = bench.registry.state(forward.id);
    assert.equal(state.k === 'down' && state.why.k === 'fault' && state.why.fault.code, 'port-in-use');
    const other = await bench.start(forward, 0);
    assert.notEqual(other, taken);
    assert.equal(await ask(here(other), 'elsewhere'), 'elsewhere');
  });

  it('leaves what stands at the path of its socket, unless the configuration says otherwise', async () => {
    const path = `${server.account.home}/stale.sock`;
    const stale = net.createServer();
    stale.listen(path);
    await once(stale, 'listening');
    const forward = bench.forward(target, `${path}:127.0.0.1:${await bench.echo()}`);
    const fault = await faultOf(bench.start(forward));
    assert.deepEqual([fault.code, fault.facts], ['port-in-use', { path }]);
    await bench.start({ ...forward, sockets: { replaces: true, mask: 0o117 } });
    assert.equal(statSync(path).mode & 0o777, 0o660);
    assert.equal(await ask({ path }, 'mine now'), 'mine now');
    await bench.registry.stop(forward.id);
    stale.close();
  });

  it('that others could use waits until somebody agrees', async () => {
    const port = await freePort();
    const forward = bench.forward(target, `*:${port}:127.0.0.1:${await bench.echo()}`);
    await bench.registry.start(forward, { by: 'itself' });
    assert.deepEqual(bench.registry.state(forward.id), { k: 'down', why: { k: 'reachesOthers' } });
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
    await bench.registry.start(forward, { by: 'person', mayOthersConnect: true });
    assert.equal(await ask(here(port), 'hello'), 'hello');
  });

  it('leaves nothing behind after 200 times', async () => {
    const port = await freePort();
    const forward = bench.forward(target, `${port}:127.0.0.1:${await bench.echo()}`);
    await bench.start(forward);
    await bench.registry.stop(forward.id);
    const before = openFiles();
    for (let n = 0; n < 200; n++) {
      await bench.start(forward);
      if (n % 20 === 0) assert.equal(await ask(here(port), 'x'), 'x');
      await bench.registry.stop(forward.id);
    }
    assert.equal(await connectOutcome(here(port)), 'ECONNREFUSED');
    await within(
      until(() => openFiles() < before + 20),
      `not one open file more for ten starts, ${before} before`,
    );
  });
});

describe('a forward that the server does not allow', () => {
  let bench: ForwardBench;
  beforeEach(() => {
    bench = new ForwardBench();
  });
  afterEach(() => bench.dispose());

  const refusalOf = async (target: Target, text: string): Promise<Fault | undefined> => {
    const forward = bench.forward(target, text);
    try {
      const port = await bench.start(forward);
      await within(once(net.connect(here(port)), 'error'), 'the end of the client');
      return bench.registry.counters(forward.id).lastRefusal;
    } catch (error) {
      return isTermindError(error) ? error.fault : undefined;
    }
  };

  for (const [line, kind, text, reason] of [
    [
      'AllowStreamLocalForwarding no',
      '-L',
      async () => `${await freePort()}:/run/any.sock`,
      'socketUnavailable',
    ],
    [
      '# nobody listens at the path',
      '-L',
      async () => `${await freePort()}:/no/such.sock`,
      'socketUnavailable',
    ],
    [
      'AllowStreamLocalForwarding no',
      '-R',
      async () => '-R /tmp/termind-any.sock:127.0.0.1:80',
      'prohibited',
    ],
    ['AllowTcpForwarding no', '-L', async () => `${await freePort()}:127.0.0.1:80`, 'prohibited'],
    ['AllowTcpForwarding no', '-R', async () => '-R 0:127.0.0.1:80', 'prohibited'],
    ['AllowTcpForwarding remote', '-L', async () => `${await freePort()}:127.0.0.1:80`, 'prohibited'],
    ['AllowTcpForwarding local', '-R', async () => '-R 0:127.0.0.1:80', 'prohibited'],
    ['PermitOpen 127.0.0.1:81', '-L', async () => `${await freePort()}:127.0.0.1:80`, 'prohibited'],
    ['PermitListen 1', '-R', async () => '-R 0:127.0.0.1:80', 'prohibited'],
  ] as const)
    it(`${kind} by ${line} says so, and the connection stays`, async () => {
      const server = await startServer({ config: [line] });
      try {
        const target = targetOf(server);
        const fault = await refusalOf(target, await text());
        assert.deepEqual([fault?.code, fault?.facts['reason']], ['forward-refused', reason]);
        assert.equal(bench.route.manager.state(target.hostId).k, 'ready');
      } finally {
        await server.stop();
      }
    });
});

/** Files and sockets of this process. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Looks again after everything that is due now; whoever waits bounds it. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
}
