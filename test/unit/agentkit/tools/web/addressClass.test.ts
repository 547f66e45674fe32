import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { judgeAddress, type AddressClass } from '../../../../../src/agentkit/index.ts';

const rows: readonly (readonly [address: string, expected: AddressClass, why: string])[] = [
  ['8.8.8.8', 'public', 'public unicast'],
  ['1.1.1.1', 'public', 'public unicast'],
  ['2001:4860:4860::8888', 'public', 'public unicast'],
  ['2606:4700::1111', 'public', 'public unicast'],
  ['127.0.0.1', 'restricted', 'loopback'],
  ['127.255.255.254', 'restricted', 'all of 127/8 is loopback'],
  ['::1', 'restricted', 'loopback'],
  ['10.0.0.1', 'restricted', 'private'],
  ['172.16.0.1', 'restricted', 'private'],
  ['172.31.255.255', 'restricted', 'private'],
  ['172.32.0.1', 'public', 'just behind the private range'],
  ['192.168.1.1', 'restricted', 'private'],
  ['100.64.0.1', 'restricted', 'CGNAT'],
  ['100.127.255.255', 'restricted', 'CGNAT'],
  ['100.128.0.1', 'public', 'just behind CGNAT'],
  ['169.254.169.254', 'restricted', 'cloud metadata'],
  ['168.63.129.16', 'restricted', 'the platform of Azure'],
  ['168.63.129.17', 'public', 'its neighbour is not'],
  ['::ffff:168.63.129.16', 'restricted', 'mapped'],
  ['fe80::1', 'restricted', 'link-local'],
  ['fe80::1%eth0', 'restricted', 'link-local with a zone'],
  ['fd00:ec2::254', 'restricted', 'cloud metadata in a ULA'],
  ['fc00::1', 'restricted', 'ULA'],
  ['fec0::1', 'restricted', 'deprecated site-local'],
  ['192.0.2.1', 'restricted', 'documentation'],
  ['198.51.100.1', 'restricted', 'documentation'],
  ['203.0.113.1', 'restricted', 'documentation'],
  ['2001:db8::1', 'restricted', 'documentation'],
  ['3fff::1', 'restricted', 'documentation'],
  ['198.18.0.1', 'restricted', 'benchmarking'],
  ['2001:2::1', 'restricted', 'benchmarking'],
  ['192.0.0.8', 'restricted', 'IETF protocol assignments'],
  ['192.88.99.1', 'restricted', '6to4 relay'],
  ['240.0.0.1', 'restricted', 'reserved'],
  ['100::1', 'restricted', 'discard only'],
  ['4000::1', 'restricted', 'not given out as unicast'],
  ['5f00::1', 'restricted', 'segment routing'],
  ['::7f00:1', 'restricted', 'IPv4-compatible form of loopback'],
  ['::808:808', 'restricted', 'IPv4-compatible form of a public address'],
  ['::ffff:127.0.0.1', 'restricted', 'mapped loopback'],
  ['::ffff:8.8.8.8', 'restricted', 'mapped public address'],
  ['::ffff:0:8.8.8.8', 'restricted', 'translated address'],
  ['64:ff9b::7f00:1', 'restricted', 'NAT64 of loopback'],
  ['64:ff9b::808:808', 'restricted', 'NAT64 of a public address'],
  ['64:ff9b:1::a00:1', 'restricted', 'local NAT64'],
  ['2002:7f00:1::', 'restricted', '6to4 of loopback'],
  ['2002:808:808::1', 'restricted', '6to4 of a public address'],
  ['2001:0:808:808::f7f7:f7f7', 'restricted', 'Teredo of a public address'],
  ['0.0.0.0', 'refused', 'unspecified'],
  ['0.1.2.3', 'refused', 'this network'],
  ['::', 'refused', 'unspecified'],
  ['224.0.0.1', 'refused', 'multicast'],
  ['239.255.255.255', 'refused', 'multicast'],
  ['ff02::1', 'refused', 'multicast'],
  ['255.255.255.255', 'refused', 'broadcast'],
  ['::ffff:0.0.0.0', 'refused', 'mapped unspecified'],
  ['::ffff:224.0.0.1', 'refused', 'mapped multicast'],
  ['64:ff9b::ffff:ffff', 'refused', 'NAT64 of broadcast'],
  ['2002:e000:1::', 'refused', '6to4 of multicast'],
  ['2001:0:808:808::1fff:fffe', 'refused', 'Teredo of multicast, its bits turned over'],
];

describe('the class of an address', () => {
  for (const [address, expected, why] of rows)
    it(`${address} is ${expected} (${why})`, () => {
      assert.equal(judgeAddress(address)?.class, expected);
    });

  it('says what a restricted address is, and what one carries inside', () => {
    assert.deepEqual(['169.254.169.254', '::ffff:10.0.0.1', '2001:4860:4860::8888'].map(judgeAddress), [
      {
        address: '169.254.169.254',
        class: 'restricted',
        range: 'the local link, where cloud metadata is',
      },
      { address: '::ffff:a00:1', class: 'restricted', range: 'a form of 10.0.0.1' },
      { address: '2001:4860:4860::8888', class: 'public', range: '' },
    ]);
  });

  for (const text of ['', 'localhost', '1.2.3', '0177.0.0.1', '0x7f000001', '[::1]', '::1/128', '1.2.3.4 '])
    it(`${JSON.stringify(text)} is no address`, () => {
      assert.equal(judgeAddress(text), undefined);
    });
});
