import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import {
  createRedactor,
  createSecretRegistry,
  OutputProjector,
  ScratchWorkspace,
  systemClock,
  webTools,
  type AgentRuntimeOptions,
  type ApprovalPort,
  type WebPorts,
} from '../../../src/agentkit/index.ts';
import { DocumentTexts } from '../../../src/infrastructure/net/web/documentTexts.ts';
import { PinnedRequests } from '../../../src/infrastructure/net/web/pinnedRequests.ts';
import { systemNames } from '../../../src/infrastructure/net/web/systemNames.ts';
import { startDnsServer, type DnsServer } from '../../lab/dnsServer.ts';
import { page, redirect, startWebServer, type WebServer } from '../../lab/webServer.ts';
import { allowing, finished, results } from '../../unit/agentkit/support/runHarness.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { answer, asks, call } from '../../unit/agentkit/support/scriptedStream.ts';
import { labInternet } from './labInternet.ts';

const publicAddress = '8.8.8.8';
const redactor = createRedactor(createSecretRegistry());

/** Says no, and counts. */
function refusing(): ApprovalPort & { asked: number } {
  const gate = {
    asked: 0,
    decide: async () => {
      gate.asked++;
      return { verdict: 'deny', reason: '', by: 'user' } as const;
    },
  };
  return gate;
}

