import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import type { ConfigQuestion, OpenSshConfigPort } from '../../../../src/application/ports/hosts.ts';
import { filterHosts } from '../../../../src/application/vault/filterHosts.ts';
import { hostIdOf, hostOf } from '../../../../src/application/vault/hostArgument.ts';
import { VaultHostDirectory } from '../../../../src/application/vault/hostDirectory.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import type { HostListing, HostRecord } from '../../../../src/domain/host/host.ts';
import { aliasHostId, newHostId } from '../../../../src/domain/host/hostId.ts';
import { directWay } from '../../../support/directWay.ts';
import { recordingLog } from '../../../support/silentLog.ts';

const record = (fields: Partial<HostRecord>): HostRecord => ({
  id: newHostId(),
  label: 'db',
  addresses: ['192.0.2.5'],
  port: undefined,
  user: undefined,
  identity: { kind: 'default' },
  tier: undefined,
  group: undefined,
  tags: [],
  alias: undefined,
  revision: 1,
  ...fields,
});

const alias = (name: string, address: string): HostListing => ({
  id: aliasHostId(name),
  label: name,
  source: 'ssh_config',
  address,
  port: 2222,
  user: 'deploy',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: name,
});

function directory(options: {
  readonly records?: readonly HostRecord[] | Error;
  readonly aliases?: readonly HostListing[] | Error;
}) {
  const asked: ConfigQuestion[] = [];
  const rows = new Emitter<'hosts' | 'knownHosts' | 'conversations'>();
  const configChanged = new Emitter<void>();
  const { records = [], aliases = [] } = options;
  const config: Pick<OpenSshConfigPort, 'list' | 'resolve' | 'onDidChange'> = {
    list: async () => {
      if (aliases instanceof Error) throw aliases;
      const note = { path: '/ssh_config', line: 7, message: 'unknown keyword', isRefusedBySsh: true };
      return { hosts: aliases, notes: [note], wayOf: directWay };
    },
    resolve: async (question) => {
      asked.push(question);
      const values = new Map([
        ['hostname', [question.alias]],
        ['port', [String(question.port ?? 22)]],
        ['user', [question.user ?? 'me']],
      ]);
      return { values, origin: () => undefined, asWritten: () => undefined, by: 'own parser' };
    },
    onDidChange: configChanged.event,
  };
  const log = recordingLog();
  const hosts = new VaultHostDirectory({
    store: {
      list: async () => {
        if (records instanceof Error) throw records;
        return records;
      },
      get: async (id) => (records instanceof Error ? undefined : records.find((one) => one.id === id)),
    },
    config,
    changes: { onDidChangeRows: rows.event },
    local: { localUser: 'me', localHost: 'desk', home: '/home/me', userId: 1000, environment: {} },
    chosenAgent: () => undefined,
    log,
  });
  return { hosts, asked, rows, configChanged, log };
}

