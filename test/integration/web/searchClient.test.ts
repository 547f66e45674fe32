import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { WebError, type ClockPort } from '../../../src/agentkit/index.ts';
import type { SearchService } from '../../../src/application/webSearchConfig.ts';
import { SearchClient } from '../../../src/infrastructure/net/web/searchClient.ts';
import { page, redirect, startWebServer, type WebServer } from '../../lab/webServer.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';

const json = { 'Content-Type': 'application/json' };
const found = {
  results: [
    { title: 'One', url: 'https://example.com/1', content: 'First.' },
    { title: 'Two', url: 'https://example.com/2', content: null },
    { title: 'Three', url: 'https://example.com/3' },
  ],
};
const foundByBrave = {
  web: {
    results: [
      {
        title: 'Disks &amp; more',
        url: 'https://example.com/1',
        description: 'A <strong>bold</strong> word',
        extra_snippets: ['Another &lt;one&gt;'],
      },
    ],
  },
};

describe('the search client', () => {
  let server: WebServer;

  before(async () => {
    server = await startWebServer({
      '/search': page(JSON.stringify(found), json),
      '/none/search': page('{"results":[]}', json),
      '/brave': page(JSON.stringify(foundByBrave), json),
      '/brave-none': page('{"query":{}}', json),
      '/page/search': page('<html>', { 'Content-Type': 'text/html' }),
      '/other/search': page('{"answers":[]}', json),
      '/moved/search': redirect('/search'),
      '/key/search': (response) => void response.writeHead(401).end(),
      '/format/search': (response) => void response.writeHead(403).end(),
      '/often/search': (response) => void response.writeHead(429).end(),
      '/silent/search': () => {},
      '/large/search': page(Buffer.alloc(8 * 1_024 * 1_024 + 1, ' '), json),
    });
  });
  after(() => server.stop());

  const search = (
    service: SearchService,
    path: string,
    more: {
      readonly key?: string;
      readonly count?: number;
      readonly clock?: ClockPort;
      readonly signal?: AbortSignal;
    } = {},
  ) =>
    new SearchClient({
      config: () => ({ service, url: `http://127.0.0.1:${server.port}${path}` }),
      secrets: { get: async (name) => (name === `search:${service}` ? more.key : undefined) },
      fetch: globalThis.fetch,
      clock: more.clock ?? new FakeClock(),
    }).search(
      { query: 'free disk & more', count: more.count ?? 5 },
      more.signal ?? new AbortController().signal,
    );
  const header = (name: string): string | undefined => {
    const headers = server.visits.at(-1)?.rawHeaders ?? [];
    const at = headers.findIndex((other, index) => index % 2 === 0 && other.toLowerCase() === name);
    return at < 0 ? undefined : headers[at + 1];
  };

  it('asks a SearXNG and takes what it found, as many as are wanted', async () => {
    assert.deepEqual(await search('searxng', '', { count: 2 }), {
      engine: 'searxng',
      hits: [
        { title: 'One', url: 'https://example.com/1', markdown: 'First.', isCut: false },
        { title: 'Two', url: 'https://example.com/2', markdown: '', isCut: false },
      ],
    });
    assert.equal(server.visits.at(-1)?.url, '/search?q=free+disk+%26+more&format=json');
    assert.equal(header('authorization'), undefined);
    await search('searxng', '/', { key: 'k1' });
    assert.equal(header('authorization'), 'Bearer k1');
  });

  it('asks a Brave-style service with its key, and reads the words behind the markup', async () => {
    assert.deepEqual(await search('brave', '/brave', { key: 'k2', count: 3 }), {
      engine: 'brave',
      hits: [
        {
          title: 'Disks & more',
          url: 'https://example.com/1',
          markdown: 'A bold word\nAnother <one>',
          isCut: false,
        },
      ],
    });
    assert.equal(server.visits.at(-1)?.url, '/brave?q=free+disk+%26+more&count=3');
    assert.equal(header('x-subscription-token'), 'k2');
  });

  it('finds nothing where there is nothing', async () => {
    assert.deepEqual((await search('searxng', '/none')).hits, []);
    assert.deepEqual((await search('brave', '/brave-none', { key: 'k' })).hits, []);
  });

  for (const [service, path, sentence] of [
    ['searxng', '/page', /its answer is none of the kind of service that is set up/],
    ['searxng', '/other', /its answer is none of the kind of service that is set up/],
    ['searxng', '/moved', /a redirect, which is not followed/],
    ['searxng', '/key', /it refused the key/],
    ['searxng', '/format', /has to offer the format json/],
    ['searxng', '/often', /takes no more searches for now/],
    ['searxng', '/gone', /the status 404/],
    ['searxng', '/large', /larger than 8388608 bytes/],
    ['brave', '/brave', /needs a key, and none is kept/],
  ] as const)
    it(`says what is wrong with ${service} at ${path}`, async () => {
      await assert.rejects(search(service, path), (error: unknown) => {
        assert.ok(error instanceof WebError);
        assert.match(error.message, sentence);
        return true;
      });
    });

  it('gives up after 60 seconds', async () => {
    const clock = new FakeClock();
    const arrived = server.nextVisit();
    const ended = assert.rejects(
      search('searxng', '/silent', { clock }),
      (error: unknown) => error instanceof WebError && error.fault.code === 'timedOut',
    );
    await arrived;
    await clock.advance(60_000);
    await withinDeadline('the end of the search', ended);
    assert.equal(clock.pending, 0);
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const arrived = server.nextVisit();
    const ended = assert.rejects(search('searxng', '/silent', { signal: stop.signal }), /enough/);
    await arrived;
    stop.abort(new Error('enough'));
    await withinDeadline('the end of the search', ended);
  });

  it('says that nothing is set up', async () => {
    const client = new SearchClient({
      config: () => undefined,
      secrets: { get: async () => undefined },
      fetch: () => assert.fail('nobody is asked'),
      clock: new FakeClock(),
    });
    await assert.rejects(
      client.search({ query: 'x', count: 1 }, new AbortController().signal),
      /No search service is set up\. The user can name one in the setting termind\.webSearch\./,
    );
  });
});
