import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createRedactor,
  createSecretRegistry,
  OutputProjector,
  ScratchWorkspace,
  webTools,
  type AgentRuntimeOptions,
  type ApprovalPort,
  type ApprovalRequest,
  type CallCapture,
  type Grant,
  type GrantPort,
} from '../../../../../src/agentkit/index.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';
import { assertGolden } from '../../../../golden.ts';
import { memoryWeb, type MemoryWeb } from '../../support/memoryWeb.ts';
import { allowing, bodies, envelope, finished, results } from '../../support/runHarness.ts';
import { answer, asks, call } from '../../support/scriptedStream.ts';

const names = {
  'public.example': ['8.8.8.8'],
  'other.example': ['8.8.4.4', '2001:4860:4860::8888'],
  'inside.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'nowhere.example': ['0.0.0.0'],
};

/** `scratch_fetch` has tests of its own with a real scratch. */
const noScratch = new ScratchWorkspace({
  root: '/nowhere',
  clock: new FakeClock(),
  lockOwner: { self: { pid: 1, startToken: '', machine: '' }, isGone: () => false },
});
const redactor = createRedactor(createSecretRegistry());

async function fetching(web: MemoryWeb, args: unknown, options: Partial<AgentRuntimeOptions> = {}) {
  const run = await finished({
    answers: [asks(call('f', 'fetch', args)), answer('I see.')],
    tools: webTools({ web, scratch: noScratch }),
    options: { redactor, projector: new OutputProjector({ redactor }), ...options },
  });
  return { ...run, result: results(await run.stored())['f'] ?? '' };
}

/** Decides by the address that a card names, and keeps the cards. */
function desk(verdictFor: (request: ApprovalRequest) => 'allow' | 'deny'): ApprovalPort & {
  readonly asked: ApprovalRequest[];
} {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    decide: async ({ request }) => {
      asked.push(request);
      if (verdictFor(request) === 'deny') return { verdict: 'deny', reason: 'not in there', by: 'user' };
      return { verdict: 'allow', digest: request.digest, ground: { kind: 'user', id: request.id } };
    },
  };
}

const redirectTo = (location: string) => ({ status: 302, location });

