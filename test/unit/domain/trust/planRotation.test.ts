import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PresentedKey } from '../../../../src/domain/trust/hostKey.ts';
import { parseKnownHosts } from '../../../../src/domain/trust/parseKnownHosts.ts';
import { planRotation } from '../../../../src/domain/trust/planRotation.ts';
import { storeSource } from '../../../../src/domain/trust/storeSource.ts';
import type { TrustSource } from '../../../../src/domain/trust/trustRecord.ts';

function key(keyType: string, seed: string): PresentedKey & { readonly base64: string } {
  const string = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const blob = Buffer.concat([string(keyType), string(seed.padEnd(32))]);
  return { keyType, blob, base64: blob.toString('base64') };
}
const ed = key('ssh-ed25519', 'ed');
const old = key('ssh-ed25519', 'old');
const rsa = key('ssh-rsa', 'rsa');
const hardware = key('sk-ssh-ed25519@openssh.com', 'sk');

const store = (...keys: readonly (typeof ed)[]): TrustSource =>
  storeSource(keys.map(({ keyType, base64 }) => ({ name: 'web', port: 22, keyType, keyBase64: base64 })));
const file = (kind: 'user-file' | 'global-file', line: string, of: typeof ed): TrustSource => ({
  kind,
  name: '/k',
  records: parseKnownHosts('/k', `${line} ${of.keyType} ${of.base64}`).records,
});
const plan = (announced: readonly (typeof ed)[], ...sources: readonly TrustSource[]): unknown =>
  planWith({ announced, unproven: [] }, sources);
const planWith = (
  keys: { readonly announced: readonly (typeof ed)[]; readonly unproven: readonly (typeof ed)[] },
  sources: readonly TrustSource[],
): unknown => {
  const trust = { name: 'web', isAlias: false, port: 22 };
  const rotation = planRotation({ current: ed, ...keys }, { trust, sources });
  const named = (blobs: readonly Uint8Array[]): readonly string[] =>
    blobs.map((blob) => Buffer.from(blob).toString('base64'));
  return rotation && { add: named(rotation.add.map(({ blob }) => blob)), remove: named(rotation.remove) };
};

describe('what an announcement of host keys changes', () => {
  it('keys that are new are added, keys of the store that are gone are removed', () => {
    assert.deepEqual(plan([ed, rsa], store(ed, old)), { add: [rsa.base64], remove: [old.base64] });
  });

  it('a key that is announced without a proof is neither added nor removed', () => {
    const keys = { announced: [ed], unproven: [rsa, old] };
    assert.deepEqual(planWith(keys, [store(ed, old)]), { add: [], remove: [] });
  });

  it('nothing, when the current key is not announced itself', () => {
    assert.equal(plan([rsa], store(ed)), undefined);
  });

  for (const [what, source] of [
    ['known to the machine only', file('global-file', 'web', ed)],
    ['known to a pattern only', file('user-file', 'w*', ed)],
    ['known for another name', file('user-file', 'db', ed)],
    ['an authority', file('user-file', '@cert-authority web', ed)],
  ] as const)
    it(`nothing, when the current key is ${what}`, () => {
      assert.equal(plan([ed, rsa], source), undefined);
    });

  it('a key that the machine knows or that is revoked is not added', () => {
    for (const source of [file('global-file', 'web', rsa), file('user-file', '@revoked *', rsa)])
      assert.deepEqual(plan([ed, rsa], store(ed), source), { add: [], remove: [] });
  });

  it('a key in a file of the person is not removed', () => {
    assert.deepEqual(plan([ed], store(ed), file('user-file', 'web', old)), { add: [], remove: [] });
  });

  it('a key whose type cannot be announced to us is neither added nor removed', () => {
    assert.deepEqual(plan([ed, hardware], store(ed)), { add: [], remove: [] });
    assert.deepEqual(plan([ed], store(ed, hardware)), { add: [], remove: [] });
  });
});
