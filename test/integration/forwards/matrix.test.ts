import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Route } from '../../../src/domain/ssh/route.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { freePort } from '../../lab/freePort.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { serverObstacle, startServer as startOther, type ServerKind } from '../../lab/startServer.ts';
import { skipBecause } from '../../skip.ts';
import { startServer, targetOf, within } from '../ssh/sshBench.ts';
import { ForwardBench } from './forwardBench.ts';

const kinds = ['-L', '-R', '-D'] as const;
type Kind = (typeof kinds)[number];

/** A forward of that kind, started; resolves with its port and with what a client says first to get through. */
async function open(
  bench: ForwardBench,
  target: Target,
  kind: Kind,
): Promise<{
  readonly id: Parameters<ForwardBench['until']>[0];
  readonly port: number;
  readonly hello: Buffer;
}> {
  const to = await bench.echo();
  const listen = kind === '-R' ? '0' : String(await freePort());
  const forward = bench.forward(target, kind === '-D' ? `-D ${listen}` : `${kind} ${listen}:127.0.0.1:${to}`);
  const hello = kind === '-D' ? Buffer.from([4, 1, to >> 8, to & 255, 127, 0, 0, 1, 0]) : Buffer.alloc(0);
  return { id: forward.id, port: await bench.start(forward), hello };
}

/** Sends bytes through and resolves with what comes back, without the answer to the greeting. */
async function through(port: number, hello: Buffer, bytes: Buffer): Promise<Buffer> {
  const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.write(hello);
  socket.end(bytes);
  const all = Buffer.concat(await within(socket.toArray(), 'the answer'));
  return all.subarray(hello.length === 0 ? 0 : 8);
}

describe('the matrix of forwards', function () {
  this.timeout(60_000);
  let server: Sshd;
  let bench: ForwardBench;
  before(async () => {
    server = await startServer({ rekeyLimit: '1M' });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new ForwardBench();
  });
  afterEach(() => bench.dispose());

  const via = (label: string, route: Route = { k: 'direct' }): Route => ({
    k: 'jump',
    via: targetOf(server, { label, route }),
  });
  for (const [way, route] of [
    ['direct', (): Route => ({ k: 'direct' })],
    ['one hop', (): Route => via('gate')],
    ['two hops', (): Route => via('bastion', via('gate'))],
    [
      'a program',
      (): Route => ({
        k: 'program',
        command: `${JSON.stringify(process.execPath)} -e 'const s=require("net").connect(${String(server.port)},"127.0.0.1");process.stdin.pipe(s).pipe(process.stdout)'`,
        passesDescriptor: false,
        at: 'config:1',
      }),
    ],
  ] as const)
    for (const kind of kinds)
      it(`${kind} by ${way} carries bytes when fresh, after new keys and after a reconnect`, async () => {
        const target = targetOf(server, { label: 'inner', route: route() });
        const { id, port, hello } = await open(bench, target, kind);
        assert.equal((await through(port, hello, Buffer.from('fresh'))).toString(), 'fresh');
        const much = randomBytes(3 * 1024 * 1024);
        assert.ok((await through(port, hello, much)).equals(much), 'after new keys');
        const lost = bench.until(id, 'the loss', ({ k }) => k === 'down');
        server.dropConnections();
        await lost;
        const state = await bench.until(id, 'the return', ({ k }) => k === 'listening');
        const now = state.k === 'listening' && 'port' in state.at ? state.at.port : 0;
        if (kind !== '-R') assert.equal(now, port);
        assert.equal((await through(now, hello, Buffer.from('back'))).toString(), 'back');
        assert.equal(bench.route.ssh.person.hostKeys.length <= 3, true, 'nobody was asked again');
      });
});

/** tinysshd does not answer when it is asked to listen, which is waited for a minute. */
for (const { server: make, forwards, refused } of [
  { server: 'openssh10', forwards: kinds, refused: [] },
  { server: 'dropbear', forwards: kinds, refused: [] },
  { server: 'tinysshd', forwards: [], refused: ['-L', '-D'] },
] as const satisfies readonly {
  readonly server: ServerKind;
  readonly forwards: readonly Kind[];
  readonly refused: readonly Kind[];
}[])
  describe(`forwards over ${make}`, function () {
    this.timeout(60_000);
    const obstacle = serverObstacle({ kind: make });
    let server: LabServer;
    let bench: ForwardBench;
    before(async function () {
      if (obstacle !== undefined) skipBecause(this, obstacle);
      server = await startOther({ kind: make });
    });
    after(async () => {
      if (obstacle === undefined) await server.stop();
    });
    beforeEach(() => {
      bench = new ForwardBench();
    });
    afterEach(() => bench.dispose());

    for (const kind of forwards)
      it(`${kind} works`, async () => {
        const { port, hello } = await open(bench, targetOf(server), kind);
        assert.equal((await through(port, hello, Buffer.from('hello'))).toString(), 'hello');
      });

    for (const kind of refused)
      it(`${kind} is refused, and the connection stays`, async () => {
        const target = targetOf(server);
        const { id, port, hello } = await open(bench, target, kind);
        await through(port, hello, Buffer.from('hello')).catch(() => {});
        assert.equal(bench.registry.counters(id).lastRefusal?.code, 'forward-refused');
        assert.equal(bench.route.manager.state(target.hostId).k, 'ready');
      });
  });
