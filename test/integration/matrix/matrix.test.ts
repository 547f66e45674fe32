import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, describe, it } from 'mocha';
import type { Lease } from '../../../src/application/ports/connection.ts';
import type { KnownForward } from '../../../src/application/forwards/knownForward.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { startRealAgent, type RealAgent } from '../../lab/realAgent.ts';
import {
  serverObstacle,
  startServer,
  type ServerRequest,
  type StartedServer,
} from '../../lab/startServer.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { ForwardBench, ask } from '../forwards/forwardBench.ts';
import { finish, never, targetOf, within } from '../ssh/sshBench.ts';

const routes = ['direct', '1 hop', '2 hops', 'ProxyCommand'] as const;
const methods = ['password', 'key', 'agent', 'certificate', 'keyboard-interactive'] as const;
type RouteKind = (typeof routes)[number];
type Method = (typeof methods)[number];

/** The machine's own OpenSSH has no PAM here, so it asks nothing interactively. */
const builds: readonly { readonly request: ServerRequest; readonly methods: readonly Method[] }[] = [
  {
    request: { kind: 'openssh', auth: 'password', config: ['RekeyLimit 1M'] },
    methods: methods.filter((method) => method !== 'keyboard-interactive'),
  },
  { request: { kind: 'openssh10', auth: 'pam-password', config: ['RekeyLimit 1M'] }, methods },
];

const nobody: Partial<Target> = { identities: [], identityAgent: 'none' };

/**
 * {direct, 1 hop, 2 hops, ProxyCommand} × {password, key, agent, certificate, keyboard-interactive} × {terminal, exec, SFTP, -L, -R, -D} ×
 * {fresh, after a reconnect, after a rekey}, every server on the way opened by the same method. Source: ssh.md 12.3.
 */
for (const { request, methods } of builds)
  describe(`the matrix, against ${request.kind}`, function () {
    this.timeout(120_000);
    const obstacle = serverObstacle(request);
    let servers: readonly (StartedServer & Sshd)[] = [];
    let line: FaultProxy;
    let agent: RealAgent;
    let certificates: readonly string[];

    before(async function () {
      if (obstacle !== undefined) skipBecause(this, obstacle);
      servers = (await Promise.all([1, 2, 3].map(() => startServer(request)))) as (StartedServer & Sshd)[];
      // The first byte of every route goes through one line, which can be cut.
      line = await startFaultProxy({ port: servers[0]?.port ?? 0 });
      agent = await startRealAgent(
        servers[0]?.folder ?? '',
        servers.map(({ key }) => key.privateFile),
      );
      certificates = await Promise.all(
        servers.map(async (server) => {
          const key = await server.newKey();
          await server.certify(key);
          return key.privateFile;
        }),
      );
    });
    after(async () => {
      if (obstacle !== undefined) return;
      agent.stop();
      await line.stop();
      await Promise.all(servers.map((server) => server.stop()));
    });

    const signIn = (method: Method, index: number): Partial<Target> => {
      switch (method) {
        case 'password':
          return { ...nobody, preferredAuthentications: ['password'] };
        case 'keyboard-interactive':
          return { ...nobody, preferredAuthentications: ['keyboard-interactive'] };
        case 'key':
          return {};
        case 'agent':
          return { identities: [{ kind: 'agent' }], identityAgent: agent.socket };
        case 'certificate':
          return {
            identities: [{ kind: 'keyFile', path: certificates[index] ?? '', configured: true }],
            identitiesOnly: true,
          };
      }
    };

    /** The target behind a route; the first server is reached through the line. */
    const targetBy = (route: RouteKind, method: Method): Target => {
      const names = {
        direct: ['db'],
        '1 hop': ['gate', 'db'],
        '2 hops': ['gate', 'bastion', 'db'],
        ProxyCommand: ['db'],
      };
      let target: Target | undefined;
      for (const [index, label] of names[route].entries()) {
        const server = servers[index];
        if (server === undefined) throw new Error('there are three servers');
        const own: Partial<Target> = { label, ...signIn(method, index) };
        if (target !== undefined) target = targetOf(server, { ...own, route: { k: 'jump', via: target } });
        else if (route === 'ProxyCommand') {
          const command = `'${process.execPath}' -e "const s=require('net').connect(${line.port},'${line.host}');process.stdin.pipe(s).pipe(process.stdout)"`;
          const program = { k: 'program', command, passesDescriptor: false, at: 'the test' } as const;
          target = targetOf(server, { ...own, route: program });
        } else target = targetOf(server, { ...own, addresses: [line.host], port: line.port });
      }
      if (target === undefined) throw new Error('a route has a target');
      return target;
    };

    for (const route of routes)
      for (const method of methods)
        it(`${route}, ${method}: all six, fresh, after a reconnect and after a rekey`, async () => {
          const bench = new ForwardBench();
          try {
            const target = targetBy(route, method);
            const hops = route === '2 hops' ? 3 : route === '1 hop' ? 2 : 1;
            const secrets = bench.route.ssh.person.secrets;
            bench.route.ssh.person.answerSecret = ({ hop }) => {
              const at = servers.findIndex(({ account }) => hop.startsWith(`${account.name}@`));
              return servers[at]?.account.password;
            };
            const host = bench.route.host(target);
            const works = new Features(bench, target);

            await works.all('fresh');
            const asked = method === 'password' || method === 'keyboard-interactive' ? hops : 0;
            assert.equal(secrets.length, asked, 'one set of prompts for everything on the connection');

            line.cutAll('reset');
            await works.lost();
            bench.route.manager.reconnectNow(host);
            await works.all('after a reconnect');
            assert.equal(secrets.length, 2 * asked, 'one more set of prompts');

            await works.rekey();
            await works.all('after a rekey');
            assert.equal(secrets.length, 2 * asked, 'a rekey asks nothing');
            assert.equal(bench.route.ssh.person.hostKeys.length, hops, 'each host key is asked about once');
          } finally {
            await bench.dispose();
          }
        });
  });