describe('fetch over a real network', () => {
  let dns: DnsServer;
  let outside: WebServer;
  let inside: WebServer;
  let folder: string;
  let scratch: ScratchWorkspace;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'termind-web-'));
    scratch = new ScratchWorkspace({
      root: join(folder, 'scratch'),
      clock: systemClock,
      lockOwner: { self: { pid: process.pid, startToken: '', machine: '' }, isGone: () => false },
    });
    inside = await startWebServer({ '/': page('the inside') });
    const html = { 'Content-Type': 'text/html; charset=iso-8859-1' };
    outside = await startWebServer({
      '/': page('the outside'),
      '/page': page(Buffer.from('<title>Caf\xe9</title><h1>Caf\xe9</h1><p hidden>no</p>', 'latin1'), html),
      '/to-loopback': redirect(`http://127.0.0.1:${inside.port}/`),
      '/to-mapped': redirect(`http://[::ffff:127.0.0.1]:${inside.port}/`),
      '/to-name': redirect(`http://inside.example:${inside.port}/`),
      '/to-rebinding': redirect(`http://rebinding.example:${inside.port}/`),
      '/missing': (response) => void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('gone'),
    });
    const loopback = ['127.0.0.1'];
    const answers: Readonly<Record<string, (nth: number) => readonly string[]>> = {
      'outside.example': () => [publicAddress],
      'inside.example': () => loopback,
      'mixed.example': () => [publicAddress, '10.0.0.1'],
      'six.example': () => [publicAddress, '::ffff:7f00:1'],
      'zero.example': () => [publicAddress, '0.0.0.0'],
      'rebinding.example': (nth) => (nth === 0 ? [publicAddress] : loopback),
    };
    dns = await startDnsServer((name, nth) => answers[name]?.(nth));
  });
  after(async () => {
    await Promise.all([dns.stop(), outside.stop(), inside.stop()]);
    scratch.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A run that makes one call. */
  async function calling(
    tool: 'fetch' | 'scratch_fetch',
    args: unknown,
    options: Partial<AgentRuntimeOptions> & { readonly names?: WebPorts['names'] } = {},
  ) {
    const { names = dns.names, ...others } = options;
    const internet = labInternet({ [publicAddress]: outside.port });
    // No limit of time is over: a busy machine is no slow server.
    const clock = new FakeClock();
    const web: WebPorts = {
      names,
      requests: new PinnedRequests(clock, internet.open),
      documents: new DocumentTexts(clock),
      clock,
    };
    const run = await finished({
      answers: [asks(call('f', tool, args)), answer('I see.')],
      tools: webTools({ web, scratch }),
      options: { redactor, projector: new OutputProjector({ redactor }), clock: systemClock, ...others },
    });
    return { result: results(await run.stored())['f'] ?? '', dialled: internet.dialled };
  }

  it('reads a page by the name that DNS gives, in its own encoding, as Markdown', async () => {
    const { result, dialled } = await calling('fetch', { url: 'http://outside.example/page' });
    assert.match(result, /"content":"# Café\\n"/);
    assert.match(result, /"title":"Café"/);
    assert.deepEqual(dialled, [publicAddress]);
  });

  it('S4: connects to what was checked when the name changes its address in between', async () => {
    const { result, dialled } = await calling('fetch', { url: 'http://rebinding.example/' });
    assert.match(result, /"content":"the outside"/);
    assert.deepEqual(dialled, [publicAddress]);
    assert.equal(inside.connections, 0);
  });

  for (const [name, why] of [
    ['inside.example', 'resolves to loopback'],
    ['mixed.example', 'has one restricted address among public ones'],
    ['six.example', 'has a mapped address among public ones'],
    ['rebinding.example', 'resolves to loopback by now'],
  ] as const)
    it(`asks before it reaches ${name}, which ${why}`, async () => {
      const gate = refusing();
      const { dialled } = await calling(
        'fetch',
        { url: `http://${name}:${inside.port}/` },
        { approvals: gate },
      );
      assert.equal(gate.asked, 1);
      assert.deepEqual(dialled, []);
      assert.equal(inside.connections, 0);
    });

  it('never reaches a name with an unspecified address', async () => {
    const { result, dialled } = await calling(
      'fetch',
      { url: 'http://zero.example/' },
      { permissionMode: 'full' },
    );
    assert.match(result, /^zero\.example is refused/);
    assert.deepEqual(dialled, []);
  });

  for (const path of ['/to-loopback', '/to-mapped', '/to-name', '/to-rebinding'])
    it(`asks before it follows ${path}`, async () => {
      const gate = refusing();
      const url = `http://outside.example${path}`;
      const { dialled } = await calling('fetch', { url }, { approvals: gate });
      assert.equal(gate.asked, 1);
      assert.deepEqual(dialled, [publicAddress]);
      assert.equal(inside.connections, 0);
    });

  it('S4: reaches nothing of this machine under any spelling without a decision', async () => {
    const bases = fc.constantFrom('decimal', 'octal', 'hexadecimal');
    const hosts = fc
      .record({ parts: fc.integer({ min: 1, max: 4 }), base: bases, last: fc.integer({ min: 1, max: 254 }) })
      .map(({ parts, base, last }) => {
        const four = [127, 0, 0, last];
        const rest = four.slice(parts - 1).reduce((sum, one) => sum * 256 + one, 0);
        return [...four.slice(0, parts - 1), rest].map((number) => inBase(number, base)).join('.');
      });
    const others = fc.constantFrom('localhost', 'LOCALHOST', '[::1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]');
    await fc.assert(
      fc.asyncProperty(fc.oneof(hosts, others), async (host) => {
        const gate = refusing();
        const { dialled } = await calling(
          'fetch',
          { url: `http://${host}:${inside.port}/` },
          { approvals: gate, names: systemNames },
        );
        assert.equal(gate.asked, 1);
        assert.deepEqual(dialled, []);
      }),
      { numRuns: 40 },
    );
    assert.equal(inside.connections, 0);
  });

  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '0177.0.0.1', 'localhost'])
    it(`reaches ${host} once it is allowed`, async () => {
      const url = `http://${host}:${inside.port}/`;
      const { result } = await calling('fetch', { url }, { approvals: allowing, names: systemNames });
      assert.match(result, /"content":"the inside"/);
    });

  it('says that a name has no address', async () => {
    const { result } = await calling('fetch', { url: 'http://unknown.example/' });
    assert.equal(result, 'The name unknown.example has no address.');
  });

  it('saves a page as Markdown or as the bytes that came', async () => {
    const url = 'http://outside.example/page';
    const converted = await calling('scratch_fetch', { url, scratch_path: 'pages/cafe.md' });
    assert.match(
      converted.result,
      /"bytes":8,"format":"markdown","http_status":200,"lines":1,"scratch_path":"pages\/cafe.md"/,
    );
    const { signal } = new AbortController();
    assert.equal((await scratch.read('pages/cafe.md', signal)).toString('utf8'), '# Café\n');
    await calling('scratch_fetch', { url, scratch_path: 'pages/cafe.html', format: 'original' });
    const saved = await scratch.read('pages/cafe.html', signal);
    assert.equal(saved.toString('latin1'), '<title>Caf\xe9</title><h1>Caf\xe9</h1><p hidden>no</p>');
  });

  for (const [args, sentence] of [
    [
      { url: 'http://outside.example/missing', scratch_path: 'gone.txt' },
      'Nothing was saved: the server answered with the status 404.',
    ],
    [{ url: 'http://outside.example/', scratch_path: '../gone.txt' }, /^The scratch path is refused/],
  ] as const)
    it(`saves nothing as ${args.scratch_path} from ${args.url}`, async () => {
      const { result } = await calling('scratch_fetch', args);
      if (typeof sentence === 'string') assert.equal(result, sentence);
      else assert.match(result, sentence);
      const { signal } = new AbortController();
      await assert.rejects(scratch.read('gone.txt', signal), /Not found in scratch/);
    });
});

function inBase(number: number, base: string): string {
  if (base === 'octal') return `0${number.toString(8)}`;
  return base === 'hexadecimal' ? `0x${number.toString(16)}` : String(number);
}
