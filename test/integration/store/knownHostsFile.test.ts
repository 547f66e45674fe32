import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { KnownHostRow } from '../../../src/application/ports/knownHosts.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { knownHostsText } from '../../../src/infrastructure/store/knownHostsFile.ts';
import { knownHost } from '../../contract/knownHostsStore.ts';
import { settle } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { StoreFolder } from './storeFolder.ts';

describe('the known_hosts file of the store', () => {
  let folder: StoreFolder;
  beforeEach(() => {
    folder = new StoreFolder();
  });
  afterEach(() => folder.dispose());

  const text = (): string => readFileSync(folder.paths.knownHosts, 'utf8');

  it('holds every row as ssh writes it, with ports in brackets', () => {
    const authority = {
      ...knownHost,
      name: '*.example.com,!db?',
      port: 0,
      marker: 'cert-authority',
    } as const;
    const rows = [knownHost, { ...knownHost, port: 2222 }, { ...knownHost, name: '2001:db8::7' }, authority];
    assert.equal(
      knownHostsText(rows),
      `# Host keys accepted in Termind, written from its store for people and for ssh.
# Changes made here are lost; use the host editor.
db1.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1
[db1.example.com]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1
2001:db8::7 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1
@cert-authority *.example.com,!db? ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1
`,
    );
  });

  const unsayable: readonly (readonly [Partial<KnownHostRow>, string])[] = [
    [{ name: '*' }, 'would match every host'],
    [{ name: 'db?' }, 'is a pattern'],
    [{ name: '!db1' }, 'is a negation'],
    [{ name: 'db1,db2' }, 'is a list'],
    [{ name: 'db1 ssh-rsa AAAA\ndb2' }, 'would be two lines'],
    [{ name: '@cert-authority' }, 'is a marker'],
    [{ name: '|1|salt|hash' }, 'is a hash'],
    [{ name: '#db1' }, 'is a comment'],
    [{ name: '[db1]:22' }, 'names a port itself'],
    [{ name: '' }, 'names nothing'],
    [{ marker: 'cert-authority', name: '|1|salt|hash' }, 'names the hosts of an authority by a hash'],
    [{ marker: 'cert-authority', name: 'db1 ssh-rsa AAAA\n*' }, 'would be two lines'],
    [{ keyType: 'ssh-rsa AAAA' }, 'has a blank in its type'],
    [{ keyBase64: 'AAAA\nother ssh-rsa BBBB' }, 'would be two lines'],
  ];
  for (const [change, reason] of unsayable)
    it(`leaves out a row that ${reason} (${JSON.stringify(change)})`, () => {
      assert.equal(knownHostsText([{ ...knownHost, ...change }]), knownHostsText([]));
    });

  it('follows every change and belongs to the user', async () => {
    const { knownHosts } = folder.window();
    await knownHosts.add(knownHost);
    await knownHosts.add({ ...knownHost, port: 2222 });
    assert.equal(text(), knownHostsText(await knownHosts.rows()));
    await knownHosts.change({ remove: [knownHost], add: [], audit: [] });
    assert.equal(text(), knownHostsText([{ ...knownHost, port: 2222 }]));
    assert.equal(statSync(folder.paths.knownHosts).mode & 0o777, 0o600);
  });

  it('holds the rows of all windows, whoever wrote last', async () => {
    const windows = [1, 2, 3].map(() => folder.window({ clock: systemClock }));
    await Promise.all(
      windows.flatMap(({ knownHosts }, window) =>
        Array.from({ length: 10 }, (_, n) => knownHosts.add({ ...knownHost, name: `h${window}-${n}` })),
      ),
    );
    const rows = (await windows[0]?.knownHosts.rows()) ?? [];
    assert.equal(rows.length, 30);
    assert.equal(text(), knownHostsText(rows));
  });

  it('is written again at the start when a crash left it saying something else', async () => {
    const first = folder.window();
    await first.knownHosts.add(knownHost);
    first.dispose();
    for (const left of [`${text()}evil ssh-ed25519 AAAA\n`, undefined]) {
      if (left === undefined) rmSync(folder.paths.knownHosts);
      else writeFileSync(folder.paths.knownHosts, left);
      const store = folder.window();
      const repaired = new Promise<void>((resolve) => {
        store.state.onDidChangeRows((area) => {
          if (area === 'knownHosts') resolve();
        });
      });
      await store.knownHosts.rows();
      await withinDeadline('the repair', repaired);
      assert.equal(text(), knownHostsText([knownHost]));
    }
  });

  it('cannot be written, so the key is not accepted', async () => {
    const { knownHosts } = folder.window();
    await knownHosts.add(knownHost);
    rmSync(folder.paths.knownHosts);
    mkdirSync(folder.paths.knownHosts);
    await assert.rejects(knownHosts.add({ ...knownHost, port: 2222 }));
    assert.deepEqual(await knownHosts.rows(), [knownHost]);
  });

  it('no file is made for a store without keys', async () => {
    const store = folder.window();
    await store.hosts.remove(newHostId());
    await settle();
    assert.equal(existsSync(folder.paths.knownHosts), false);
  });
});
