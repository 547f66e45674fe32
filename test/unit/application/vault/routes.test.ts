import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ConfigQuestion } from '../../../../src/application/ports/hosts.ts';
import { VaultHostDirectory } from '../../../../src/application/vault/hostDirectory.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import type { HostListing, HostRecord } from '../../../../src/domain/host/host.ts';
import { aliasHostId, newHostId } from '../../../../src/domain/host/hostId.ts';
import { passwordPlaceOf } from '../../../../src/domain/host/passwordPlace.ts';
import { hopName } from '../../../../src/domain/ssh/hop.ts';
import { hopOf, hopsOf } from '../../../../src/domain/ssh/route.ts';
import { targetKey, type Target } from '../../../../src/domain/ssh/target.ts';
import { directWay } from '../../../support/directWay.ts';
import { silentLog } from '../../../support/silentLog.ts';

type Settings = Readonly<Record<string, string>>;

const never = new AbortController().signal;
const nothing = { dispose() {} };

function listingOf(name: string): HostListing {
  return {
    id: aliasHostId(name),
    label: name,
    source: 'ssh_config',
    address: name,
    port: 22,
    user: 'me',
    group: undefined,
    tags: [],
    tier: undefined,
    alias: name,
  };
}

function recordOf(fields: Partial<HostRecord>): HostRecord {
  return {
    id: newHostId(),
    label: 'db',
    addresses: ['192.0.2.5'],
    port: undefined,
    user: undefined,
    identity: { kind: 'default' },
    tier: undefined,
    group: undefined,
    tags: [],
    alias: undefined,
    revision: 1,
    ...fields,
  };
}

/** A configuration by name, and a vault. */
function directory(
  files: Readonly<Record<string, Settings>>,
  records: readonly HostRecord[] = [],
  isWindows = false,
): VaultHostDirectory {
  return new VaultHostDirectory({
    store: { list: async () => records, get: async (id) => records.find((one) => one.id === id) },
    config: {
      list: async () => ({ hosts: Object.keys(files).map(listingOf), notes: [], wayOf: directWay }),
      resolve: async ({ alias, user, port }: ConfigQuestion) => {
        const settings: Settings = { hostname: alias, port: '22', user: 'me', ...files[alias] };
        const typed = { ...(user && { user }), ...(port && { port: String(port) }) };
        const values = new Map(Object.entries({ ...settings, ...typed }).map(([name, one]) => [name, [one]]));
        return {
          values,
          origin: (keyword) => (files[alias]?.[keyword] === undefined ? undefined : `~/.ssh/config:${alias}`),
          asWritten: (keyword) => files[alias]?.[keyword],
          by: 'own parser',
        };
      },
      onDidChange: () => nothing,
    },
    changes: { onDidChangeRows: () => nothing },
    local: { localUser: 'me', localHost: 'desk', home: '/home/me', userId: 1000, environment: {}, isWindows },
    chosenAgent: () => undefined,
    log: silentLog,
  });
}

const nameOf = (target: Target): string =>
  `${target.user}@${target.addresses[0] ?? ''}:${String(target.port)}`;
const wayOf = async (hosts: VaultHostDirectory, name: string): Promise<readonly string[]> =>
  hopsOf(await hosts.target(aliasHostId(name), never)).map(nameOf);
const reasonOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    if (isTermindError(error)) return `${error.fault.code}: ${error.fault.facts['reason'] ?? ''}`;
    throw error;
  }
  return 'it was resolved';
};

