import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { hopOnTheWay, TermindError } from '../../../../src/domain/fault.ts';
import { connectionFault } from '../../../../src/domain/ssh/connectionFault.ts';
import { fixOf } from '../../../../src/domain/ssh/faultFix.ts';

const place = { stage: 'kex', hop: 'op@db1' } as const;

describe('what can be done about a fault', () => {
  for (const [code, facts, fix] of [
    ['refused', {}, { k: 'editHost' }],
    ['proxy-failed', { text: 'x' }, { k: 'showTrace' }],
    ['key-changed', {}, { k: 'reviewHostKey' }],
    ['needs-system-ssh', { option: 'ProxyUseFdpass' }, { k: 'useSystemSsh' }],
    [
      'no-common-algorithm',
      { category: 'cipher', legacy: 'aes256-cbc, 3des-cbc' },
      { k: 'allowLegacy', algorithms: ['aes256-cbc', '3des-cbc'] },
    ],
    ['no-common-algorithm', { category: 'cipher' }, undefined],
    [
      'config-error',
      { reason: '~/.ssh/config:12: "a,," is no chain', at: '~/.ssh/config:12' },
      { k: 'openLine', at: '~/.ssh/config:12' },
    ],
    ['config-error', { reason: 'db1 has no address' }, { k: 'editHost' }],
    ['channel-limit', { used: '10' }, undefined],
  ] as const)
    it(`${code} with ${JSON.stringify(facts)}`, () => {
      assert.deepEqual(fixOf(connectionFault(code, place, facts)), fix);
    });

  it('on a way with several servers the sentence says which one it is about', () => {
    const alone = connectionFault('auth-cancelled', place);
    const hop = 'guard@gate (hop 1 of 2)';
    const onTheWay = connectionFault('auth-cancelled', { ...place, hop });
    const seen = connectionFault('refused', { ...place, hop }, { address: 'db1', port: '22', from: hop });
    assert.deepEqual([alone, onTheWay, seen].map(hopOnTheWay), [undefined, hop, undefined]);
    assert.deepEqual(
      [alone, onTheWay, seen].map((fault) => new TermindError(fault).message),
      [
        'The user cancelled the sign-in.',
        'guard@gate (hop 1 of 2): The user cancelled the sign-in.',
        'Nothing listens on db1 port 22, seen from guard@gate (hop 1 of 2).',
      ],
    );
  });
});