describe('the host directory', () => {
  it('lists the vault and the configuration together, by label', async () => {
    const { hosts } = directory({ records: [record({})], aliases: [alias('web', 'web.example.com')] });
    assert.deepEqual(
      (await hosts.list()).map(({ label, source, address, port, user }) => ({
        label,
        source,
        address,
        port,
        user,
      })),
      [
        { label: 'db', source: 'vault', address: '192.0.2.5', port: 22, user: 'me' },
        { label: 'web', source: 'ssh_config', address: 'web.example.com', port: 2222, user: 'deploy' },
      ],
    );
  });

  it('shows a linked record once, with the live values it does not set itself', async () => {
    const linked = record({
      id: aliasHostId('web'),
      label: 'Web',
      alias: 'web',
      addresses: [],
      user: 'root',
    });
    const { hosts } = directory({ records: [linked], aliases: [alias('web', 'web.example.com')] });
    assert.deepEqual(
      (await hosts.list()).map(({ id, label, address, port, user }) => ({ id, label, address, port, user })),
      [{ id: aliasHostId('web'), label: 'Web', address: 'web.example.com', port: 2222, user: 'root' }],
    );
  });

  it('counts every host of a production machine as production, whatever it is called', async () => {
    const { hosts } = directory({
      records: [
        record({ label: 'prod', addresses: ['web.example.com'], port: 2222, tier: 'prod' }),
        record({ label: 'twin', addresses: ['WEB.example.com.'], port: 2222, user: 'other', tier: 'dev' }),
        record({ label: 'other port', addresses: ['web.example.com'], tier: 'dev' }),
      ],
      aliases: [alias('web', 'web.example.com'), alias('db', 'db.example.com')],
    });
    assert.deepEqual(
      (await hosts.list()).map(({ label, tier }) => [label, tier]),
      [
        ['db', undefined],
        ['other port', 'dev'],
        ['prod', 'prod'],
        ['twin', 'prod'],
        ['web', 'prod'],
      ],
    );
  });

  it('takes a private address for one machine by one way only', async () => {
    const { hosts } = directory({
      records: [
        record({ label: 'direct', addresses: ['127.0.0.1'] }),
        record({ label: 'other way', addresses: ['127.0.0.1'], route: { jump: 'b.example.com' } }),
        record({ label: 'prod', addresses: ['127.0.0.1'], route: { jump: 'a.example.com' }, tier: 'prod' }),
        record({ label: 'same way', addresses: ['127.0.0.1'], route: { jump: 'a.example.com' } }),
      ],
    });
    assert.deepEqual(
      (await hosts.list()).map(({ label, tier }) => [label, tier]),
      [
        ['direct', undefined],
        ['other way', undefined],
        ['prod', 'prod'],
        ['same way', 'prod'],
      ],
    );
  });

  it('shows the legacy algorithms of a host, and on a production host only with a reason', async () => {
    const legacy = { algorithms: ['ssh-rsa'] };
    const shown = async (own: Partial<HostRecord>): Promise<readonly string[] | undefined> => {
      const { hosts } = directory({ records: [record(own)] });
      const [listing] = await hosts.list();
      const target = await hosts.target(record(own).id, new AbortController().signal);
      assert.equal(target.algorithms.hostKey.includes('ssh-rsa'), listing?.legacy !== undefined);
      return listing?.legacy;
    };
    const { id } = record({});
    assert.deepEqual(await shown({ id, legacy }), ['ssh-rsa']);
    assert.equal(await shown({ id, legacy, tier: 'prod' }), undefined);
    assert.deepEqual(await shown({ id, legacy: { ...legacy, reason: 'old' }, tier: 'prod' }), ['ssh-rsa']);
    assert.equal(await shown({ id }), undefined);
  });

  it('shows the one source when the other cannot be read', async () => {
    const broken = new Error('broken');
    assert.equal((await directory({ records: broken, aliases: [alias('web', 'x')] }).hosts.list()).length, 1);
    assert.equal((await directory({ records: [record({})], aliases: broken }).hosts.list()).length, 1);
    await assert.rejects(directory({ records: broken, aliases: broken }).hosts.list());
  });

  it('asks the configuration for the address of a record, with its own user and port', async () => {
    const own = record({ user: 'root', port: 2200 });
    const { hosts, asked } = directory({ records: [own] });
    const target = await hosts.target(own.id, new AbortController().signal);
    assert.deepEqual(asked, [{ alias: '192.0.2.5', user: 'root', port: 2200 }]);
    assert.deepEqual([target.addresses, target.port, target.user], [['192.0.2.5'], 2200, 'root']);
  });

  it('refuses a host it does not know', async () => {
    const { hosts } = directory({});
    await assert.rejects(
      hosts.target(newHostId(), new AbortController().signal),
      (error) => isTermindError(error) && error.fault.code === 'unknown-host',
    );
  });

  it('tells each note of the configuration once', async () => {
    const { hosts, log } = directory({ aliases: [] });
    await hosts.list();
    await hosts.list();
    assert.equal(log.lines.filter((line) => JSON.stringify(line).includes('unknown keyword')).length, 1);
  });

  it('changes when rows of hosts or the configuration change, and not for other rows', () => {
    const { hosts, rows, configChanged } = directory({});
    let changes = 0;
    hosts.onDidChange(() => (changes += 1));
    rows.fire('hosts');
    rows.fire('conversations');
    configChanged.fire();
    assert.equal(changes, 2);
    hosts.dispose();
    rows.fire('hosts');
    assert.equal(changes, 2);
  });
});

describe('hosts that are read', () => {
  const listed = async (change: (aliases: HostListing[], records: HostRecord[]) => void): Promise<number> => {
    const aliases = [alias('web', 'web.example.com')];
    const records = [record({})];
    const { hosts } = directory({ records, aliases });
    await hosts.list();
    let changes = 0;
    hosts.onDidChange(() => (changes += 1));
    await hosts.list();
    assert.equal(changes, 0);
    change(aliases, records);
    await hosts.list();
    await hosts.list();
    return changes;
  };

  it('tell of a changed record before its notice comes', async () => {
    assert.equal(await listed((_, records) => records.push(record({ label: 'new' }))), 1);
  });

  it('tell of a changed file before its notice comes', async () => {
    assert.equal(await listed((aliases) => aliases.splice(0, 1, alias('web', 'other.example.com'))), 1);
  });
});

describe('a host as the argument of a command', () => {
  const id = newHostId();

  it('is read from a row of the tree', async () => {
    const own = record({ id });
    const { hosts } = directory({ records: [own] });
    assert.equal((await hostOf(hosts, { kind: 'host', listing: { id } }))?.label, 'db');
    assert.equal(await hostOf(hosts, { kind: 'host', listing: { id: newHostId() } }), undefined);
  });

  for (const argument of [
    undefined,
    null,
    'host',
    { kind: 'group', listing: { id } },
    { kind: 'host' },
    { kind: 'host', listing: null },
    { kind: 'host', listing: { id: 7 } },
    { kind: 'host', listing: { id: 'rm -rf /' } },
    { kind: 'host', listing: { id: id.toUpperCase() } },
  ])
    it(`is refused: ${JSON.stringify(argument)}`, () => {
      assert.equal(hostIdOf(argument), undefined);
    });
});

describe('the filter of hosts', () => {
  const hosts = [
    alias('web-1', 'web-1.example.com'),
    { ...alias('db-1', '192.0.2.9'), tags: ['postgres'] },
    { ...alias('mail', 'mx.example.com'), user: 'postmaster' },
  ];

  for (const [query, expected] of [
    ['', ['web-1', 'db-1', 'mail']],
    ['  ', ['web-1', 'db-1', 'mail']],
    ['WEB', ['web-1']],
    ['192.0.2.9', ['db-1']],
    ['postgres', ['db-1']],
    ['postmaster', ['mail']],
    ['nothing like it', []],
  ] as const)
    it(`finds ${JSON.stringify(query)}`, () => {
      assert.deepEqual(
        filterHosts(hosts, query).map((host) => host.label),
        expected,
      );
    });
});
