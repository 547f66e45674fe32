import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { KeptPasswords } from '../../../../src/application/ssh/keptPasswords.ts';
import type { HostRecord, IdentityRef } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';

const record = (identity: IdentityRef): HostRecord => ({
  id: newHostId(),
  label: 'db1',
  addresses: ['192.0.2.1'],
  port: undefined,
  user: undefined,
  identity,
  tier: undefined,
  group: undefined,
  tags: [],
  alias: undefined,
  revision: 3,
});

describe('kept passwords', () => {
  let records: Map<string, HostRecord>;
  let secrets: Map<string, string>;
  let isLocked: boolean;
  let kept: KeptPasswords;
  beforeEach(() => {
    records = new Map();
    secrets = new Map();
    isLocked = false;
    kept = new KeptPasswords(
      {
        get: async (id) => records.get(id),
        put: async (changed) => {
          if (isLocked) throw new Error('database is locked');
          records.set(changed.id, changed);
          return changed;
        },
      },
      {
        get: async (key) => secrets.get(key),
        set: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
    );
  });
  const add = (identity: IdentityRef): { hostId: HostRecord['id'] } => {
    const added = record(identity);
    records.set(added.id, added);
    return { hostId: added.id };
  };

  for (const identity of [{ kind: 'default' }, { kind: 'agent' }, { kind: 'keyFile', path: '~/k' }] as const)
    it(`a first password of a host whose identity is ${identity.kind} gets a random reference beside it, and keys are still tried`, async () => {
      const host = add(identity);
      assert.deepEqual(await kept.find(host), { password: undefined, canKeep: true });
      await kept.keep(host, 'correct horse');
      const changed = records.get(host.hostId);
      assert.deepEqual(changed?.identity, identity);
      const reference = changed.signIn?.passwordRef ?? '';
      assert.match(reference, /^[0-9a-f-]{36}$/);
      assert.deepEqual([...secrets], [[`credential:${reference}`, 'correct horse']]);
      assert.deepEqual(await kept.find(host), { password: 'correct horse', canKeep: true });
    });

  it('a first password of a host that signs in by password goes into its identity', async () => {
    const host = add({ kind: 'password', credentialId: undefined });
    await kept.keep(host, 'correct horse');
    const identity = records.get(host.hostId)?.identity;
    assert.ok(identity?.kind === 'password' && identity.credentialId !== undefined);
    assert.deepEqual([...secrets], [[`credential:${identity.credentialId}`, 'correct horse']]);
  });

  it('what else was decided about signing in stays', async () => {
    const host = add({ kind: 'default' });
    const before = records.get(host.hostId);
    assert.ok(before !== undefined);
    records.set(host.hostId, { ...before, signIn: { attemptLimit: 3 } });
    await kept.keep(host, 'secret');
    assert.equal(records.get(host.hostId)?.signIn?.attemptLimit, 3);
  });

  it('a new password takes the place of the old one under the same reference', async () => {
    const host = add({ kind: 'password', credentialId: 'c1' });
    secrets.set('credential:c1', 'old');
    await kept.keep(host, 'new');
    assert.deepEqual([...secrets], [['credential:c1', 'new']]);
  });

  it('a record that cannot be written leaves no secret without a reference behind', async () => {
    const host = add({ kind: 'password', credentialId: undefined });
    isLocked = true;
    await assert.rejects(kept.keep(host, 'secret'), /locked/);
    assert.equal(secrets.size, 0);
  });

  it('a reference that no longer resolves is asked for again and is no error', async () => {
    const host = add({ kind: 'password', credentialId: 'gone' });
    assert.deepEqual(await kept.find(host), { password: undefined, canKeep: true });
  });

  it('a host without a record keeps nothing', async () => {
    const host = { hostId: newHostId() };
    assert.deepEqual(await kept.find(host), { password: undefined, canKeep: false });
    await kept.keep(host, 'secret');
    assert.equal(secrets.size, 0);
  });
});
