import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { HostKeyPlaces } from '../../../src/application/ports/hosts.ts';
import { FleetTrustReader } from '../../../src/application/trust/fleetTrustReader.ts';
import type { HostListing } from '../../../src/domain/host/host.ts';
import { aliasHostId } from '../../../src/domain/host/hostId.ts';
import { KnownHostsFiles } from '../../../src/infrastructure/ssh/knownHostsFiles.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { silentLog } from '../../support/silentLog.ts';

const never = new AbortController().signal;
const keyBase64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIG9uZSAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';
const otherBase64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIHR3byAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';
const key = `ssh-ed25519 ${keyBase64}`;
const listing = (alias: string, port = 22): HostListing => ({
  id: aliasHostId(alias),
  label: alias,
  source: 'ssh_config',
  address: alias,
  port,
  user: 'me',
  group: undefined,
  tags: [],
  tier: undefined,
  alias,
});

describe('reading the host keys of all hosts', () => {
  let home: string;
  let store: Store;

  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-fleet-'));
    store = openStore({
      directory: path.join(home, 'store'),
      clock: systemClock,
      windowId: 'w',
      log: silentLog,
    });
  });
  afterEach(async () => {
    store.dispose();
    await fs.rm(home, { recursive: true });
  });

  const file = (name: string): string => path.join(home, name);
  const reader = (hosts: readonly HostListing[]): FleetTrustReader => {
    const usual = { user: [file('known_hosts'), file('missing')], global: [file('known_hosts')] };
    const places: HostKeyPlaces = {
      usual,
      byName: new Map(
        hosts.map(({ address, port }) => [
          address,
          { ...usual, user: [file('folder')], hostName: address, port, alias: undefined },
        ]),
      ),
    };
    return new FleetTrustReader({
      hosts: { list: () => Promise.resolve(hosts) },
      hostStore: store.hosts,
      config: { hostKeyPlaces: () => Promise.resolve(places) },
      store: store.knownHosts,
      files: new KnownHostsFiles(silentLog),
      clock: systemClock,
      log: silentLog,
    });
  };

  it('puts rows of the store and lines of files together; a file that cannot be read hides nothing else', async () => {
    await fs.mkdir(file('folder'));
    await fs.writeFile(file('known_hosts'), `# mine\nweb ${key} comment\nweb broken\n`);
    await store.knownHosts.change({
      remove: [],
      add: [
        { name: 'web', port: 2222, keyType: 'ssh-ed25519', keyBase64, origin: 'rotation', addedAt: 5 },
        { name: 'bad', port: 22, keyType: 'ssh-rsa', keyBase64, origin: 'asked', addedAt: 5 },
      ],
      audit: [{ at: 7, name: 'web', port: 2222, oldKey: 'old', newKey: 'new', actor: 'server' }],
    });
    await store.knownHosts.noteUse({ name: 'web', port: 2222, keyBase64 }, 9);
    const { trust, files, unreadFiles } = await reader([listing('web', 2222)]).read(never);
    assert.deepEqual(
      trust.keys.map(({ names, place, hosts }) => [names, place, hosts.map(({ label }) => label)]),
      [
        [['[web]:2222'], { k: 'store', origin: 'rotation', addedAt: 5, lastUsedAt: 9 }, ['web']],
        [['web'], { k: 'file', path: file('known_hosts'), line: 2 }, ['web']],
      ],
    );
    assert.deepEqual(
      trust.problems.map(({ source, line }) => [source, line]),
      [
        ['store', undefined],
        [file('known_hosts'), 3],
      ],
    );
    assert.deepEqual(trust.changes, [
      { at: 7, name: '[web]:2222', oldKey: 'old', newKey: 'new', actor: 'server', reason: undefined },
    ]);
    assert.deepEqual(
      [files, unreadFiles],
      [
        [
          { path: file('known_hosts'), keys: 1, isUnreadable: false },
          { path: file('folder'), keys: 0, isUnreadable: true },
        ],
        0,
      ],
    );
  });

  it('exports each key once, with the markers, and never a name that would mean more in a file', async () => {
    await fs.writeFile(file('known_hosts'), `@revoked * ${key} gone\nweb ${key} mine\nweb ${key} twice\n`);
    const row = { port: 22, keyType: 'ssh-ed25519', keyBase64: otherBase64, origin: 'asked', addedAt: 5 };
    for (const name of ['web', '*']) await store.knownHosts.add({ ...row, name });
    assert.deepEqual(await reader([]).exportText(never), {
      text: `web ssh-ed25519 ${otherBase64}\n@revoked * ${key}\nweb ${key}\n`,
      keys: 3,
      leftOut: 1,
      sources: [file('known_hosts'), file('missing')],
    });
  });

  it('says which hosts an authority would cover, also on another port, and which certificate each had', async () => {
    const web = listing('web', 2222);
    const blob = Buffer.from(keyBase64, 'base64');
    const covered = async (names: string): Promise<readonly string[]> =>
      (
        await reader([web, listing('db')]).coveredBy({ names, key: { keyType: 'ssh-ed25519', blob } }, never)
      ).map(({ label }) => label);
    assert.deepEqual(await covered('*,!d?'), ['web']);
    assert.deepEqual(await covered('[*]:2222'), ['web']);
    assert.deepEqual(await covered('W?B,db'), ['web', 'db']);
    assert.deepEqual(await covered('[web]:22'), []);

    await store.knownHosts.noteCertificate({
      ...{
        name: 'web',
        port: 2222,
        keyType: 'ssh-ed25519',
        serial: '7',
        keyId: 'web 2026',
        principals: ['web'],
      },
      ...{ validFrom: undefined, validUntil: 1, authority: 'SHA256:authority', seenAt: 0 },
    });
    const { certificates } = await reader([web]).read(never);
    assert.deepEqual(
      certificates.map(({ machines, keyId, expiry }) => [machines, keyId, expiry]),
      [[['web'], 'web 2026', 'expired']],
    );
  });

  it('reads nothing more once the page is closed', async () => {
    await assert.rejects(reader([]).read(AbortSignal.abort(new Error('closed'))), /closed/);
  });
});
