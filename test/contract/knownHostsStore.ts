import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  KnownHostRow,
  KnownHostsStorePort,
  TrustAuditLine,
} from '../../src/application/ports/knownHosts.ts';
import type { SeenCertificate } from '../../src/domain/trust/seenCertificate.ts';

export interface KnownHostsFixture {
  readonly store: KnownHostsStorePort;
  dispose(): void | Promise<void>;
}

export const knownHost: KnownHostRow = {
  name: 'db1.example.com',
  port: 22,
  keyType: 'ssh-ed25519',
  keyBase64: 'AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1',
  origin: 'asked',
  addedAt: 7,
};

/** What every store of accepted host keys promises. */
export function describeKnownHostsStore(name: string, make: () => Promise<KnownHostsFixture>): void {
  describe(`known hosts store: ${name}`, () => {
    let fixture: KnownHostsFixture;
    let store: KnownHostsStorePort;

    beforeEach(async () => {
      fixture = await make();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    it('keeps several keys of a name, and ports apart', async () => {
      const rows = [
        knownHost,
        { ...knownHost, keyType: 'ssh-rsa', keyBase64: 'AAAAB3NzaC1yc2EDummy' },
        { ...knownHost, port: 2222 },
      ];
      for (const row of rows) await store.add(row);
      const byText = (list: readonly KnownHostRow[]): string[] =>
        list.map((row) => JSON.stringify(row)).sort();
      assert.deepEqual(byText(await store.rows()), byText(rows));
    });

    it('a key that is added again stays as it was recorded', async () => {
      await store.add(knownHost);
      await store.add({ ...knownHost, origin: 'imported', addedAt: 9 });
      assert.deepEqual(await store.rows(), [knownHost]);
    });

    it('removes exactly one key', async () => {
      await store.add(knownHost);
      await store.add({ ...knownHost, port: 2222 });
      await store.change({
        remove: [
          { name: knownHost.name, port: 2222, keyBase64: knownHost.keyBase64 },
          { name: 'other', port: 22, keyBase64: knownHost.keyBase64 },
        ],
        add: [],
        audit: [],
      });
      assert.deepEqual(await store.rows(), [knownHost]);
    });

    it('replaces a key and remembers what became of it, newest first', async () => {
      await store.add(knownHost);
      const next = { ...knownHost, keyBase64: 'AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey2' };
      const line = (at: number): TrustAuditLine => ({
        at,
        name: knownHost.name,
        port: 22,
        oldKey: 'ssh-ed25519 SHA256:old',
        actor: 'person',
      });
      const first = { ...line(1), newKey: 'ssh-ed25519 SHA256:new', reason: 'set up anew' };
      await store.change({ remove: [knownHost], add: [next], audit: [first] });
      await store.change({ remove: [], add: [], audit: [line(2), line(3)] });
      assert.deepEqual(await store.rows(), [next]);
      assert.deepEqual(await store.audit(), [line(3), line(2), first]);
    });

    it('keeps the line of an authority apart from the key of a host', async () => {
      const authority = { ...knownHost, name: '*.example.com', port: 0, marker: 'cert-authority' } as const;
      await store.add(authority);
      await store.add(knownHost);
      assert.deepEqual(await store.rows(), [authority, knownHost]);
      await store.change({ remove: [authority], add: [], audit: [] });
      assert.deepEqual(await store.rows(), [knownHost]);
    });

    it('remembers of each name the certificate that was seen last', async () => {
      const certificate: SeenCertificate = {
        name: 'db1.example.com',
        port: 2222,
        keyType: 'ssh-ed25519',
        serial: '18446744073709551615',
        keyId: 'db1 "2026"',
        principals: ['db1.example.com', 'db1'],
        validFrom: 1_700_000_000_000,
        validUntil: 1_800_000_000_000,
        authority: 'SHA256:authority',
        seenAt: 5,
      };
      const next = { ...certificate, serial: '8', validFrom: undefined, validUntil: undefined, seenAt: 9 };
      const other = { ...certificate, port: 22 };
      for (const one of [certificate, other, next]) await store.noteCertificate(one);
      const found = await store.certificates();
      assert.deepEqual(
        [...found].sort((a, b) => a.port - b.port),
        [other, next],
      );
    });

    it('knows when a key was shown last', async () => {
      await store.add(knownHost);
      await store.noteUse(knownHost, 11);
      await store.noteUse({ ...knownHost, name: 'other' }, 12);
      assert.deepEqual(await store.rows(), [{ ...knownHost, lastUsedAt: 11 }]);
    });
  });
}
