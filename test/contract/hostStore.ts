import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { HostStorePort } from '../../src/application/ports/hosts.ts';
import { newForwardId } from '../../src/domain/forward/forward.ts';
import { isTermindError } from '../../src/domain/fault.ts';
import type { HostRecord } from '../../src/domain/host/host.ts';
import { type HostId, newHostId } from '../../src/domain/host/hostId.ts';

export interface HostStoreFixture {
  readonly store: HostStorePort;
  dispose(): void | Promise<void>;
}

export function hostRecord(id: HostId = newHostId()): HostRecord {
  return {
    id,
    label: 'db1',
    addresses: ['192.0.2.7', '2001:db8::7'],
    port: 2222,
    user: 'deploy',
    identity: { kind: 'password', credentialId: undefined },
    tier: 'prod',
    group: 'eu',
    tags: ['db'],
    alias: undefined,
    route: {
      jump: 'gate,op@bastion:2222',
      proxy: { kind: 'socks5', host: 'proxy.example.com', port: 1080, user: 'op', secretRef: 'ref' },
    },
    revision: 0,
  };
}

/** What every host store promises. */
export function describeHostStore(name: string, make: () => Promise<HostStoreFixture>): void {
  describe(`host store: ${name}`, () => {
    let fixture: HostStoreFixture;
    let store: HostStorePort;

    beforeEach(async () => {
      fixture = await make();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    it('gives back a host exactly as it was put, with its new revision', async () => {
      const stored = await store.put(hostRecord());
      assert.equal(stored.revision, 1);
      assert.deepEqual(await store.get(stored.id), stored);
      assert.deepEqual(await store.list(), [stored]);
      const { route: _route, ...plain } = hostRecord();
      const bare: HostRecord = {
        ...plain,
        port: undefined,
        user: undefined,
        identity: { kind: 'keyFile', path: '~/.ssh/id_ed25519' },
        tier: undefined,
        group: undefined,
        tags: [],
        alias: 'db1',
      };
      assert.deepEqual(await store.put(bare), { ...bare, revision: 1 });
      assert.deepEqual(await store.get(bare.id), { ...bare, revision: 1 });
    });

    it('keeps the legacy algorithms that were allowed, and forgets them when they are taken back', async () => {
      const legacy = { algorithms: ['ssh-rsa'], reason: 'no updates for this switch' };
      const { legacy: kept, ...rest } = await store.put({ ...hostRecord(), legacy });
      assert.deepEqual(kept, legacy);
      assert.deepEqual((await store.get(rest.id))?.legacy, legacy);
      assert.equal('legacy' in (await store.put(rest)), false);
    });

    it('keeps what was decided about signing in, and forgets it when it is taken back', async () => {
      const signIn = {
        passwordRef: 'reference',
        attemptLimit: 3,
        agentForwarding: { isOn: true, keys: ['SHA256:a'], confirm: true },
      };
      const { signIn: kept, ...rest } = await store.put({ ...hostRecord(), signIn });
      assert.deepEqual(kept, signIn);
      assert.deepEqual((await store.get(rest.id))?.signIn, signIn);
      assert.equal('signIn' in (await store.put(rest)), false);
    });

    it('keeps the forwards of a host', async () => {
      const forwards: HostRecord['forwards'] = [
        {
          id: newForwardId(),
          kind: 'local',
          bind: { port: 8080 },
          destination: { host: 'db.example.com', port: 5432 },
          label: 'database',
          autoStart: 'firstUse',
        },
        {
          id: newForwardId(),
          kind: 'remote',
          bind: { host: '', port: 0 },
          destination: { path: '/run/app.sock' },
          autoStart: 'withConnection',
          mayOthersConnect: true,
        },
        {
          id: newForwardId(),
          kind: 'dynamic',
          bind: { path: '/tmp/socks.sock' },
          destination: undefined,
          autoStart: 'never',
        },
      ];
      const { id } = await store.put({ ...hostRecord(), forwards });
      assert.deepEqual((await store.get(id))?.forwards, forwards);
    });

    it('keeps the mark that files are only read', async () => {
      const { id } = await store.put({ ...hostRecord(), filesReadOnly: true });
      assert.equal((await store.get(id))?.filesReadOnly, true);
    });

    it('lists more hosts than one page, each once', async () => {
      const records = Array.from({ length: 210 }, (_, index) => ({ ...hostRecord(), label: `h${index}` }));
      for (const record of records) await store.put(record);
      assert.deepEqual(
        (await store.list()).map(({ label }) => label).sort(),
        records.map(({ label }) => label).sort(),
      );
    });

    it('refuses a write over a newer revision, and a new host in the place of a known one', async () => {
      const first = await store.put(hostRecord());
      await store.put({ ...first, label: 'renamed' });
      for (const stale of [first, { ...first, revision: 0 }, { ...hostRecord(), revision: 3 }])
        await assert.rejects(
          store.put({ ...stale, label: 'lost' }),
          (error) => isTermindError(error) && error.fault.code === 'stale-write',
        );
      assert.equal((await store.get(first.id))?.label, 'renamed');
    });

    it('removes what it knows about a host with the host', async () => {
      const kept = await store.put(hostRecord());
      const removed = await store.put(hostRecord());
      for (const { id } of [kept, removed]) {
        await store.learn(id, { os: 'Linux' });
        await store.recordConnect({ hostId: id, at: 1, ok: true });
      }
      await store.remove(removed.id);
      assert.equal(await store.get(removed.id), undefined);
      assert.deepEqual(await store.facts(removed.id), {});
      assert.deepEqual(await store.recents(), [{ hostId: kept.id, at: 1, ok: true }]);
      assert.deepEqual(await store.list(), [kept]);
    });

    it('merges what is learned, also about a host without a record', async () => {
      const id = newHostId();
      assert.deepEqual(await store.facts(id), {});
      await store.learn(id, { loginShell: 'sh', os: 'Linux' });
      await store.learn(id, { loginShell: 'bash', shellFamily: 'posix' });
      assert.deepEqual(await store.facts(id), { loginShell: 'bash', os: 'Linux', shellFamily: 'posix' });
    });

    it('keeps what the files of a host are reached by', async () => {
      const id = newHostId();
      const files = {
        way: 'command',
        program: '/usr/lib/openssh/sftp-server',
        refused: ['fsync'],
        at: 5,
      } as const;
      await store.learn(id, { files });
      assert.deepEqual(await store.facts(id), { files });
    });

    it('remembers the last 50 connects, newest first', async () => {
      const id = newHostId();
      for (let at = 1; at <= 60; at++) await store.recordConnect({ hostId: id, at, ok: at % 2 === 0 });
      const recents = await store.recents();
      assert.equal(recents.length, 50);
      assert.deepEqual(recents[0], { hostId: id, at: 60, ok: true });
      assert.deepEqual(recents[49], { hostId: id, at: 11, ok: false });
    });
  });
}