/** The six features of a host. Its forwards are started once and stay. */
class Features {
  readonly #bench: ForwardBench;
  readonly #target: Target;
  #forwards:
    | { readonly local: KnownForward; readonly remote: KnownForward; readonly dynamic: KnownForward }
    | undefined;
  #echo = 0;

  constructor(bench: ForwardBench, target: Target) {
    this.#bench = bench;
    this.#target = target;
  }

  async all(when: string): Promise<void> {
    const lease = await this.#bench.route.manager.acquire(this.#target.hostId, 'terminal', never);
    try {
      await this.#terminal(lease, when);
      await this.#exec(lease, when);
      await this.#sftp(lease, when);
    } finally {
      lease.release();
    }
    await this.#startForwards();
    for (const [kind, forward] of Object.entries(this.#forwards ?? {})) {
      const state = await this.#bench.until(forward.id, `${kind} ${when}`, ({ k }) => k === 'listening');
      assert.ok(state.k === 'listening' && 'port' in state.at);
      const text = `${kind} ${when}`;
      assert.equal(await this.#through(kind, state.at.port, text), text);
    }
  }

  /** Every forward has noticed that the connection is gone. */
  async lost(): Promise<void> {
    for (const forward of Object.values(this.#forwards ?? {}))
      await this.#bench.until(forward.id, 'the loss', ({ k }) => k === 'down');
  }

  /** More than the server sends before it wants new keys. */
  async rekey(): Promise<void> {
    const got = await this.#bench.route.run(this.#target, 'head -c 3000000 /dev/zero | tr "\\0" x');
    assert.equal(got.length, 3_000_000);
  }

  async #terminal(lease: Lease, when: string): Promise<void> {
    const shell = await lease.shell({ rows: 24, cols: 80, environment: [] }, never);
    const done = finish(shell);
    await shell.write(Buffer.from(`echo "size $(stty size), ${when}"; exit 3\n`));
    const { stdout, exit } = await within(done, 'the end of the terminal');
    assert.match(stdout.toString(), new RegExp(`size 24 80, ${when}`));
    assert.deepEqual(exit, { kind: 'code', code: 3 });
  }

  async #exec(lease: Lease, when: string): Promise<void> {
    const { stdout, stderr, exit } = await finish(
      await lease.exec(`echo '${when}'; echo err >&2; exit 4`, never),
    );
    assert.deepEqual(
      [stdout.toString(), stderr.toString(), exit],
      [`${when}\n`, 'err\n', { kind: 'code', code: 4 }],
    );
  }

  /** SSH_FXP_INIT of version 3, answered by SSH_FXP_VERSION. Source: draft-ietf-secsh-filexfer-02 section 4. */
  async #sftp(lease: Lease, when: string): Promise<void> {
    const stream = await lease.bytes('sftp', {}, never);
    stream.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
    const [first] = (await within(once(stream, 'data'), `the version of SFTP ${when}`)) as [Buffer];
    assert.deepEqual([...first.subarray(4, 9)], [2, 0, 0, 0, 3]);
    stream.destroy();
  }

  async #startForwards(): Promise<void> {
    if (this.#forwards !== undefined) return;
    this.#echo = await this.#bench.echo();
    const forward = (text: string, change: Partial<KnownForward> = {}): KnownForward =>
      this.#bench.forward(this.#target, text, change);
    const forwards = {
      local: forward(`-L 1024:127.0.0.1:${this.#echo}`),
      remote: forward(`-R 127.0.0.1:0:127.0.0.1:${this.#echo}`),
      dynamic: forward('-D 1024'),
    };
    this.#forwards = forwards;
    await this.#bench.start(forwards.local, 0);
    await this.#bench.start(forwards.remote);
    await this.#bench.start(forwards.dynamic, 0);
  }

  async #through(kind: string, port: number, text: string): Promise<string> {
    if (kind !== 'dynamic') return ask({ host: '127.0.0.1', port }, text);
    const socket = net.connect({ host: '127.0.0.1', port });
    try {
      socket.write(Buffer.from([5, 1, 0]));
      assert.deepEqual([...((await within(once(socket, 'data'), 'the method')) as [Buffer])[0]], [5, 0]);
      socket.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, this.#echo >> 8, this.#echo & 255]));
      const [reply] = (await within(once(socket, 'data'), 'the reply of the proxy')) as [Buffer];
      assert.deepEqual([...reply.subarray(0, 2)], [5, 0]);
      socket.write(text);
      const [back] = (await within(once(socket, 'data'), 'the echo')) as [Buffer];
      return back.toString();
    } finally {
      socket.destroy();
    }
  }
}
