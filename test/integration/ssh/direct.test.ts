import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { Client } from 'ssh2';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, faultOf, never, startServer, targetOf, within } from './sshBench.ts';

/** A TCP or Unix listener that hands each client to `serve`. */
async function listen(
  at: { readonly port: 0 } | { readonly path: string },
  serve: (socket: Socket) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen('port' in at ? { port: 0, host: '127.0.0.1' } : at);
  await once(server, 'listening');
  return {
    port: 'port' in at ? (server.address() as AddressInfo).port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const echo = (socket: Socket): void => void socket.pipe(socket);

describe('a direct stream', () => {
  let server: Sshd;
  let bench: SshBench;
  let transport: Transport;
  const listeners: { close(): Promise<void> }[] = [];
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new SshBench();
    transport = await bench.open(targetOf(server));
  });
  afterEach(async () => {
    await bench.dispose();
    await Promise.all(listeners.splice(0).map((listener) => listener.close()));
  });

  async function serve(handle: (socket: Socket) => void): Promise<number> {
    const listener = await listen({ port: 0 }, handle);
    listeners.push(listener);
    return listener.port;
  }

  it('carries bytes both ways unchanged, and EOF alone ends one direction', async () => {
    const port = await serve((socket) => {
      const hash = createHash('sha256');
      socket.on('data', (bytes) => hash.update(bytes));
      socket.on('end', () => socket.end(hash.digest('hex')));
    });
    const stream = await transport.direct({ host: '127.0.0.1', port }, never);
    const bytes = randomBytes(5_000_000);
    stream.end(bytes);
    const answer = Buffer.concat(await within(stream.toArray(), 'the answer after our EOF'));
    assert.equal(answer.toString(), createHash('sha256').update(bytes).digest('hex'));
    await within(closedOf(stream), 'the end of the stream');
  });

  it('keeps writing possible after the other side has ended its direction', async () => {
    let received = '';
    let tell: (text: string) => void = () => {};
    const got = new Promise<string>((resolve) => (tell = resolve));
    const port = await serve((socket) => {
      socket.end('bye');
      socket.on('data', (bytes) => (received += bytes.toString()));
      socket.on('end', () => tell(received));
    });
    const stream = await transport.direct({ host: '127.0.0.1', port }, never);
    stream.resume();
    await within(once(stream, 'end'), 'the EOF of the other side');
    stream.end('still here');
    assert.equal(await within(got, 'what was written'), 'still here');
  });

  it('holds the sender back while nobody reads, and writes wait while the other side does not read', async () => {
    let sent = 0;
    const port = await serve((socket) => {
      const pump = (): void => {
        while (sent < 50_000_000) {
          sent += 65_536;
          if (!socket.write(Buffer.alloc(65_536))) return void socket.once('drain', pump);
        }
      };
      pump();
    });
    const stream = await transport.direct({ host: '127.0.0.1', port }, never);
    const taken = await writeUntilFull(stream);
    assert.ok(taken < 50_000_000, `${taken.toString()} bytes were taken`);
    assert.ok(sent < 50_000_000, `${sent.toString()} bytes were sent to a stream that nobody reads`);
    stream.destroy();
  });

  it('reaches a Unix socket of the server', async () => {
    const socketPath = path.join(server.folder, 'echo.sock');
    chmodSync(server.folder, 0o711);
    listeners.push(await listen({ path: socketPath }, echo));
    chmodSync(socketPath, 0o777);
    const stream = await transport.direct({ path: socketPath }, never);
    stream.end('over a socket');
    assert.equal(Buffer.concat(await stream.toArray()).toString(), 'over a socket');
  });

  it('tells a destination that cannot be reached from one that is not allowed', async () => {
    const port = await freePort();
    const closed = await faultOf(transport.direct({ host: '127.0.0.1', port }, never));
    assert.deepEqual(
      [closed.code, closed.facts, closed.outcome],
      [
        'forward-refused',
        {
          ...{ reason: 'connectFailed', number: '2' },
          ...{ to: `127.0.0.1:${port.toString()}`, text: 'Connection refused' },
        },
        'failed',
      ],
    );
    const strict = await startServer({ config: ['AllowTcpForwarding no'] });
    try {
      const over = await bench.open(targetOf(strict));
      const fault = await faultOf(over.direct({ host: '::1', port: 80 }, never));
      assert.deepEqual([fault.facts['reason'], fault.facts['to']], ['prohibited', '[::1]:80']);
    } finally {
      await strict.stop();
    }
  });

  it('does not count: a server with MaxSessions 1 opens thirty beside a command', async () => {
    const one = await startServer({ maxSessions: 1 });
    try {
      const over = await bench.open(targetOf(one));
      const command = await over.exec('cat', never);
      const port = await serve(echo);
      const streams = await Promise.all(
        Array.from({ length: 30 }, () => over.direct({ host: '127.0.0.1', port }, never)),
      );
      for (const stream of streams) stream.destroy();
      command.close();
      await within(command.closed, 'the close');
    } finally {
      await one.stop();
    }
  });

  it('is destroyed with the fault when the connection ends, without an unhandled error', async () => {
    const port = await serve(echo);
    const stream = await transport.direct({ host: '127.0.0.1', port }, never);
    const ended = closedOf(stream);
    server.dropConnections();
    await within(ended, 'the end of the stream');
    assert.equal(stream.errored?.name, 'TermindError');
  });

  it('names the originator that was given', async () => {
    const chatty = await startServer({ logLevel: 'DEBUG1' });
    try {
      const over = await bench.open(targetOf(chatty));
      const originator = { address: '192.0.2.7', port: 4711 };
      const stream = await over.direct({ host: '127.0.0.1', port: await serve(echo), originator }, never);
      stream.destroy();
      await chatty.waitForLog(/originator 192\.0\.2\.7 port 4711/);
    } finally {
      await chatty.stop();
    }
  });

  it('carries another SSH connection to its end', async function () {
    this.timeout(120_000);
    const inner = await startServer();
    try {
      const sock = await transport.direct({ host: '127.0.0.1', port: inner.port }, never);
      const client = new Client();
      const done = new Promise<number>((resolve, reject) => {
        client.on('error', reject).on('ready', () =>
          client.exec('head -c 3000000 /dev/zero', (error, channel) => {
            if (error) return reject(error);
            let total = 0;
            channel.on('data', (bytes: Buffer) => (total += bytes.length));
            channel.on('close', () => resolve(total));
          }),
        );
      });
      client.connect({
        sock,
        username: inner.account.name,
        privateKey: readFileSync(inner.key.privateFile),
      });
      assert.equal(await within(done, 'the inner command', 60_000), 3_000_000);
      client.end();
      await within(closedOf(sock), 'the end of the outer stream');
    } finally {
      await inner.stop();
    }
  });
});

function closedOf(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });
}

/** Writes until the stream asks to wait and does not drain while the event loop turns; what it has taken. */
async function writeUntilFull(stream: NodeJS.WritableStream): Promise<number> {
  let taken = 0;
  for (let n = 0; n < 1_000; n++) {
    taken += 65_536;
    if (stream.write(Buffer.alloc(65_536))) continue;
    const drained = await Promise.race([
      once(stream, 'drain').then(() => true),
      new Promise<boolean>((resolve) => {
        let turns = 0;
        const turn = (): void => {
          turns += 1;
          if (turns > 2_000) resolve(false);
          else setImmediate(turn);
        };
        turn();
      }),
    ]);
    if (!drained) return taken;
  }
  return taken;
}