describe('the way to a host', () => {
  it('is a chain whose hosts have users, ports and names of their own', async () => {
    const hosts = directory({
      db: { proxyjump: 'gate,op@bastion:2200', user: 'deploy' },
      gate: { hostname: 'gate.example.com', user: 'guard', hostkeyalias: 'thegate' },
      bastion: { hostname: '192.0.2.9', port: '22' },
    });
    const target = await hosts.target(aliasHostId('db'), never);
    assert.deepEqual(hopsOf(target).map(nameOf), [
      'guard@gate.example.com:22',
      'op@192.0.2.9:2200',
      'deploy@db:22',
    ]);
    assert.deepEqual(
      hopsOf(target).map((hop) => hop.trustName),
      ['thegate', '192.0.2.9', 'db'],
    );
    assert.equal(hopName(hopOf(target, 3)), 'deploy@db (hop 3 of 3, via gate, bastion)');
    assert.equal(hopName(hopOf(hopsOf(target)[0] ?? target, 3)), 'guard@gate (hop 1 of 3)');
  });

  it('follows the own way of the first jump host only, as ssh does', async () => {
    const hosts = directory({
      db: { proxyjump: 'gate,bastion' },
      gate: { proxyjump: 'outer' },
      bastion: { proxyjump: 'elsewhere' },
      outer: { proxycommand: 'nc %h %p' },
    });
    const target = await hosts.target(aliasHostId('db'), never);
    assert.deepEqual(hopsOf(target).map(nameOf), ['me@outer:22', 'me@gate:22', 'me@bastion:22', 'me@db:22']);
    assert.deepEqual(hopsOf(target)[0]?.route, {
      k: 'program',
      command: 'nc outer 22',
      passesDescriptor: false,
      at: '~/.ssh/config:outer',
    });
  });

  for (const [what, files, names] of [
    ['itself', { db: { proxyjump: 'db' } }, 'db → db'],
    ['its own address', { db: { hostname: 'gate', proxyjump: 'gate' } }, 'db → gate'],
    ['itself in other words', { db: { proxyjump: 'me@db' } }, 'db → db'],
    [
      'the host it began with, through others',
      { db: { proxyjump: 'gate' }, gate: { proxyjump: 'x,y' }, y: {}, x: { proxyjump: 'db' } },
      'db → gate → x → db',
    ],
  ] as const)
    it(`is refused with the cycle spelled out when it reaches ${what}`, async () => {
      assert.equal(
        await reasonOf(directory(files).target(aliasHostId('db'), never)),
        `config-error: the chain of jump hosts reaches itself: ${names}`,
      );
    });

  it('through another name of the same machine is no cycle, as for ssh', async () => {
    assert.deepEqual(
      await wayOf(directory({ db: { proxyjump: 'other' }, other: { hostname: 'db' } }), 'db'),
      ['me@db:22', 'me@db:22'],
    );
    assert.deepEqual(
      await wayOf(directory({ db: { proxyjump: 'root@inner' }, inner: { hostname: 'db' } }), 'db'),
      ['root@db:22', 'me@db:22'],
    );
  });

  it('is direct with ProxyJump none', async () => {
    assert.deepEqual(await wayOf(directory({ db: { proxyjump: 'none' } }), 'db'), ['me@db:22']);
  });

  it('that is no chain is named with its line', async () => {
    assert.equal(
      await reasonOf(directory({ db: { proxyjump: '2001:db8::1' } }).target(aliasHostId('db'), never)),
      'config-error: ~/.ssh/config:db: "2001:db8::1" is no chain of jump hosts (for db)',
    );
  });

  it("of a record overrides the file, and a hop that is a vault host keeps the record's own fields", async () => {
    const gate = recordOf({ label: 'Front Gate', addresses: ['198.51.100.1'], user: 'guard' });
    const linked = recordOf({ label: 'Bastion', alias: 'bastion', addresses: [], port: 2200 });
    const db = recordOf({ route: { jump: 'ops@bastion' } });
    const files = { '192.0.2.5': { proxycommand: 'nc %h %p' }, bastion: { proxyjump: 'none' } };
    const hosts = directory(files, [gate, linked, db]);
    const target = await hosts.target(db.id, never);
    assert.deepEqual(hopsOf(target).map(nameOf), ['ops@bastion:2200', 'me@192.0.2.5:22']);
    assert.equal(hopsOf(target)[0]?.label, 'Bastion');
    const byLabel = directory({}, [
      { ...gate, label: 'front' },
      { ...db, route: { jump: 'front' } },
    ]);
    assert.deepEqual(hopsOf(await byLabel.target(db.id, never)).map(nameOf), [
      'guard@198.51.100.1:22',
      'me@192.0.2.5:22',
    ]);
    const none = directory(files, [{ ...db, route: { jump: 'none' } }]);
    assert.deepEqual((await none.target(db.id, never)).route, { k: 'direct' });
  });

  it('has the network proxy of the record in front of its first server', async () => {
    const proxy = { kind: 'socks5', host: '192.0.2.80', port: 1080 } as const;
    const db = recordOf({ route: { proxy, jump: 'gate' } });
    const target = await directory({ gate: {} }, [db]).target(db.id, never);
    assert.deepEqual(
      hopsOf(target).map((hop) => hop.route.k),
      ['proxy', 'jump'],
    );
  });

  it('is part of what two connections must have in common', async () => {
    const db = recordOf({ route: { jump: 'gate' } });
    const other = recordOf({ route: { jump: 'gate' }, label: 'the same' });
    const direct = recordOf({});
    const hosts = directory({ gate: {} }, [db, other, direct]);
    const keys = await Promise.all([db, other, direct].map(async ({ id }) => hosts.target(id, never)));
    const [first, second, third] = keys.map(targetKey);
    assert.equal(first, second);
    assert.notEqual(first, third);
    const gate = await hosts.target(aliasHostId('gate'), never);
    const [target] = keys;
    const kept = { ...db, identity: { kind: 'password', credentialId: 'c1' } } as const;
    const later = { ...db, identity: { kind: 'password', credentialId: 'c2' } } as const;
    const passwords = await Promise.all(
      [kept, later].map(async (record) => directory({ gate: {} }, [record]).target(db.id, never)),
    );
    assert.equal(
      new Set(passwords.map(targetKey)).size,
      1,
      'a password that was kept meanwhile is no other target',
    );
    assert.ok(target?.route.k === 'jump');
    assert.equal(targetKey(target.route.via), targetKey(gate), 'a jump host is the host itself');
  });
});

