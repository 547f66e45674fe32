import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { fleetCertificates, type SeenCertificate } from '../../../../src/domain/trust/seenCertificate.ts';

const dayMs = 86_400_000;
const now = 100 * dayMs;
const seen = (name: string, validUntil: number | undefined): SeenCertificate => ({
  name,
  port: 2222,
  keyType: 'ssh-ed25519',
  serial: '1',
  keyId: name,
  principals: [name],
  validFrom: undefined,
  validUntil,
  authority: 'SHA256:authority',
  seenAt: 5,
});

describe('the certificates of hosts', () => {
  for (const [validUntil, expiry, why] of [
    [now - 1, 'expired', 'it has ended'],
    [now, 'expired', 'the end itself is not valid'],
    [now + 1, 'soon', 'it ends in a moment'],
    [now + 7 * dayMs, 'soon', 'it ends in 7 days'],
    [now + 7 * dayMs + 1, 'valid', 'it ends after more than 7 days'],
    [undefined, 'valid', 'it never ends'],
  ] as const)
    it(`is ${expiry}: ${why}`, () => {
      const [found] = fleetCertificates([seen('web', validUntil)], { hosts: [], now });
      assert.equal(found?.expiry, expiry);
    });

  it('begin with the one that ends first, and name the listed hosts of their trust name', () => {
    const host = (label: string, port: number) => ({ label, trust: { name: 'Web', isAlias: false, port } });
    const all = [seen('other', undefined), seen('late', now + 2), seen('web', now + 1)];
    const hosts = [host('one', 2222), host('two', 22), host('three', 2222)];
    assert.deepEqual(
      fleetCertificates(all, { hosts, now }).map(({ machines }) => machines),
      [['one', 'three'], ['[late]:2222'], ['[other]:2222']],
    );
  });
});