describe('fetch', () => {
  it('reads a public document without asking', async () => {
    const web = memoryWeb(names, { 'https://public.example/a': { body: '<p>hi</p>' } });
    const { result } = await fetching(web, { url: 'https://PUBLIC.example/a#part' });
    assert.equal(
      result,
      envelope(
        JSON.stringify({
          bytes: 9,
          content: 'md:<p>hi</p>',
          content_type: 'text/html',
          format: 'markdown',
          http_status: 200,
          redirects: 0,
          returned_lines: 1,
          title: 'A page',
          total_lines: 1,
          truncated: false,
          url: 'https://public.example/a',
        }).replaceAll('</', '<\\/'),
      ),
    );
    assert.deepEqual(
      web.requested.map(({ url, addresses }) => ({ url, addresses })),
      [{ url: 'https://public.example/a', addresses: ['8.8.8.8'] }],
    );
    assert.equal(web.open, 0);
  });

  it('gives the source when it is asked for, and any status as a result', async () => {
    const web = memoryWeb(names, { 'http://public.example/': { status: 500, body: '<p>no</p>' } });
    const { result } = await fetching(web, { url: 'http://public.example', format: 'original' });
    assert.match(result, /"content":"<p>no<\\\/p>"/);
    assert.match(result, /"http_status":500/);
  });

  it('asks before it connects to a restricted address, and connects to the address that was shown', async () => {
    const inside = (nth: number) => [nth === 0 ? '10.0.0.1' : '10.9.9.9'];
    const web = memoryWeb(
      { 'inside.example': inside },
      { 'http://inside.example:8080/status': { type: 'text/plain', body: 'up' } },
    );
    const gate = desk(() => 'allow');
    const { result } = await fetching(web, { url: 'http://inside.example:8080/status' }, { approvals: gate });
    assert.match(result, /"content":"up"/);
    assert.deepEqual(
      gate.asked.map(({ subject }) => subject.details),
      [[{ label: 'Address', value: '10.0.0.1: a private network' }]],
    );
    assert.deepEqual(web.requested[0]?.addresses, ['10.0.0.1']);
    assert.equal(web.resolved.get('inside.example'), 1);
  });

  it('reaches nothing restricted when the decision is no', async () => {
    const web = memoryWeb(names, {});
    const gate = desk(() => 'deny');
    const { result } = await fetching(web, { url: 'http://169.254.169.254/latest' }, { approvals: gate });
    assert.equal(result, 'The user denied this call: "not in there".');
    assert.deepEqual(web.requested, []);
  });

  it('judges a URL that the person wrote instead, and connects only to that', async () => {
    const web = memoryWeb(names, {
      'http://inside.example/other': { type: 'text/plain', body: 'the other' },
    });
    const seen: unknown[] = [];
    const gate: ApprovalPort = {
      decide: async ({ request, revise }, signal) => {
        const refused = await revise?.('http://nowhere.example/', signal);
        const revised = await revise?.('http://inside.example/other', signal);
        assert.ok(revised?.ok === true);
        seen.push(request.editable, refused?.ok, revised.request.subject.action);
        const { id, digest } = revised.request;
        return { verdict: 'allow', digest, ground: { kind: 'user', id } };
      },
    };
    const { result } = await fetching(web, { url: 'http://metadata.example/' }, { approvals: gate });
    assert.match(result, /the other/);
    assert.deepEqual(seen, [
      { argument: 'url', text: 'http://metadata.example/' },
      false,
      'GET http://inside.example/other',
    ]);
    assert.deepEqual(
      web.requested.map(({ url, addresses }) => [url, addresses]),
      [['http://inside.example/other', ['10.0.0.1']]],
    );
  });

  it('is allowed for the conversation as exactly this URL at these addresses, and never with headers', async () => {
    const moving = (nth: number) => [nth < 2 ? '10.0.0.1' : '10.0.0.2'];
    const page = { type: 'text/plain', body: 'up' };
    const web = memoryWeb({ ...names, 'moving.example': moving }, { 'http://moving.example/': page });
    const given = new Map<string, Grant>();
    const grants: GrantPort = {
      covering: async (_conversation, shape) => given.get(JSON.stringify(shape)),
      give: async (_conversation, shape) => {
        const grant = { id: `g${given.size}`, shape, givenAt: 1 };
        given.set(JSON.stringify(shape), grant);
        return grant;
      },
    };
    const asked: ApprovalRequest[] = [];
    const gate: ApprovalPort = {
      decide: async ({ request }) => {
        asked.push(request);
        const { id, digest, canGrant } = request;
        return { verdict: 'allow', digest, ground: { kind: 'user', id }, forConversation: canGrant };
      },
    };
    const url = 'http://moving.example/';
    const options = { approvals: gate, grants };
    await fetching(web, { url }, options);
    await fetching(web, { url }, options);
    assert.equal(asked.length, 1, 'the grant covers the second call');
    await fetching(web, { url }, options);
    assert.equal(asked.length, 2, 'another address is another shape');
    await fetching(web, { url: 'http://inside.example/', headers: [{ name: 'X-A', value: 'b' }] }, options);
    assert.deepEqual(
      asked.map(({ canGrant }) => canGrant),
      [true, true, false],
    );
  });

  it('does not count the time in which the person decides', async () => {
    const clock = new FakeClock();
    const web = memoryWeb(
      names,
      {
        'http://public.example/': redirectTo('http://inside.example/'),
        'http://inside.example/': { type: 'text/plain', body: 'up' },
      },
      clock,
    );
    const gate: ApprovalPort = {
      decide: async ({ request: { id, digest } }) => {
        clock.sleepThrough(3_600_000);
        return { verdict: 'allow', digest, ground: { kind: 'user', id } };
      },
    };
    const { result } = await fetching(web, { url: 'http://public.example/' }, { approvals: gate });
    assert.match(result, /"content":"up"/);
    assert.deepEqual(
      web.requested.map(({ totalMs }) => totalMs),
      [60_000, 60_000],
    );
  });

  it('has a minute for all hops together', async () => {
    const clock = new FakeClock();
    const pages = {
      'http://public.example/1': redirectTo('/2'),
      'http://public.example/2': redirectTo('/3'),
    };
    const web = memoryWeb(names, pages, clock);
    const slow: MemoryWeb = {
      ...web,
      requests: {
        get: async (request, signal) => {
          const answered = await web.requests.get(request, signal);
          clock.sleepThrough(40_000);
          return answered;
        },
      },
    };
    const { result } = await fetching(slow, { url: 'http://public.example/1' });
    assert.equal(result, 'public.example did not answer in time: 60 seconds were over.');
    assert.deepEqual(
      web.requested.map(({ totalMs }) => totalMs),
      [60_000, 20_000],
    );
  });

  it('refuses a restricted address while planning', async () => {
    const web = memoryWeb(names, {});
    const { result } = await fetching(
      web,
      { url: 'http://inside.example/' },
      { planning: true, approvals: allowing },
    );
    assert.match(result, /^While planning/);
    assert.deepEqual(web.requested, []);
  });

  it('refuses what is no address of one machine in every mode', async () => {
    const web = memoryWeb(names, {});
    const { result } = await fetching(web, { url: 'http://nowhere.example/' }, { permissionMode: 'full' });
    assert.equal(
      result,
      'nowhere.example is refused: 0.0.0.0 is an unspecified address, which is never fetched from.',
    );
    assert.deepEqual(web.requested, []);
  });

  it('does not ask in Full access', async () => {
    const web = memoryWeb(names, { 'http://inside.example/': { type: 'text/plain', body: 'up' } });
    const { result } = await fetching(web, { url: 'http://inside.example/' }, { permissionMode: 'full' });
    assert.match(result, /"content":"up"/);
  });

  it('says what a card of a restricted target needs, and hides the values of secret headers', async () => {
    const web = memoryWeb(names, { 'http://inside.example/x': { type: 'text/plain', body: 'up' } });
    const gate = desk(() => 'allow');
    const headers = [
      { name: 'Authorization', value: 'Bearer canary-one' },
      { name: 'X-Api-Key', value: 'canary-two' },
      { name: 'X-Trace', value: 'abc' },
    ];
    const run = await fetching(web, { url: 'http://inside.example/x?page=2', headers }, { approvals: gate });
    const [request] = gate.asked;
    assert.ok(request);
    assertGolden(
      'agentkit/restrictedFetchCard.json',
      `${JSON.stringify({ subject: request.subject, reasons: request.reasons, arguments: request.invocation.arguments }, undefined, 2)}\n`,
    );
    assert.deepEqual(web.requested[0]?.headers, headers, 'the server gets them');
    assert.doesNotMatch(JSON.stringify([run.events, await run.stored(), request]), /canary/);
  });

  it('follows redirects on the public internet with the headers, also to another origin', async () => {
    const web = memoryWeb(names, {
      'https://public.example/a': redirectTo('/b'),
      'https://public.example/b': redirectTo('http://other.example/c'),
      'http://other.example/c': { type: 'text/plain', body: 'there' },
    });
    const headers = [{ name: 'X-Trace', value: 'abc' }];
    const { result } = await fetching(web, { url: 'https://public.example/a', headers });
    assert.match(result, /"redirects":2.*"url":"http:\/\/other.example\/c"/);
    assert.deepEqual(
      web.requested.map(({ addresses, headers: sent }) => ({ addresses, sent })),
      [
        { addresses: ['8.8.8.8'], sent: headers },
        { addresses: ['8.8.8.8'], sent: headers },
        { addresses: ['8.8.4.4', '2001:4860:4860::8888'], sent: headers },
      ],
    );
    assert.equal(web.open, 0);
  });

  for (const [location, host] of [
    ['http://169.254.169.254/latest', '169.254.169.254'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[64:ff9b::7f00:1]/', '64:ff9b::7f00:1'],
    ['//inside.example/', 'inside.example'],
    ['http://0x7f.1/', '127.0.0.1'],
  ] as const) {
    it(`asks before a redirect into ${location}, and a no keeps it away`, async () => {
      const web = memoryWeb(names, { 'http://public.example/': redirectTo(location) });
      const gate = desk(() => 'deny');
      const { result } = await fetching(web, { url: 'http://public.example/' }, { approvals: gate });
      assert.match(
        result,
        /^The redirect to http.* was not fetched\. The user denied this call: "not in there"\.$/,
      );
      assert.deepEqual(
        gate.asked.map(({ subject }) => [subject.target, subject.details[0]]),
        [[host, { label: 'Redirected from', value: 'http://public.example/' }]],
      );
      assert.equal(web.requested.length, 1);
      assert.equal(web.open, 0);
    });
  }

  it('goes on behind a redirect that was allowed, and asks once for each origin it enters', async () => {
    const web = memoryWeb(names, {
      'http://public.example/': redirectTo('http://inside.example/1'),
      'http://inside.example/1': redirectTo('/2'),
      'http://inside.example/2': redirectTo('http://metadata.example/'),
      'http://metadata.example/': redirectTo('http://inside.example/3'),
      'http://inside.example/3': { type: 'text/plain', body: 'far' },
    });
    const gate = desk(() => 'allow');
    const { result } = await fetching(web, { url: 'http://public.example/' }, { approvals: gate });
    assert.match(result, /"content":"far".*"redirects":4/);
    assert.deepEqual(
      gate.asked.map(({ subject }) => subject.action),
      ['GET http://inside.example/1', 'GET http://metadata.example/'],
    );
  });

  it('asks again when a name that was public, or shown with another address, is inside by now', async () => {
    const moving = (nth: number) => [['8.8.8.8', '10.0.0.1', '10.0.0.2'][nth] ?? '10.0.0.2'];
    const web = memoryWeb(
      { 'moving.example': moving },
      {
        'http://moving.example/1': redirectTo('/2'),
        'http://moving.example/2': redirectTo('/3'),
        'http://moving.example/3': { type: 'text/plain', body: 'far' },
      },
    );
    const gate = desk(() => 'allow');
    await fetching(web, { url: 'http://moving.example/1' }, { approvals: gate });
    assert.deepEqual(
      gate.asked.map(({ subject }) => subject.details.find(({ label }) => label === 'Address')?.value),
      ['10.0.0.1: a private network', '10.0.0.2: a private network'],
    );
    assert.deepEqual(
      web.requested.map(({ addresses }) => addresses),
      [['8.8.8.8'], ['10.0.0.1'], ['10.0.0.2']],
    );
  });

  it('follows ten redirects and not an eleventh', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 11 }, (_, at) => [`http://public.example/${at}`, redirectTo(`/${at + 1}`)]),
    );
    const end = { 'http://public.example/11': { type: 'text/plain', body: 'end' } };
    const web = memoryWeb(names, { ...pages, ...end });
    const ten = await fetching(web, { url: 'http://public.example/1' });
    assert.match(ten.result, /"redirects":10/);
    const eleven = await fetching(web, { url: 'http://public.example/0' });
    assert.equal(eleven.result, 'There were more than 10 redirects.');
  });

  for (const [location, sentence] of [
    ['http://nowhere.example/', /^nowhere\.example is refused/],
    ['ftp://public.example/', /^The URL is refused: only http and https/],
    ['http://me:word@public.example/', /^The URL is refused: it names a user/],
    ['http://unknown.example/', /^The name unknown\.example has no address\.$/],
  ] as const)
    it(`does not follow a redirect to ${location}`, async () => {
      const web = memoryWeb(names, { 'http://public.example/': redirectTo(location) });
      const { result } = await fetching(web, { url: 'http://public.example/' }, { approvals: allowing });
      assert.match(result, sentence);
      assert.equal(web.requested.length, 1);
    });

  it('shows an answer with a redirect status that leads nowhere', async () => {
    const web = memoryWeb(names, {
      'http://public.example/': { status: 302, type: 'text/plain', body: 'where?' },
    });
    const { result } = await fetching(web, { url: 'http://public.example/' });
    assert.match(result, /"content":"where\?".*"http_status":302/);
  });

  for (const [type, isRead] of [
    ['text/plain', true],
    ['TEXT/HTML; charset=utf-8', true],
    ['application/json', true],
    ['application/problem+json', true],
    ['application/xml', true],
    ['application/atom+xml', true],
    ['application/xhtml+xml', true],
    ['application/octet-stream', false],
    ['image/png', false],
    ['application/pdf', false],
    ['', false],
  ] as const)
    it(`${isRead ? 'reads' : 'does not read'} the type ${type === '' ? '(none)' : type}`, async () => {
      const web = memoryWeb(names, { 'http://public.example/': { type, body: 'x' } });
      const { result } = await fetching(web, { url: 'http://public.example/' });
      if (isRead) assert.match(result, /^<untrusted-data>/);
      else assert.match(result, /is no type that is read/);
    });

  it('gives up a name that is not resolved in time', async () => {
    const clock = new FakeClock();
    const web = {
      ...memoryWeb(names, {}, clock),
      names: {
        resolve: async () => {
          void clock.advance(10_000);
          return new Promise<never>(() => {});
        },
      },
    };
    const { result } = await fetching(web, { url: 'http://public.example/' });
    assert.equal(result, 'public.example did not answer in time: no address of it within 10 seconds.');
  });

  it('keeps the whole redacted document when it is too long, and counts its lines', async () => {
    const saved: string[] = [];
    const capture: CallCapture = {
      save: async (bytes) => {
        saved.push(Buffer.from(bytes).toString('utf8'));
        return { kind: 'saved', path: 'x/outputs/fetch-1.txt' };
      },
      grow: () => assert.fail('a document is whole when it is saved'),
    };
    const line = 'password: canary-three and some more words\n';
    const web = memoryWeb(names, {
      'http://public.example/': { type: 'text/plain', body: line.repeat(2_500) },
    });
    const policies = { fetch: { strategy: 'head', capturePath: () => 'x/outputs/fetch-1.txt' } } as const;
    const { result } = await fetching(
      web,
      { url: 'http://public.example/' },
      {
        projector: new OutputProjector({ redactor, captures: { forCall: () => capture } }),
        policies: {
          systemPrompt: '',
          planContract: '',
          outputPolicies: policies,
          contextFields: () => ({}),
          contextBlock: (_field, text) => text,
        },
      },
    );
    const kept = /"marker":"\[Showing lines 1-(\d+) of 2500\. Full output: x\/outputs\/fetch-1\.txt\]"/.exec(
      result,
    );
    assert.ok(kept, result.slice(-300));
    assert.match(result, /"total_lines":2500/);
    assert.equal(saved.length, 1);
    assert.equal(saved[0]?.split('\n').length, 2_501);
    assert.doesNotMatch(saved.join('') + result, /canary/);
  });

  it('says which header it refuses, and asks nobody', async () => {
    const web = memoryWeb(names, {});
    const headers = [{ name: 'Host', value: 'inside.example' }];
    const { result, events } = await fetching(web, { url: 'http://public.example/', headers });
    assert.equal(result, 'The header Host is refused: it belongs to the connection.');
    assert.deepEqual(bodies(events, 'toolStarted'), []);
    assert.deepEqual(web.requested, []);
  });
});