describe('a jump host of the vault', () => {
  const identity = { kind: 'password', credentialId: 'c1' } as const;
  const gate = recordOf({ label: 'gate', addresses: ['192.0.2.1'], user: 'guard', identity });
  const hopTo = async (jump: string): Promise<Target | undefined> => {
    const hosts = directory({ db: { proxyjump: jump } }, [gate]);
    return hopsOf(await hosts.target(aliasHostId('db'), never))[0];
  };

  it('is the host itself, also when the chain names its own user and port', async () => {
    for (const jump of ['gate', 'guard@gate', 'guard@gate:22']) {
      const hop = await hopTo(jump);
      assert.deepEqual([hop?.hostId, hop?.passwordPlace], [gate.id, passwordPlaceOf(gate)]);
    }
  });

  it('as another user or on another port is not, so that its kept password does not go there', async () => {
    for (const jump of ['root@gate', 'gate:2222']) {
      const hop = await hopTo(jump);
      assert.notEqual(hop?.hostId, gate.id);
      assert.equal(hop?.passwordPlace, undefined);
      assert.deepEqual([hop?.label, hop?.addresses], ['gate', ['192.0.2.1']]);
    }
  });
});

describe('CFG-7: a ProxyCommand', () => {
  it('takes the whole string with its quotes, and replaces the tokens of ssh', async () => {
    const command = `exec nc -X 5 "%h" %p # for %r on %n, %k, 100%%`;
    const hosts = directory({ db: { hostname: 'db.example.com', port: '2222', proxycommand: command } });
    const { route } = await hosts.target(aliasHostId('db'), never);
    assert.deepEqual(
      route.k === 'program' && route.command,
      ['exec nc -X 5 "db.example.com" 2222 # for me on db, db, 100%'][0],
    );
  });

  for (const [what, settings, expected] of [
    ['an unknown token', { proxycommand: 'nc %x' }, /ProxyCommand knows no %x/],
    ['a token at its end', { proxycommand: 'nc %' }, /ProxyCommand knows no %$/],
    ['a host name for a shell', { proxycommand: 'nc %h', hostname: 'a;reboot' }, /"a;reboot" is not safe/],
    ['a host name like an option', { proxycommand: 'nc %h', hostname: '-oProxy' }, /"-oProxy" is not safe/],
    ['a user name for a shell', { proxycommand: 'nc %r', user: '$(x)' }, /"\$\(x\)" is not safe/],
  ] as const)
    it(`with ${what} is refused before a shell sees it`, async () => {
      assert.match(await reasonOf(directory({ db: settings }).target(aliasHostId('db'), never)), expected);
    });

  for (const [what, settings] of [
    ['a variable of cmd.exe in a host name', { proxycommand: 'nc %h', hostname: '%PATH%' }],
    ['an escape of cmd.exe in a host name', { proxycommand: 'nc %h', hostname: 'a^b' }],
    ['a delayed variable of cmd.exe in a user name', { proxycommand: 'nc %r', user: '!PATH!' }],
  ] as const)
    it(`on Windows with ${what} is refused; elsewhere it means nothing`, async () => {
      const windows = directory({ db: settings }, [], true).target(aliasHostId('db'), never);
      assert.match(await reasonOf(windows), /is not safe in the command line of a ProxyCommand/);
      const { route } = await directory({ db: settings }).target(aliasHostId('db'), never);
      assert.equal(route.k, 'program');
    });

  it('on Windows has one percent sign for two, as elsewhere', async () => {
    const files = { db: { proxycommand: 'nc -x %%PROXY%% %h %p' } };
    const { route } = await directory(files, [], true).target(aliasHostId('db'), never);
    assert.equal(route.k === 'program' && route.command, 'nc -x %PROXY% db 22');
  });

  it('none is no program', async () => {
    const { route } = await directory({ db: { proxycommand: 'none' } }).target(aliasHostId('db'), never);
    assert.deepEqual(route, { k: 'direct' });
  });
});
