import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { HostRecord } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { withSignIn } from '../../../../src/domain/host/signInChoice.ts';

const record: HostRecord = {
  id: newHostId(),
  label: 'db1',
  addresses: ['192.0.2.1'],
  port: undefined,
  user: undefined,
  identity: { kind: 'default' },
  tier: undefined,
  group: undefined,
  tags: [],
  alias: undefined,
  revision: 3,
};

describe('choices about signing in', () => {
  it('are added, replaced one by one and taken back; without any the field is gone', () => {
    const one = withSignIn(record, { attemptLimit: 3 });
    assert.deepEqual(one, { ...record, signIn: { attemptLimit: 3 } });
    const two = withSignIn(one, { agentForwarding: { isOn: true, confirm: true } });
    assert.deepEqual(two.signIn, { attemptLimit: 3, agentForwarding: { isOn: true, confirm: true } });
    assert.deepEqual(withSignIn(two, { attemptLimit: undefined }).signIn, {
      agentForwarding: { isOn: true, confirm: true },
    });
    assert.deepEqual(withSignIn(one, { attemptLimit: undefined }), record);
  });

  it('leave a kept password alone', () => {
    const kept = withSignIn(record, { passwordRef: 'r' });
    assert.deepEqual(withSignIn(kept, { attemptLimit: 2 }).signIn, { passwordRef: 'r', attemptLimit: 2 });
  });
});
