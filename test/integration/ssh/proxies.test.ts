import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { ProxyServer } from '../../../src/domain/host/host.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startNetworkProxy, type NetworkProxy, type NetworkProxyOptions } from '../../lab/networkProxy.ts';
import { freePort } from '../../lab/freePort.ts';
import { processesWithEnvironment } from '../../lab/processes.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RouteBench } from './routeBench.ts';
import { faultOf, finish, never, startServer, targetOf, within } from './sshBench.ts';

describe('a host behind a proxy', () => {
  let server: Sshd;
  let inner: Sshd;
  let bench: RouteBench;
  const proxies: NetworkProxy[] = [];
  before(async () => {
    [server, inner] = await Promise.all([startServer(), startServer()]);
  });
  after(() => Promise.all([server.stop(), inner.stop()]));
  beforeEach(() => (bench = new RouteBench()));
  afterEach(async () => {
    await bench.dispose();
    for (const proxy of proxies.splice(0)) await proxy.stop();
  });

  const proxied = async (
    kind: ProxyServer['kind'],
    options: NetworkProxyOptions = {},
    change: Partial<Target> & { readonly login?: Pick<ProxyServer, 'user' | 'secretRef'> } = {},
  ): Promise<{ readonly proxy: NetworkProxy; readonly target: Target }> => {
    const proxy = await startNetworkProxy(options);
    proxies.push(proxy);
    const { login, ...rest } = change;
    const route = { k: 'proxy', proxy: { kind, host: proxy.host, port: proxy.port, ...login } } as const;
    return { proxy, target: targetOf(server, { label: 'db', route, ...rest }) };
  };

  for (const kind of ['socks4a', 'socks5', 'http'] as const) {
    it(`${kind}: is reached by address, and by a name that only the proxy knows`, async () => {
      const names = { 'db.internal.example': '127.0.0.1' };
      const { proxy, target } = await proxied(kind, { names });
      assert.equal(await bench.run(target, 'echo by address'), 'by address\n');
      const byName = { ...target, hostId: newHostId(), addresses: ['db.internal.example'] };
      assert.equal(await bench.run(byName, 'echo by name'), 'by name\n');
      assert.deepEqual(
        proxy.requests.map(({ host, port }) => [host, port]),
        [
          ['127.0.0.1', server.port],
          ['db.internal.example', server.port],
        ],
      );
    });

    it(`${kind}: its first server may be a jump host`, async () => {
      const { proxy, target } = await proxied(kind);
      const behind = targetOf(inner, { label: 'inner', route: { k: 'jump', via: target } });
      assert.equal(await bench.run(behind, 'echo inner'), 'inner\n');
      assert.deepEqual(
        proxy.requests.map(({ port }) => port),
        [server.port],
      );
    });

    it(`${kind}: a refusal is told in the proxy's own word`, async () => {
      const refuse = { socks5: 2, socks4: 0x5b, http: '403 Not from here' };
      const { target } = await proxied(kind, { refuse });
      const fault = await bench.fault(target);
      const words = {
        socks5: 'connection not allowed by ruleset',
        socks4a: 'request rejected or failed',
        http: 'HTTP 403 Not from here',
      };
      assert.deepEqual(
        [fault.code, fault.stage, fault.facts['text'], fault.retry],
        ['proxy-failed', 'route', words[kind], 'backoff'],
      );
    });

    for (const [what, noise] of [
      ['another protocol', Buffer.from('220 mail.example.com ESMTP\r\n')],
      ['a header without end', Buffer.from(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`)],
      ['nothing', Buffer.alloc(0)],
      ['half an answer', Buffer.of(5)],
    ] as const)
      it(`${kind}: a proxy that answers with ${what} is one fault`, async () => {
        const { target } = await proxied(kind, { noise });
        const fault = await within(bench.fault(target), 'the fault');
        assert.equal(fault.code, 'proxy-failed');
        assert.match(
          fault.facts['text'] ?? '',
          /does not answer as an? (HTTP|SOCKS) proxy|closed the connection/,
        );
      });
  }

  it('signs in with the user of the record and the password of the secret storage', async () => {
    const login = { user: 'op', password: 'correct horse' };
    bench.ssh.proxySecrets.set('ref-1', login.password);
    for (const kind of ['socks5', 'http'] as const) {
      const { proxy, target } = await proxied(kind, { login }, { login: { user: 'op', secretRef: 'ref-1' } });
      assert.equal(await bench.run(target, 'echo in'), 'in\n');
      assert.deepEqual(
        proxy.requests.map(({ user }) => user),
        ['op'],
      );
    }
  });

  it('a refused sign-in is not tried again by itself, and is no word about the host', async () => {
    const login = { user: 'op', password: 'correct horse' };
    const words = {
      socks5: /refused the user or password|accepts none/,
      http: /^HTTP 407 Proxy Authentication Required$/,
    };
    for (const kind of ['socks5', 'http'] as const)
      for (const given of [{ user: 'op', secretRef: 'gone' }, {}]) {
        const { target } = await proxied(kind, { login }, { login: given });
        bench.ssh.proxySecrets.set('gone', 'wrong');
        const fault = await bench.fault(target);
        assert.deepEqual([fault.code, fault.retry], ['proxy-failed', 'user']);
        assert.match(fault.facts['text'] ?? '', words[kind]);
      }
  });

  it('a proxy that is not there is named with its address', async () => {
    const port = await freePort();
    const route = { k: 'proxy', proxy: { kind: 'http', host: '127.0.0.1', port } } as const;
    const fault = await bench.fault(targetOf(server, { route }));
    assert.deepEqual(
      [fault.code, fault.facts['text']],
      ['proxy-failed', `127.0.0.1:${String(port)}: ECONNREFUSED`],
    );
  });

  it('a proxy that never answers is given as long as an address', async () => {
    const clock = new FakeClock();
    const slow = new RouteBench({ clock });
    const { target } = await proxied('socks5', { isSilent: true });
    const attempt = slow.fault(target);
    let isOver = false;
    void attempt.then(() => (isOver = true));
    while (
      clock.pending === 0 ||
      slow.manager.trace(target.hostId).flatMap(({ events }) => events).length < 2
    )
      await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(14_000);
    assert.equal(isOver, false);
    await clock.advance(2_000);
    const fault = await within(attempt, 'the fault');
    assert.deepEqual([fault.code, fault.facts['text']], ['proxy-failed', 'the proxy does not answer']);
    await slow.dispose();
  });
});

/** Connects stdin and stdout to a port of this machine. */
const relay = (port: number): string =>
  `"${process.execPath}" -e "const s=require('net').connect(${String(port)},'127.0.0.1');process.stdin.pipe(s).pipe(process.stdout)"`;

describe('a ProxyCommand', () => {
  let server: Sshd;
  let bench: RouteBench;
  const mark = `TERMIND_PROXY_TEST=${randomUUID()}`;
  const environment = (): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    TERMIND_PROXY_TEST: mark.split('=')[1] ?? '',
  });
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => (bench = new RouteBench({ environment: environment() })));
  afterEach(() => bench.dispose());

  const through = (command: string, change: Partial<Target> = {}): Target =>
    targetOf(server, {
      route: { k: 'program', command, passesDescriptor: false, at: '~/.ssh/config:3' },
      ...change,
    });

  it('carries the connection, as a shell reads it', async () => {
    const target = through(`${relay(server.port)} 2>/dev/null # "quoted"`);
    assert.equal(await bench.run(target, 'echo through a program'), 'through a program\n');
  });

  it('carries megabytes both ways', async () => {
    const lease = await bench.manager.acquire(bench.host(through(relay(server.port))), 'exec', never);
    const channel = await lease.exec('head -c 3000000 | wc -c; head -c 3000000 /dev/zero', never);
    const output = finish(channel);
    for (let n = 0; n < 3; n++) await channel.write(Buffer.alloc(1_000_000));
    channel.end();
    const { stdout } = await output;
    assert.deepEqual([stdout.subarray(0, 8).toString(), stdout.length], ['3000000\n', 3_000_008]);
    lease.release();
  });

  it('carries an unshared ssh chain as well', async () => {
    const gate = server
      .sshArguments(undefined)
      .map((word) => `'${word}'`)
      .join(' ');
    const target = through(`ssh -W 127.0.0.1:${String(server.port)} ${gate}`);
    assert.equal(await bench.run(target, 'echo two hops'), 'two hops\n');
  });

  it('its error stream is in the trace, and its last line in the fault', async () => {
    const target = through('printf "first\\n\\033[31mno route to host\\n" >&2; exit 3');
    const fault = await bench.fault(target);
    assert.deepEqual(
      [fault.code, fault.stage, fault.facts['text'], fault.retry],
      ['proxy-failed', 'route', '\\x1b[31mno route to host', 'backoff'],
    );
    const facts = bench.manager.trace(target.hostId)[0]?.events.map(({ fact }) => fact) ?? [];
    assert.deepEqual(
      facts.filter((fact) => fact.k === 'output').map(({ text }) => text),
      ['first', '\\x1b[31mno route to host'],
    );
  });

  for (const [what, command, text] of [
    ['ends without a word', 'sh -c "exit 7"', 'exit status 7'],
    ['is killed', 'sh -c "kill -9 \\$\\$"', 'ended by SIGKILL'],
    ['does not exist', '/no/such/program', /not found|No such file/],
    ['prints something else and ends', 'echo hello', 'exit status 0'],
  ] as const)
    it(`that ${what} is one fault`, async () => {
      const fault = await within(bench.fault(through(command)), 'the fault');
      assert.equal(fault.code, 'proxy-failed');
      if (typeof text === 'string') assert.equal(fault.facts['text'], text);
      else assert.match(fault.facts['text'] ?? '', text);
    });

  it('is run by the shell of the user', async () => {
    const own = new RouteBench({ environment: { ...environment(), SHELL: '/no/such/shell' } });
    const fault = await own.fault(through('true'));
    assert.equal(fault.facts['text'], 'it could not be started (ENOENT)');
    await own.dispose();
  });

  it('ends with the connection, and so does everything it has started', async () => {
    const target = through(
      `sh -c 'sleep 300 & trap "" TERM; ${relay(server.port).replaceAll("'", `'"'"'`)}'`,
    );
    const lease = await bench.manager.acquire(bench.host(target), 'exec', never);
    assert.ok(processesWithEnvironment(mark).length > 0);
    bench.manager.disconnect(target.hostId);
    await lease.lost;
    await within(
      (async () => {
        while (processesWithEnvironment(mark).length > 0)
          await new Promise((resolve) => setImmediate(resolve));
      })(),
      'the end of the programs',
    );
  });

  it('that is abandoned while it hangs is ended', async () => {
    const abort = new AbortController();
    const target = through('sleep 300');
    const attempt = faultOf(bench.manager.acquire(bench.host(target), 'exec', abort.signal));
    attempt.catch(() => {});
    while (processesWithEnvironment(mark).length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('enough'));
    await assert.rejects(attempt, /enough/);
    await within(
      (async () => {
        while (processesWithEnvironment(mark).length > 0)
          await new Promise((resolve) => setImmediate(resolve));
      })(),
      'the end of the program',
    );
  });

  it('is never run in a folder that is not trusted', async () => {
    bench.ssh.mayRunPrograms = false;
    const fault = await bench.fault(through('echo ran > /dev/stderr'));
    assert.deepEqual(
      [fault.code, fault.facts['path'], fault.outcome],
      ['config-consent', '~/.ssh/config:3', 'not-sent'],
    );
  });

  it('with ProxyUseFdpass needs the system ssh', async () => {
    const fault = await bench.fault(
      through('true', {
        route: { k: 'program', command: 'true', passesDescriptor: true, at: '~/.ssh/config:3' },
      }),
    );
    assert.deepEqual([fault.code, fault.facts['option']], ['needs-system-ssh', 'ProxyUseFdpass']);
  });
});
