import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Transport } from '../../../src/application/ports/transport.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { mustRun } from '../../lab/run.ts';
import { serverObstacle, startServer, type ServerKind } from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, faultOf, finish, never, targetOf, within } from './sshBench.ts';

/** What each make can do beside a terminal, a command or SFTP. tinysshd grants one channel for all of them, once in a connection. */
const rows: readonly {
  readonly kind: ServerKind;
  readonly forwards: boolean;
  readonly severalChannels: boolean;
}[] = [
  { kind: 'openssh10', forwards: true, severalChannels: true },
  { kind: 'dropbear', forwards: true, severalChannels: true },
  { kind: 'tinysshd', forwards: false, severalChannels: false },
];

/** The matrix of ssh.md 12.3 in its reduced form: what works with one server has to work with the others. */
for (const { kind, forwards, severalChannels } of rows)
  describe(`a connection to ${kind}`, function () {
    this.timeout(60_000);
    const obstacle = serverObstacle({ kind });
    let server: LabServer;
    let bench: SshBench;
    let transport: Transport;
    let echo: net.Server;
    before(async function () {
      if (obstacle !== undefined) skipBecause(this, obstacle);
      server = await startServer({ kind });
      echo = net.createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
      await once(echo, 'listening');
    });
    after(async () => {
      if (obstacle !== undefined) return;
      echo.close();
      await server.stop();
    });
    beforeEach(async () => {
      bench = new SshBench();
      transport = await bench.open(targetOf(server));
    });
    afterEach(() => bench.dispose());

    it('runs commands, with their output, errors and status', async () => {
      const { stdout, exit } = await finish(await transport.exec('echo out; echo err >&2; exit 7', never));
      assert.deepEqual([stdout.toString(), exit], ['out\n', { kind: 'code', code: 7 }]);
    });

    it(
      severalChannels ? 'runs several commands at once' : 'says that it runs one command at a time',
      async () => {
        const opening = [1, 2, 3].map(() => transport.exec({ command: 'cat', queueMs: 0 }, never));
        if (!severalChannels) {
          const codes = await Promise.all(opening.slice(1).map(async (one) => (await faultOf(one)).code));
          (await opening[0])?.close();
          return assert.deepEqual(codes, ['channel-limit', 'channel-limit']);
        }
        const channels = await Promise.all(opening);
        const results = channels.map((channel) => finish(channel));
        for (const [at, channel] of channels.entries()) {
          await channel.write(Buffer.from(`channel ${at}`));
          channel.end();
        }
        const outputs = (await Promise.all(results)).map(({ stdout }) => stdout.toString());
        assert.deepEqual(outputs, ['channel 0', 'channel 1', 'channel 2']);
      },
    );

    it('has terminals', async () => {
      const shell = await transport.shell({ rows: 30, cols: 100, environment: [] }, never);
      let shown = '';
      const answered = new Promise<void>((resolve) => {
        shell.onData(({ bytes }) => {
          shown += Buffer.from(bytes).toString();
          if (/size 30 100/.test(shown)) resolve();
        });
      });
      await shell.write(Buffer.from('echo size $(stty size)\n'));
      await within(answered, 'the size of the terminal');
      await shell.write(Buffer.from('exit 5\n'));
      await within(shell.closed, 'the end of the terminal');
      assert.deepEqual(await shell.exit, { kind: 'code', code: 5 });
    });

    it('has SFTP', async () => {
      const stream = await transport.as('sftp-browse').bytes('sftp', {}, never);
      stream.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
      const [answer] = (await within(once(stream, 'data'), 'the version')) as [Buffer];
      assert.deepEqual([answer[4], answer.readUInt32BE(5)], [2, 3]);
      stream.destroy();
    });

    it('moves 20 MB unchanged', async () => {
      const command = 'seq 1 10000000 | head -c 20000000';
      const { stdout } = await finish(await transport.exec(command, never));
      const expected = await mustRun('sh', ['-c', command]);
      assert.equal(stdout.equals(Buffer.from(expected)), true);
    });

    it(forwards ? 'carries bytes to a port' : 'says that it carries nothing to a port', async () => {
      const to = { host: '127.0.0.1', port: portOf(echo) };
      const opening = transport.as('forward').direct(to, never);
      if (!forwards) return assert.equal((await faultOf(opening)).code, 'forward-refused');
      assert.equal(await roundTrip(await opening), 'there and back');
    });

    it(
      forwards ? 'listens on a port' : 'is not waited for when it says nothing about listening',
      async () => {
        if (!forwards) {
          const clock = new FakeClock();
          const still = new SshBench({ clock });
          try {
            const silent = await still.open(targetOf(server));
            const bind = { address: '127.0.0.1', port: 0 };
            const fault = faultOf(silent.as('forward').listen(bind, () => {}, never));
            await clock.advance(20_000);
            const { code, outcome, facts } = await within(fault, 'the fault');
            assert.deepEqual([code, outcome, facts['reason']], ['forward-refused', 'unknown', 'other']);
            return;
          } finally {
            await still.dispose();
          }
        }
        let tell = (_stream: Duplex): void => {};
        const arrived = new Promise<Duplex>((resolve) => (tell = resolve));
        const listener = await transport
          .as('forward')
          .listen({ address: '127.0.0.1', port: 0 }, (client) => tell(client.accept()), never);
        const client = net.connect(listener.port ?? 0, '127.0.0.1');
        const far = await within(arrived, 'the client of the listener');
        far.pipe(far);
        assert.equal(await roundTrip(client), 'there and back');
      },
    );

    if (!severalChannels)
      it('says that a further session needs a new connection, or that the server has hung up', async () => {
        assert.equal((await finish(await transport.exec('echo one', never))).stdout.toString(), 'one\n');
        const { code, facts } = await faultOf(transport.exec('echo two', never));
        if (code === 'channel-limit') return assert.equal(facts['used'], '0');
        // It hangs up behind its session, and which comes first is not ours to say.
        await within(transport.lost, 'the end of the connection');
        assert.equal(code, 'outcome-unknown');
      });

    it('comes again after the server has dropped it', async () => {
      server.dropConnections();
      await within(transport.lost, 'the end of the connection');
      const again = await bench.open(targetOf(server));
      assert.equal((await finish(await again.exec('echo again', never))).stdout.toString(), 'again\n');
    });
  });

describe('a connection to dropbear by password', function () {
  this.timeout(60_000);

  it('asks once', async function () {
    const request = { kind: 'dropbear', auth: 'password' } as const;
    const obstacle = serverObstacle(request);
    if (obstacle !== undefined) skipBecause(this, obstacle);
    const server = await startServer(request);
    const bench = new SshBench();
    try {
      bench.person.answerSecret = () => server.account.password;
      const transport = await bench.open(targetOf(server, { identities: [] }));
      assert.equal((await finish(await transport.exec('echo in', never))).stdout.toString(), 'in\n');
      assert.equal(bench.person.secrets.length, 1);
    } finally {
      await bench.dispose();
      await server.stop();
    }
  });
});

function portOf(server: net.Server): number {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

async function roundTrip(stream: Duplex): Promise<string> {
  const text = 'there and back';
  let got = '';
  const done = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      got += chunk.toString();
      if (got.length >= text.length) resolve();
    });
  });
  stream.write(text);
  await within(done, 'the echo');
  stream.destroy();
  return got;
}
