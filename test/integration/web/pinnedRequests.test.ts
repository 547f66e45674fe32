import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'mocha';
import { WebError, type WebHeader } from '../../../src/agentkit/index.ts';
import { PinnedRequests } from '../../../src/infrastructure/net/web/pinnedRequests.ts';
import { page, startWebServer, type WebAnswer, type WebServer } from '../../lab/webServer.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

const { signal } = new AbortController();
const MiB = 1_024 * 1_024;
const text = { 'Content-Type': 'text/plain' };

/** Never ends: as much as the client takes. */
const endless: WebAnswer = (response) => {
  response.writeHead(200, text);
  const chunk = Buffer.alloc(65_536, 'x');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};
const silent: WebAnswer = () => {};
const headOnly: WebAnswer = (response) => {
  response.writeHead(200, text);
  response.write('first');
};
const cutOff: WebAnswer = (response) => {
  response.writeHead(200, { ...text, 'Content-Length': '10' });
  response.write('12345', () => response.destroy());
};

const answers: Readonly<Record<string, WebAnswer>> = {
  '/plain': page('hello'),
  '/empty': page('', { 'Content-Encoding': 'gzip' }),
  '/gzip': page(gzipSync('packed'), { 'Content-Encoding': 'gzip' }),
  '/deflate': page(deflateSync('packed'), { 'Content-Encoding': 'deflate' }),
  '/raw-deflate': page(deflateRawSync('packed'), { 'Content-Encoding': 'deflate' }),
  '/brotli': page(brotliCompressSync('packed'), { 'Content-Encoding': 'br' }),
  '/twice': page(brotliCompressSync(gzipSync('packed')), { 'Content-Encoding': 'gzip, br' }),
  '/zstd': page('????', { 'Content-Encoding': 'zstd' }),
  '/four': page('x', { 'Content-Encoding': 'gzip, gzip, gzip, gzip' }),
  '/damaged': page(gzipSync('packed').subarray(0, 15), { 'Content-Encoding': 'gzip' }),
  '/gzip-bomb': page(gzipSync(Buffer.alloc(64 * MiB)), { 'Content-Encoding': 'gzip' }),
  '/brotli-bomb': page(brotliCompressSync(Buffer.alloc(64 * MiB)), { 'Content-Encoding': 'br' }),
  '/just': page(Buffer.alloc(8 * MiB, 'x')),
  '/announced': page(Buffer.alloc(8 * MiB + 1, 'x')),
  '/endless': endless,
  '/silent': silent,
  '/head-only': headOnly,
  '/cut-off': cutOff,
  '/cookie': page('hello', { 'Set-Cookie': 'a=b' }),
};

