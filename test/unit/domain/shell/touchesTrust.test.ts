import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isTrustPath, touchesTrust } from '../../../../src/domain/shell/touchesTrust.ts';

const touching: readonly (readonly [line: string, cwd?: string])[] = [
  ['tee /etc/sudoers'],
  ['echo x >> /etc/sudoers.d/90-x'],
  ['echo x>>/etc/sudoers'],
  ['tee "/etc/su"doers'],
  ["tee '/etc/sudoers'"],
  ['tee /etc/su\\doers'],
  ['tee /etc//sudoers'],
  ['tee /etc/./ssh/../sudoers'],
  ['tee /etc/sudo*'],
  ['tee /etc/sudoer?'],
  ['tee /etc/[s]udoers'],
  ['tee /etc/{sudoers,x}'],
  ['tee {/etc,/srv}/{x,sudoers}'],
  ['tee */*/*/*/*'],
  [`echo ${'{a,b}'.repeat(500)}`],
  ['cp x /etc/{a,b,pam.d}/sshd'],
  ["tee $'/etc/sudoer\\x73'"],
  ['dd of=/etc/shadow'],
  ['rsync x root@example.com:/root/.ssh/authorized_keys'],
  ["sh -c 'echo x >> ~/.bashrc'"],
  ['echo x >> $HOME/.profile'],
  ['echo x >> "${HOME}/.zshrc"'],
  ['cp x ~root/.bash_profile'],
  ['install -m 600 key ~/.ssh/authorized_keys'],
  ['cd /etc && tee sudoers'],
  ['tee sudoers', '/etc'],
  ['tar -C /etc/pam.d -xf x.tar sshd'],
  ['tee .bashrc'],
  ['tee .ssh/config'],
  ['crontab -u root /var/spool/cron/crontabs/root'],
  ['tee /etc/cron.d/x'],
  ['ln -s x /etc/systemd/system/x.service'],
  ['cp x ~/.config/systemd/user/x.service'],
  ['tee /etc/ld.so.preload'],
  ['cp x /usr/local/share/ca-certificates/x.crt'],
  ['tee /etc/apt/sources.list.d/x.list'],
  ['tee .git/hooks/post-commit'],
  ['tee skills/x/SKILL.md'],
  ['tee ~/.vscode/settings.json'],
  ['tee /etc/sudoers "'],
  ['tee /etc/su\\\ndoers'],
  ['cp x /etc/ssh/sshd_config.d/x.conf'],
  ['P=/etc; tee $P/sudoers'],
  ['P=/etc Q=$P/pam.d; cp x "${Q}/sshd"'],
  ['P=/srv; P=/etc; tee $P/sudoers'],
  ['a=/etc/sud; tee ${a}oers'],
  ['for d in /srv /etc; do tee "$d/sudoers"; done'],
  ['tee $(echo /etc)/sudoers'],
  ['tee `echo /etc`/sudoers'],
  ['tee $(echo $(echo /etc))/sudoers'],
  ['tee ${X:-/etc}/sudoers'],
  ['tee ${X}/sudoers'],
  ['tee /etc/$name'],
  ['cd /etc && tee $PWD/sudoers'],
  ['P=$P$P; tee $P/sudoers'],
  [`x=${'$x{a,b}'.repeat(40)}; tee $x`],
];

const others: readonly string[] = [
  'systemctl restart nginx',
  'rm -rf /srv/app/cache',
  'tee /etc/nginx/nginx.conf',
  'cp a b',
  'echo hello > /tmp/x',
  'apt install nginx',
  'tee /srv/profile',
  'tee /srv/etc/passwd.txt',
  'docker rm web',
  'kill 1',
  'for f in /srv/app/*.log; do gzip "$f"; done',
  'd=/srv/app; rm -rf "$d/cache"',
  'tar czf /srv/backup-$(date +%F).tar.gz /srv/app',
  'kill $(pidof app)',
  'cp "$src" "$dst"',
  '',
];

describe('paths that configure trust', () => {
  for (const [line, cwd] of touching)
    it(`are seen in: ${JSON.stringify(line)}${cwd === undefined ? '' : ` in ${cwd}`}`, () => {
      assert.notEqual(touchesTrust(line, cwd), undefined);
    });

  for (const line of others)
    it(`are not seen in: ${JSON.stringify(line)}`, () => {
      assert.equal(touchesTrust(line, '/srv/app'), undefined);
    });

  it('are named as the line has them', () => {
    assert.equal(touchesTrust('echo x | tee -a /etc/sudoers', undefined), '/etc/sudoers');
  });

  it('are seen behind any other words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (before) => {
        assert.notEqual(touchesTrust(`${before} ; tee /etc/sudoers`, '/'), undefined);
      }),
    );
  });
});

describe('a path, taken as it is,', () => {
  for (const path of [
    '/etc/sudoers',
    '/etc/sudoers.d/90 with blanks',
    '/home/a/.ssh/config',
    '/root/.bashrc',
    '/etc',
    '/home/anybody',
    '/root',
    '/etc/cron.d',
    '/',
  ])
    it(`configures trust: ${path}`, () => {
      assert.equal(isTrustPath(path), true);
    });
  for (const path of ['/srv/app/config', '/home/a/notes', '/etc/hostname', '/var/log/app', '/tmp/*'])
    it(`configures no trust: ${path}`, () => {
      assert.equal(isTrustPath(path), false);
    });
});
