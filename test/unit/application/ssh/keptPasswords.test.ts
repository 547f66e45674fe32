import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { KeptPasswords } from '../../../../src/application/ssh/keptPasswords.ts';
import { replacePassword } from '../../../../src/application/vault/replacePassword.ts';
import type { HostRecord, IdentityRef } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { passwordPlaceOf } from '../../../../src/domain/host/passwordPlace.ts';
import type { Target } from '../../../../src/domain/ssh/target.ts';

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
  const add = (identity: IdentityRef): HostRecord => {
    const added = record(identity);
    records.set(added.id, added);
    return added;
  };
  /** What a connection knows of a host: as it stands now. */
  const targetOf = (host: HostRecord): Pick<Target, 'hostId' | 'passwordPlace'> => ({
    hostId: host.id,
    passwordPlace: passwordPlaceOf(records.get(host.id) ?? host),
  });

  for (const identity of [{ kind: 'default' }, { kind: 'agent' }, { kind: 'keyFile', path: '~/k' }] as const)
    it(`a first password of a host whose identity is ${identity.kind} gets a random reference beside it, and keys are still tried`, async () => {
      const host = add(identity);
      assert.equal(await kept.find(targetOf(host)), undefined);
      await kept.keep(targetOf(host), 'correct horse');
      const changed = records.get(host.id);
      assert.deepEqual(changed?.identity, identity);
      const reference = changed.signIn?.passwordRef ?? '';
      assert.match(reference, /^[0-9a-f-]{36}$/);
      assert.deepEqual([...secrets], [[`credential:${reference}`, 'correct horse']]);
      assert.equal(await kept.find(targetOf(host)), 'correct horse');
    });

  it('a first password of a host that signs in by password goes into its identity', async () => {
    const host = add({ kind: 'password', credentialId: undefined });
    await kept.keep(targetOf(host), 'correct horse');
    const identity = records.get(host.id)?.identity;
    assert.ok(identity?.kind === 'password' && identity.credentialId !== undefined);
    assert.deepEqual([...secrets], [[`credential:${identity.credentialId}`, 'correct horse']]);
  });

  it('what else was decided about signing in stays', async () => {
    const host = add({ kind: 'default' });
    records.set(host.id, { ...host, signIn: { attemptLimit: 3 } });
    await kept.keep(targetOf(host), 'secret');
    assert.equal(records.get(host.id)?.signIn?.attemptLimit, 3);
  });

  it('a new password takes the place of the old one, under a reference of its own', async () => {
    const host = add({ kind: 'password', credentialId: 'c1' });
    secrets.set('credential:c1', 'old');
    await kept.keep(targetOf(host), 'new');
    assert.deepEqual([...secrets.values()], ['new']);
    assert.equal(secrets.has('credential:c1'), false);
    assert.equal(await kept.find(targetOf(host)), 'new');
  });

  it('a host that is edited while it connects gets nothing new to its old address', async () => {
    const host = add({ kind: 'default' });
    await kept.keep(targetOf(host), 'old');
    const connecting = targetOf(host);
    const stored = records.get(host.id) ?? host;
    const moved = { ...stored, addresses: ['198.51.100.7'] };
    await replacePassword(moved, 'for the new address', {
      hosts: { put: async (changed) => (records.set(changed.id, changed), changed) },
      secrets: {
        get: async (key) => secrets.get(key),
        set: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
    });
    assert.equal(await kept.find(connecting), undefined);
    assert.equal(await kept.find(targetOf(host)), 'for the new address');
  });

  for (const [what, change] of [
    ['address', { addresses: ['198.51.100.7'] }],
    ['user', { user: 'root' }],
    ['port', { port: 2222 }],
    ['alias', { alias: 'db' }],
    ['password', { identity: { kind: 'password', credentialId: 'other' } }],
  ] as const)
    it(`a password that was typed for a host whose ${what} has changed meanwhile is not kept for it`, async () => {
      const host = add({ kind: 'default' });
      const connecting = targetOf(host);
      const changed = { ...host, ...change };
      records.set(host.id, changed);
      await kept.keep(connecting, 'for the old one');
      assert.equal(secrets.size, 0);
      assert.deepEqual(records.get(host.id), changed);
    });

  it('a password is kept for a host that only got another name meanwhile', async () => {
    const host = add({ kind: 'default' });
    const connecting = targetOf(host);
    records.set(host.id, { ...host, label: 'renamed', revision: 4 });
    await kept.keep(connecting, 'secret');
    assert.equal(await kept.find(targetOf(host)), 'secret');
    assert.equal(records.get(host.id)?.label, 'renamed');
  });

  it('a record that cannot be written leaves no secret without a reference behind, and keeps the one before', async () => {
    const host = add({ kind: 'password', credentialId: 'c1' });
    secrets.set('credential:c1', 'old');
    isLocked = true;
    await assert.rejects(kept.keep(targetOf(host), 'new'), /locked/);
    assert.deepEqual([...secrets], [['credential:c1', 'old']]);
  });

  it('a reference that no longer resolves is asked for again and is no error', async () => {
    assert.equal(await kept.find(targetOf(add({ kind: 'password', credentialId: 'gone' }))), undefined);
  });

  it('a host without a record keeps nothing', async () => {
    const host = { hostId: newHostId() };
    assert.equal(await kept.find({}), undefined);
    await kept.keep(host, 'secret');
    assert.equal(secrets.size, 0);
  });
});
