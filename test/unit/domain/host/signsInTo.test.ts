import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import type { HostListing } from '../../../../src/domain/host/host.ts';
import { signsInTo } from '../../../../src/domain/host/signsInTo.ts';

const db: HostListing = {
  id: newHostId(),
  label: 'DB-1',
  source: 'vault',
  address: 'db1.example.com',
  port: 22,
  user: 'root',
  group: undefined,
  tags: [],
  tier: 'prod',
  alias: undefined,
};
const six: HostListing = { ...db, id: newHostId(), label: 'six', address: '2001:db8::7' };

describe('a command that signs in to a host', () => {
  for (const text of [
    'ssh db-1 reboot',
    'ssh -p 22 root@db1.example.com. reboot',
    'rsync -a /srv/ deploy@db1.example.com:/srv/',
    'scp a "db-1:/etc/motd"',
    'true; /usr/bin/ssh ssh://root@db1.example.com:22',
    'sshpass -p x ssh DB-1',
  ])
    it(`is found: ${text}`, () => assert.equal(signsInTo(text, [six, db]), db));

  it('is found by an IPv6 address, bare or in brackets', () => {
    assert.equal(signsInTo('ssh root@2001:db8::7', [db, six]), six);
    assert.equal(signsInTo('scp a [2001:db8::7]:/tmp', [db, six]), six);
  });

  for (const text of [
    'iptables -A INPUT -s db1.example.com -j ACCEPT',
    'systemctl restart db-1',
    'ssh db-10 reboot',
    'ssh web.db1.example.com reboot',
    'cat /etc/ssh/sshd_config.db-1; systemctl restart openssh-db-1',
  ])
    it(`is not found: ${text}`, () => assert.equal(signsInTo(text, [db, six]), undefined));
});
