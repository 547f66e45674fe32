import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { canonicalAddress, isInNetworks, looksLikeAddress } from '../../../../src/domain/config/addresses.ts';

describe('a numeric address', () => {
  for (const [name, canonical, why] of [
    ['192.0.2.1', '192.0.2.1', 'is canonical'],
    ['127.1', '127.0.0.1', 'the last part fills what is left'],
    ['010.1', '8.0.0.1', 'a leading zero is octal'],
    ['0x7f.1', '127.0.0.1', 'hexadecimal'],
    ['2130706433', '127.0.0.1', 'one number'],
    ['1.2.65535', '1.2.255.255', 'the last part of three has two bytes'],
    ['::0001', '::1', 'zeros are left out'],
    ['2001:DB8::00ff', '2001:db8::ff', 'lower case'],
    ['FE80::1', 'FE80::1', 'only case differs, so the spelling stays'],
    ['1::0:0:1', '1::1', 'the longest run of zeros'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3', 'the longer of two runs'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4', 'an IPv4 address inside keeps its dots'],
    ['::1.2.3.4', '::1.2.3.4', 'and without ffff'],
    ['0:0:0:0:0:0:0:0', '::', 'all zeros'],
  ] as const)
    it(`${name} is ${canonical} (${why})`, () => {
      assert.equal(canonicalAddress(name), canonical);
    });

  for (const [name, why] of [
    ['web', 'a name'],
    ['256.1.1.1', 'a part is too large'],
    ['1.2.3.4.5', 'too many parts'],
    ['08.1', 'no octal digit'],
    ['0x.1', 'no digit'],
    ['1.2.3.', 'an empty part'],
    ['1:2:3:4:5:6:7:8:9', 'too many groups'],
    ['1::2::3', 'two gaps'],
    ['zz::1', 'no hexadecimal digit'],
    ['1::zz', 'no hexadecimal digit behind the gap'],
    ['12345::', 'a group is too long'],
    ['::1.2.3.400', 'no IPv4 address inside'],
    ['fe80::1%eth0', 'a zone'],
    ['', 'nothing'],
  ] as const)
    it(`${JSON.stringify(name)} is none (${why})`, () => {
      assert.equal(canonicalAddress(name), undefined);
    });

  it('counts only in the family that is wanted', () => {
    assert.deepEqual(
      [
        canonicalAddress('127.1', 'inet6'),
        canonicalAddress('192.0.2.1', 'inet6'),
        canonicalAddress('::1', 'inet'),
      ],
      [undefined, undefined, undefined],
    );
    assert.deepEqual(
      [canonicalAddress('127.1', 'inet'), canonicalAddress('::1', 'inet6')],
      ['127.0.0.1', '::1'],
    );
  });

  it('is what ssh takes for one without looking, even where it is none', () => {
    assert.deepEqual(['1.2.3.4.5', 'fe80::1%x', 'a:b', 'web', '0x7f.1'].map(looksLikeAddress), [
      ...[true, true, true, false, false],
    ]);
  });

  it('lies in a network of its family', () => {
    const own = ['192.0.2.9', 'fe80::1'];
    assert.deepEqual(
      [
        '192.0.2.0/24',
        '192.0.2.8/31',
        '192.0.2.0/29',
        '0.0.0.0/0',
        'fe80::/10',
        '2001:db8::/32',
        '198.51.100.0/24,fe80::1',
        'x/1',
        '192.0.2.9/33',
      ].map((networks) => isInNetworks(own, networks)),
      [true, true, false, true, true, false, true, false, false],
    );
  });
});
