import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withWay } from '../../../../src/application/vault/hostWays.ts';
import { assembleConfig } from '../../../../src/domain/config/assembleConfig.ts';
import { configuredWay } from '../../../../src/domain/config/configuredWay.ts';
import { listAliases } from '../../../../src/domain/config/listAliases.ts';
import { parseConfigFile } from '../../../../src/domain/config/parseConfigFile.ts';
import type { HostListing, HostRecord } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';

const id = newHostId();
const listing: HostListing = {
  id,
  label: 'db',
  source: 'vault',
  address: '10.0.0.5',
  port: 22,
  user: 'me',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: undefined,
};
const own: HostRecord = {
  id,
  label: 'db',
  addresses: ['10.0.0.5'],
  port: undefined,
  user: undefined,
  identity: { kind: 'default' },
  tier: undefined,
  group: undefined,
  tags: [],
  alias: undefined,
  revision: 1,
};
const gate: HostRecord = { ...own, id: newHostId(), label: 'gate', addresses: ['192.0.2.1'] };

/** The mark with this configuration and these hosts in the vault. */
function markOf(
  text: string,
  fields: Partial<HostRecord> = {},
  others: readonly HostRecord[] = [],
): string | undefined {
  const config = assembleConfig([{ file: parseConfigFile('/ssh_config', text), includes: () => [] }]);
  const names = new Set(listAliases(config, 'me').aliases.map(({ alias }) => alias));
  const record = { ...own, ...fields };
  const configured = (question: { alias: string; user?: string; port?: number }) =>
    configuredWay(config, { ...question, localUser: 'me' });
  return withWay(listing, record, { records: [record, ...others], names, configured }).way;
}

describe('the mark of the way to a host', () => {
  it('is absent for a direct way, and whatever does not belong to the way changes nothing', () => {
    assert.equal(markOf(''), undefined);
    assert.equal(markOf('Host *\n  ProxyJump none\n', { route: { jump: 'none' } }), undefined);
    const route = { jump: 'gate' };
    assert.equal(markOf('', { route, label: 'other', revision: 9 }), markOf('', { route }));
  });

  const jump = { route: { jump: 'gate' } };
  const proxy = { kind: 'socks5', host: '192.0.2.3', port: 1080 } as const;
  for (const [what, before, after] of [
    ['jump hosts of the record', markOf('', jump), markOf('', { route: { jump: 'other' } })],
    ['a program of the record', markOf('', { route: { command: 'a %h' } }), markOf('')],
    [
      'a proxy of the record',
      markOf('', { route: { proxy } }),
      markOf('', { route: { proxy: { ...proxy, port: 9 } } }),
    ],
    ['the login shell', markOf('', { shellFamily: 'posix' }), markOf('', { shellFamily: 'cmd' })],
    ['further addresses', markOf('', { addresses: ['10.0.0.5', '10.0.0.6'] }), markOf('')],
    ['who connects', markOf('', { useSystemSsh: true }), markOf('')],
    ['ProxyJump of a pattern', markOf('Host 10.*\n  ProxyJump a'), markOf('Host 10.*\n  ProxyJump b')],
    ['ProxyCommand', markOf('Host 10.*\n  ProxyCommand a %h'), markOf('Host 10.*\n  ProxyCommand b %h')],
    ['HostName', markOf('Host 10.0.0.5\n  HostName 10.0.0.7'), markOf('')],
    [
      'the address of a jump host in the vault',
      markOf('', jump, [gate]),
      markOf('', jump, [{ ...gate, addresses: ['192.0.2.2'] }]),
    ],
    [
      'the way of the first jump host',
      markOf('', jump, [gate]),
      markOf('', jump, [{ ...gate, route: { jump: 'outer' } }]),
    ],
    [
      'an alias that is a jump host',
      markOf('Host gate\n  HostName 192.0.2.1', jump),
      markOf('Host gate\n  HostName 192.0.2.2', jump),
    ],
  ] as const)
    it(`is another one with another: ${what}`, () => assert.notEqual(before, after));

  it('says nothing of a program or a proxy, and a new password of the proxy leaves it as it is', () => {
    const secret = { ...proxy, secretRef: 'one' };
    const mark = markOf('', { route: { proxy: secret } });
    assert.match(mark ?? '', /^[0-9a-f]{64}$/);
    assert.equal(markOf('', { route: { proxy: { ...secret, secretRef: 'two' } } }), mark);
  });

  it('ends where a chain reaches itself', () => {
    assert.ok(markOf('Host gate\n  ProxyJump 10.0.0.5\nHost 10.0.0.5\n  ProxyJump gate'));
  });
});
