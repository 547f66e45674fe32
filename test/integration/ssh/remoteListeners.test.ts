import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { RemoteClient } from '../../../src/application/ports/connection.ts';
import type { Transport } from '../../../src/application/ports/transport.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, faultOf, never, runCommand, startServer, targetOf, within } from './sshBench.ts';

const echo = (client: RemoteClient): void => {
  const stream = client.accept();
  stream.pipe(stream);
};

async function ask(to: net.NetConnectOpts, text: string): Promise<string> {
  const socket = net.connect({ ...to, allowHalfOpen: true });
  socket.end(text);
  return Buffer.concat(await within(socket.toArray(), 'the answer')).toString();
}

describe('a listener on the server', () => {
  let server: Sshd;
  let bench: SshBench;
  let transport: Transport;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(async () => {
    bench = new SshBench();
    transport = await bench.open(targetOf(server));
  });
  afterEach(() => bench.dispose());

  it('TRAP-15: port 0 is a port of the server’s choice, which is told, and used for its clients', async () => {
    const listeners = await Promise.all(
      [1, 2, 3].map((n) =>
        transport.listen(
          { address: '127.0.0.1', port: 0 },
          (client) => void client.accept().end(`number ${n.toString()}`),
          never,
        ),
      ),
    );
    const ports = listeners.map(({ port }) => port ?? 0);
    assert.equal(new Set(ports).size, 3);
    const answers = await Promise.all(ports.map((port) => ask({ host: '127.0.0.1', port }, '')));
    assert.deepEqual(answers, ['number 1', 'number 2', 'number 3']);
    await Promise.all(listeners.map((listener) => listener.close()));
  });

  it('keeps half-close, and tells who connected', async () => {
    let tell: (origin: { address: string; port: number }) => void = () => {};
    const told = new Promise<{ address: string; port: number }>((resolve) => (tell = resolve));
    const listener = await transport.listen(
      { address: '127.0.0.1', port: 0 },
      (client) => {
        if (client.originator !== undefined) tell(client.originator);
        echo(client);
      },
      never,
    );
    const text = 'x'.repeat(1_000_000);
    assert.equal(await ask({ host: '127.0.0.1', port: listener.port ?? 0 }, text), text);
    const { address, port } = await within(told, 'the originator');
    assert.equal(address, '127.0.0.1');
    assert.ok(port > 0);
  });

  it('that was closed is gone from the server; its port can be asked for again', async () => {
    const port = await freePort();
    for (let n = 0; n < 3; n++) {
      const listener = await transport.listen({ address: '127.0.0.1', port }, echo, never);
      assert.equal(listener.port, port);
      assert.equal(await ask({ host: '127.0.0.1', port }, 'hello'), 'hello');
      await listener.close();
      const [error] = (await once(net.connect({ host: '127.0.0.1', port }), 'error')) as [
        NodeJS.ErrnoException,
      ];
      assert.equal(error.code, 'ECONNREFUSED');
      await listener.close();
    }
  });

  it('on a Unix socket serves the programs of the server', async () => {
    const path = `${server.account.home}/listener.sock`;
    const listener = await transport.listen({ path }, echo, never);
    assert.equal(listener.port, undefined);
    assert.equal(await ask({ path }, 'over a socket'), 'over a socket');
    await listener.close();
    await runCommand(transport, `rm -f ${path}`);
    assert.equal(existsSync(path), false);
  });

  it('that the server refuses is a fault with its place', async () => {
    const strict = await startServer({ config: ['AllowTcpForwarding no', 'AllowStreamLocalForwarding no'] });
    try {
      const over = await bench.open(targetOf(strict));
      for (const [bind, to] of [
        [{ address: 'localhost', port: 8080 }, 'localhost:8080'],
        [{ address: '::1', port: 8080 }, '[::1]:8080'],
        [{ path: '/tmp/refused.sock' }, '/tmp/refused.sock'],
      ] as const) {
        const fault = await faultOf(over.listen(bind, echo, never));
        assert.deepEqual(
          [fault.code, fault.facts['to'], fault.facts['reason']],
          ['forward-refused', to, 'prohibited'],
        );
      }
    } finally {
      await strict.stop();
    }
  });

  it('may turn a client away, and serves the next', async () => {
    let count = 0;
    const listener = await transport.listen(
      { address: '127.0.0.1', port: 0 },
      (client) => {
        count += 1;
        if (count === 1) client.reject();
        else echo(client);
      },
      never,
    );
    const at = { host: '127.0.0.1', port: listener.port ?? 0 };
    assert.equal(await ask(at, 'first').catch(() => ''), '');
    assert.equal(await ask(at, 'second'), 'second');
  });

  it('ends with the connection, and closing it then is no error', async () => {
    const listener = await transport.listen({ address: '127.0.0.1', port: 0 }, echo, never);
    transport.close();
    await within(listener.close(), 'the close');
    const fault = await faultOf(transport.listen({ address: '127.0.0.1', port: 0 }, echo, never));
    assert.equal(fault.outcome, 'not-sent');
  });

  it('that nobody waits for any more is given back', async () => {
    const port = await freePort();
    const abort = new AbortController();
    const asking = faultOf(transport.listen({ address: '127.0.0.1', port }, echo, abort.signal));
    abort.abort();
    const fault = await asking;
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'unknown']);
    await runCommand(transport, 'true'); // its answer comes behind the one that nobody waits for
    const again = await transport.listen({ address: '127.0.0.1', port }, echo, never);
    assert.equal(await ask({ host: '127.0.0.1', port }, 'served'), 'served');
    await again.close();
  });
});