describe('a request to a checked address', () => {
  let server: WebServer;
  // No limit of time is over unless a test says so: a busy machine is no slow server.
  const requests = new PinnedRequests(new FakeClock());

  before(async () => {
    server = await startWebServer(answers);
  });
  after(() => server.stop());

  const ask = (path: string, headers: readonly WebHeader[] = [], using = requests) =>
    using.get(
      {
        url: `http://name.example:${server.port}${path}`,
        addresses: ['127.0.0.1'],
        headers,
        totalMs: 60_000,
      },
      signal,
    );
  const bodyOf = async (path: string): Promise<string> => {
    const answer = await ask(path);
    return Buffer.from(await answer.body(signal)).toString('utf8');
  };

  it('goes to the address, whatever the name would resolve to, and names the server as the URL does', async () => {
    assert.equal(await bodyOf('/plain?a=b%20c'), 'hello');
    const visit = server.visits.at(-1);
    assert.ok(visit);
    assert.equal(visit.url, '/plain?a=b%20c');
    assert.deepEqual(visit.rawHeaders, [
      ...['Host', `name.example:${server.port}`],
      ...['Accept', 'text/html, application/xhtml+xml, text/*, application/json, application/xml, */*;q=0.5'],
      ...['Accept-Encoding', 'gzip, deflate, br'],
      ...['User-Agent', 'Termind'],
      ...['Connection', 'close'],
    ]);
  });

  it('sends own headers as they are, in place of the usual ones, and no cookies', async () => {
    await bodyOf('/cookie');
    const own = [
      { name: 'accept', value: 'text/plain' },
      { name: 'X-Two', value: '1' },
      { name: 'x-two', value: '2' },
    ];
    const answer = await ask('/cookie', own);
    await answer.body(signal);
    assert.deepEqual(server.visits.at(-1)?.rawHeaders.slice(2, -2), [
      ...['Accept-Encoding', 'gzip, deflate, br'],
      ...['User-Agent', 'Termind'],
      ...['accept', 'text/plain'],
      ...['X-Two', '1'],
      ...['X-Two', '2'],
    ]);
  });

  for (const path of ['/gzip', '/deflate', '/raw-deflate', '/brotli', '/twice'])
    it(`unpacks ${path}`, async () => {
      assert.equal(await bodyOf(path), 'packed');
    });

  it('takes an empty body for what it is, packed or not', async () => {
    assert.equal(await bodyOf('/empty'), '');
  });

  it('reads exactly 8 MiB', async () => {
    assert.equal((await bodyOf('/just')).length, 8 * MiB);
  });

  for (const [path, code] of [
    ['/announced', 'tooLarge'],
    ['/endless', 'tooLarge'],
    ['/gzip-bomb', 'tooLarge'],
    ['/brotli-bomb', 'tooLarge'],
    ['/damaged', 'encodingUnknown'],
    ['/zstd', 'encodingUnknown'],
    ['/four', 'encodingUnknown'],
    ['/cut-off', 'connectionFailed'],
  ] as const)
    it(`ends ${path} as ${code}`, async () => {
      await assert.rejects(withinDeadline(path, bodyOf(path)), coded(code));
    });

  it('gives up after 30 seconds without a byte, in front of the answer and inside it', async () => {
    const clock = new FakeClock();
    const slow = new PinnedRequests(clock);
    const arrived = server.nextVisit();
    const unanswered = assert.rejects(ask('/silent', [], slow), timedOut('nothing arrived for 30 seconds'));
    await arrived;
    await clock.advance(30_000);
    await withinDeadline('the end of a silent request', unanswered);

    const answer = await ask('/head-only', [], slow);
    const unfinished = assert.rejects(answer.body(signal), timedOut('nothing arrived for 30 seconds'));
    await clock.advance(30_000);
    await withinDeadline('the end of a body that stops', unfinished);
    assert.equal(clock.pending, 0);
  });

  it('gives up when the time for all hops is over', async () => {
    const clock = new FakeClock();
    const arrived = server.nextVisit();
    const asked = new PinnedRequests(clock).get(
      {
        url: `http://127.0.0.1:${server.port}/silent`,
        addresses: ['127.0.0.1'],
        headers: [],
        totalMs: 5_000,
      },
      signal,
    );
    const ended = assert.rejects(asked, timedOut('60 seconds were over'));
    await arrived;
    await clock.advance(5_000);
    await withinDeadline('the end of the request', ended);
    assert.equal(clock.pending, 0);
  });

  it('gives up a connection that is not made within 10 seconds', async () => {
    const clock = new FakeClock();
    const silentServer = net.createServer((socket) => void socket.on('error', () => {}));
    silentServer.listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const { port } = silentServer.address() as AddressInfo;
    const arrived = once(silentServer, 'connection');
    const asked = new PinnedRequests(clock).get(
      { url: `https://127.0.0.1:${port}/`, addresses: ['127.0.0.1'], headers: [], totalMs: 60_000 },
      signal,
    );
    const ended = assert.rejects(asked, timedOut('no connection within 10 seconds'));
    await withinDeadline('a connection without a handshake', arrived);
    await clock.advance(10_000);
    await withinDeadline('the end of the attempt', ended);
    assert.equal(clock.pending, 0);
    silentServer.close();
  });

  it('ends with the signal, and closes its connection', async () => {
    const stop = new AbortController();
    const arrived = server.nextConnection();
    const asked = requests.get(
      {
        url: `http://127.0.0.1:${server.port}/head-only`,
        addresses: ['127.0.0.1'],
        headers: [],
        totalMs: 60_000,
      },
      stop.signal,
    );
    const socket = await arrived;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const answer = await asked;
    const ended = assert.rejects(answer.body(stop.signal), /enough/);
    stop.abort(new Error('enough'));
    await withinDeadline('the end of the body', ended);
    await withinDeadline('the close of the connection', closed);
  });

  it('says that nobody listens', async () => {
    const gone = await startWebServer({});
    await gone.stop();
    await assert.rejects(
      requests.get(
        { url: `http://localhost:${gone.port}/`, addresses: ['127.0.0.1'], headers: [], totalMs: 60_000 },
        signal,
      ),
      (error: unknown) =>
        error instanceof WebError &&
        error.message === 'localhost could not be read: the connection was refused.',
    );
  });
});

describe('a request over TLS', () => {
  let folder: string;
  let certificate: { readonly key: string; readonly cert: string };
  let server: WebServer;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'termind-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...['-subj', '/CN=name.example', '-addext', 'subjectAltName=DNS:name.example'],
        ...['-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    server = await startWebServer({ '/plain': page('hello') }, certificate);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (host: string) =>
    new PinnedRequests(new FakeClock()).get(
      {
        url: `https://${host}:${server.port}/plain`,
        addresses: ['127.0.0.1'],
        headers: [],
        totalMs: 60_000,
      },
      signal,
    );

  it('refuses a certificate that nobody vouches for', async () => {
    await assert.rejects(ask('name.example'), coded('connectionFailed'));
    assert.deepEqual(server.visits, []);
  });

  it('names the server in the handshake and takes a certificate only for that name', async () => {
    const trusted = tls.getCACertificates('default');
    tls.setDefaultCACertificates([certificate.cert]);
    try {
      const answer = await ask('name.example.');
      assert.equal(Buffer.from(await answer.body(signal)).toString('utf8'), 'hello');
      assert.equal(server.visits[0]?.serverName, 'name.example');
      await assert.rejects(ask('other.example'), coded('connectionFailed'));
      await assert.rejects(ask('127.0.0.1'), coded('connectionFailed'));
      assert.equal(server.visits.length, 1);
    } finally {
      tls.setDefaultCACertificates(trusted);
    }
  });
});

function coded(code: string): (error: unknown) => boolean {
  return (error) => error instanceof WebError && error.fault.code === code;
}

function timedOut(limit: string): (error: unknown) => boolean {
  return (error) =>
    coded('timedOut')(error) && error instanceof WebError && error.fault.facts['limit'] === limit;
}
