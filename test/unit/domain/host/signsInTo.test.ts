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
  alias: 'dbprod',
};
const six: HostListing = { ...db, id: newHostId(), label: 'six', alias: undefined, address: '2001:db8::7' };

describe('a command that signs in to a host', () => {
  for (const text of [
    'ssh db-1 reboot',
    'ssh -p 22 root@db1.example.com. reboot',
    'rsync -a /srv/ deploy@db1.example.com:/srv/',
    'scp a "db-1:/etc/motd"',
    'true; /usr/bin/ssh ssh://root@db1.example.com:22',
    'sshpass -p x ssh DB-1',
    'ssh dbprod reboot',
    'sudo -u deploy ssh -i /k -p 22 -A -oStrictHostKeyChecking=no db-1 reboot',
    'ssh -J web,db-1 other.example.com reboot',
    'ssh -o ProxyJump=db-1 other.example.com',
    'ssh -oHostName=db1.example.com x',
    'ssh -o "ProxyCommand=ssh -W %h:%p db-1" other.example.com',
    'ssh web "ssh db-1 reboot"',
    'ssh web ssh db-1 reboot',
    `bash -c 'ssh "db-1" reboot'`,
    'x=$(ssh db-1 uptime); reboot',
    'H=db-1; ssh $H reboot',
    'for h in web db-1; do ssh "$h" reboot; done',
    'ssh "$H" reboot\n\ndb-1',
    'echo web db-1 | xargs -n1 ssh',
    'parallel ssh {} reboot ::: web db-1',
    `python3 -c 'import subprocess; subprocess.run(["ssh", "db-1", "reboot"])'`,
    `python3 -c 'import paramiko; c.connect("db1.example.com")'`,
    'pdsh -w web,db-1 reboot',
    'ansible-playbook site.yml --limit=db-1',
    'ssh-copy-id root@db-1',
    'docker -H ssh://root@db1.example.com rm -f x',
    'docker --host=tcp://db1.example.com:2375 rm -f x',
    'export DOCKER_HOST=tcp://db1.example.com:2375; docker rm -f x',
    'virsh -c qemu+ssh://root@db1.example.com/system destroy x',
    'restic -r sftp:root@db1.example.com:/srv backup /etc',
    'git push ssh://git@db1.example.com/x main',
    'cd /r && git push git@db-1:x main',
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
    'systemctl restart ssh && echo db-1',
    'journalctl -u ssh | grep db1.example.com | tee x',
    'ufw allow from db1.example.com to any port ssh',
    'firewall-cmd --add-service=ssh --source=db1.example.com',
    'rsync -a /srv/db-1/ /backup/db-1',
    'scp a web:/srv/db-1/',
    'ssh db-1@web reboot',
    'ssh web systemctl restart db-1',
    'ssh -i /keys/db-1 web reboot',
    'ssh -L 5432:db-1:5432 web',
    'for h in web app; do ssh $h ls /srv/db-1/; done',
    'git commit -m "ssh to db-1 works"',
    'git clone git@db-1:x && git pull ssh://git@db1.example.com/x',
    'ssh-keygen -R db1.example.com',
    'docker exec db-1 ls tcp://web',
  ])
    it(`is not found: ${text}`, () => assert.equal(signsInTo(text, [db, six]), undefined));

  it('is not found by an address that is another machine on each machine', () => {
    const local: HostListing = { ...db, label: 'here', alias: undefined, address: '127.0.0.1' };
    assert.equal(signsInTo('ssh -p 2222 127.0.0.1 reboot', [local]), undefined);
    assert.equal(signsInTo('ssh here reboot', [local]), local);
  });

  it('is looked for in any text, in time', () => {
    const texts = [
      `'"`.repeat(20_000),
      `ssh ${'-o x '.repeat(20_000)}`,
      '"a '.repeat(20_000),
      'ssh '.repeat(20_000),
      'pdsh '.repeat(20_000),
      'a'.repeat(80_000),
      'a:'.repeat(40_000),
      '\\'.repeat(40_000),
    ];
    for (const text of texts) assert.equal(signsInTo(text, [db]), undefined);
  });
});
