import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { listHosts } from '../../../../src/application/tools/listHosts.ts';
import type { HostFacts, HostListing } from '../../../../src/domain/host/host.ts';
import { parseHostId } from '../../../../src/domain/host/hostId.ts';
import { LibraryScene } from '../assistant/libraryScene.ts';
import { calls, says, ScriptedModel } from '../assistant/scriptedModel.ts';

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

/** The answer to one call in a real run. */
async function answer(
  args: object,
  hosts: readonly HostListing[],
  facts: HostFacts = {},
): Promise<{ readonly isError: boolean; readonly text: string }> {
  const scene = new LibraryScene(new ScriptedModel(calls({ name: 'list_hosts', args }), says('Done.')));
  scene.hosts = hosts;
  for (const host of hosts) await scene.store.hosts.learn(host.id, facts);
  const session = await scene.library.create();
  await session.send('Which hosts are there?');
  await scene.settled(session);
  const result = session.snapshot().messages.find((message) => message.role === 'tool');
  assert.ok(result);
  return result;
}

interface Page {
  readonly hosts: readonly { readonly label: string }[];
  readonly cursor: string | null;
  readonly total_lines: number;
}

async function page(args: object, hosts: readonly HostListing[], facts?: HostFacts): Promise<Page> {
  const { text, isError } = await answer(args, hosts, facts);
  assert.equal(isError, false, text);
  return JSON.parse(text.split('\n')[1] ?? '') as Page;
}

async function labels(args: object, hosts = [web, db, cache]): Promise<readonly string[]> {
  return (await page(args, hosts)).hosts.map(({ label }) => label);
}

describe('list_hosts', () => {
  it('gives each host with what is known, and without anything secret', async () => {
    const { hosts } = await page({}, [web], { os: 'Linux', home: '/root', loginShell: 'bash' });
    assert.deepEqual(hosts, [
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
    const [first] = (await page({}, [cache])).hosts;
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
      connection: 'connected',
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
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 3, 'a page too many');
      const next: Page = await page({ limit: 3, cursor }, many);
      assert.equal(next.total_lines, 7);
      seen.push(...next.hosts.map(({ label }) => label));
      cursor = next.cursor;
    }
    assert.deepEqual(seen, ['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
  });

  it('refuses a cursor of another query, of a host that is gone, and one that is none', async () => {
    const { cursor } = await page({ limit: 1 }, [web, db, cache]);
    for (const [args, hosts] of [
      [{ cursor, query: 'e' }, [web, db, cache]],
      [{ cursor }, [web, db]],
      [{ cursor: 'nonsense' }, [web, db, cache]],
    ] as const) {
      const { text, isError } = await answer(args, hosts);
      assert.deepEqual(
        [isError, text],
        [true, 'The cursor does not fit this list (any more). Call list_hosts again without it.'],
      );
    }
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
