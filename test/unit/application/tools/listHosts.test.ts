import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  createRedactor,
  KnownSecrets,
  runId,
  ToolServices,
  type JsonObject,
  type ToolBody,
  type ToolContext,
  type ToolOutcome,
} from '../../../../src/agentkit/index.ts';
import type { ConnectionState } from '../../../../src/application/ports/connection.ts';
import { ToolService } from '../../../../src/application/tools/keys.ts';
import { listHosts } from '../../../../src/application/tools/listHosts.ts';
import type { HostFacts, HostListing } from '../../../../src/domain/host/host.ts';
import { parseHostId } from '../../../../src/domain/host/hostId.ts';

function host(number: number, label: string, more: Partial<HostListing> = {}): HostListing {
  const id = parseHostId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);
  assert.ok(id);
  return {
    id,
    label,
    source: 'vault',
    address: `${label}.example.com`,
    port: 22,
    user: 'root',
    group: undefined,
    tags: [],
    tier: undefined,
    alias: undefined,
    ...more,
  };
}

const web = host(1, 'web', { tags: ['Frontend'], tier: 'prod', group: 'shop' });
const db = host(2, 'DB', { user: 'postgres', port: 2222 });
const cache = host(3, 'cache', { source: 'ssh_config', address: '192.0.2.9' });

function context(
  hosts: readonly HostListing[],
  facts: HostFacts = {},
  state: ConnectionState = { k: 'idle' },
): ToolContext {
  const services = new ToolServices()
    .with(ToolService.hosts, {
      list: async () => hosts,
      get: async (id) => hosts.find((known) => known.id === id),
      target: () => Promise.reject(new Error('nobody connects here')),
      onDidChange: () => ({ dispose: () => {} }),
    })
    .with(ToolService.hostFacts, { facts: async () => facts })
    .with(ToolService.connections, { state: () => state });
  return {
    runId: runId('r'),
    callId: callId('c'),
    toolName: 'list_hosts',
    userIntent: '',
    services,
    redactor: createRedactor(new KnownSecrets()),
    preflightFacts: new Map(),
    signal: new AbortController().signal,
    whenUserInterjects: () => new Promise(() => {}),
    authorize: () => Promise.resolve({ verdict: 'deny', reason: '', ground: 'mode' }),
    waiting: () => ({ dispose: () => {} }),
    report: () => {},
  };
}

async function list(args: JsonObject, scene: ToolContext): Promise<ToolOutcome> {
  const tool = listHosts();
  const checked = tool.validate(args);
  assert.ok(checked.ok);
  return tool.execute(checked.value, scene);
}

async function page(args: JsonObject, scene: ToolContext): Promise<ToolBody> {
  const outcome = await list(args, scene);
  assert.equal(outcome.kind, 'success');
  assert.ok(outcome.body);
  return outcome.body;
}

async function labels(args: JsonObject, scene = context([web, db, cache])): Promise<readonly unknown[]> {
  const { content } = await page(args, scene);
  assert.ok(Array.isArray(content));
  return content.map((item: JsonObject) => item['label']);
}

describe('list_hosts', () => {
  it('gives each host with what is known, and without anything secret', async () => {
    const scene = context(
      [web],
      { os: 'Linux', home: '/root', loginShell: 'bash' },
      { k: 'ready', since: 1, rttMs: 3 },
    );
    assert.deepEqual((await page({}, scene)).content, [
      {
        host_id: web.id,
        label: 'web',
        address: 'web.example.com',
        port: 22,
        user: 'root',
        group: 'shop',
        tags: ['Frontend'],
        tier: 'prod',
        os: 'Linux',
        home: '/root',
        connection: 'connected',
        source: 'vault',
      },
    ]);
  });

  it('says null for what is not known', async () => {
    const [first] = (await page({}, context([cache]))).content;
    assert.deepEqual(first, {
      host_id: cache.id,
      label: 'cache',
      address: '192.0.2.9',
      port: 22,
      user: 'root',
      group: null,
      tags: [],
      tier: null,
      os: null,
      home: null,
      connection: 'disconnected',
      source: 'ssh_config',
    });
  });

  it('sorts by label, and case does not matter', async () => {
    assert.deepEqual(await labels({}), ['cache', 'DB', 'web']);
  });

  for (const [query, found] of [
    ['WEB', ['web']],
    ['postgres', ['DB']],
    ['192.0.2', ['cache']],
    ['front', ['web']],
    ['shop', []],
    ['example.com', ['DB', 'web']],
  ] as const)
    it(`finds ${found.join(', ') || 'nothing'} for ${query}`, async () => {
      assert.deepEqual(await labels({ query }), found);
    });

  it('pages through all hosts with cursors, each host once', async () => {
    const many = Array.from({ length: 7 }, (_, index) => host(index, `h${index}`));
    const scene = context(many);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 4);
      const body: ToolBody = await page({ limit: 3, ...(cursor === '' ? {} : { cursor }) }, scene);
      const items = body.content as readonly JsonObject[];
      assert.deepEqual([body.firstLine, body.totalLines], [seen.length + 1, 7]);
      seen.push(...items.map((item) => item['label']));
      assert.equal(body.hasMore, seen.length < 7);
      cursor = body.cursorAfter?.(items.length, 0) ?? null;
    }
    assert.deepEqual(seen, ['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
  });

  it('continues behind the last host that was kept, also when none was', async () => {
    const scene = context([web, db, cache]);
    const body = await page({}, scene);
    const behind = async (kept: number): Promise<readonly unknown[]> =>
      labels({ cursor: body.cursorAfter?.(kept, 0) ?? '' }, scene);
    assert.deepEqual(await behind(0), ['cache', 'DB', 'web']);
    assert.deepEqual(await behind(2), ['web']);
    assert.equal(body.cursorAfter?.(3, 0), null);
  });

  it('refuses a cursor of another query, of a host that is gone, and one that is none', async () => {
    const scene = context([web, db, cache]);
    const cursor = (await page({}, scene)).cursorAfter?.(1, 0) ?? '';
    for (const [args, hosts] of [
      [{ cursor, query: 'e' }, [web, db, cache]],
      [{ cursor }, [web, db]],
      [{ cursor: 'nonsense' }, [web, db, cache]],
    ] as const)
      assert.deepEqual(await list(args, context(hosts)), {
        kind: 'failure',
        sentence: 'The cursor does not fit this list (any more). Call list_hosts again without it.',
      });
  });

  for (const [args, reason] of [
    [{ limit: 0 }, 'a page holds at least one host'],
    [{ limit: 201 }, 'a page holds at most 200'],
    [{ query: 'x'.repeat(257) }, 'a query has at most 256 characters'],
    [{ host: 'web' }, 'an unknown argument'],
  ] as const)
    it(`refuses ${JSON.stringify(args).slice(0, 30)}: ${reason}`, () => {
      assert.equal(listHosts().validate(args).ok, false);
    });
});
