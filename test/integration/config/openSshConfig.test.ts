import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { ProgramConsent, ProgramFile } from '../../../src/application/ports/hosts.ts';
import { ProgramConsents } from '../../../src/application/vault/programConsents.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { aliasHostId } from '../../../src/domain/host/hostId.ts';
import {
  OpenSshConfig,
  type OpenSshConfigOptions,
} from '../../../src/infrastructure/config/openSshConfig.ts';

const quiet = { trace() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;
const localUser = os.userInfo().username;

describe('the OpenSSH configuration of the user', () => {
  let home: string;
  let opened: OpenSshConfig[] = [];
  let stored = new Map<string, ProgramConsent>();
  let asked: ProgramFile[] = [];
  /** What the person answers about programs. */
  let answer: 'allow' | 'deny' | undefined;
  let isTrusted = true;
  const consents = new ProgramConsents({
    store: {
      get: (file) => stored.get(file),
      list: () => [...stored.values()],
      put: async (consent) => void stored.set(consent.path, consent),
      remove: async (file) => void stored.delete(file),
    },
    prompt: {
      ask: async ({ file }) => {
        asked.push(file);
        return answer;
      },
    },
    mayRunPrograms: () => isTrusted,
    clock: { now: () => 1_000 },
  });
  const open = (options: Partial<OpenSshConfigOptions> = {}): OpenSshConfig => {
    const config = new OpenSshConfig({
      configFile: () => path.join(home, '.ssh/config'),
      sshProgram: () => undefined,
      mayRunPrograms: () => isTrusted,
      consents,
      clock: systemClock,
      log: quiet,
      home,
      systemFile: path.join(home, 'etc/ssh_config'),
      ...options,
    });
    opened.push(config);
    return config;
  };
  const write = (file: string, text: string): Promise<void> => fs.writeFile(path.join(home, file), text);
  const changeOf = (config: OpenSshConfig): Promise<void> =>
    new Promise((resolve, reject) => {
      const deadline = setTimeout(() => reject(new Error('no change was told')), 45_000);
      const listener = config.onDidChange(() => {
        clearTimeout(deadline);
        listener.dispose();
        resolve();
      });
    });

  beforeEach(async () => {
    stored = new Map();
    asked = [];
    answer = undefined;
    isTrusted = true;
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-home-'));
    await fs.mkdir(path.join(home, '.ssh/conf.d'), { recursive: true });
    await fs.mkdir(path.join(home, 'etc'));
  });
  afterEach(async () => {
    for (const config of opened) config.dispose();
    opened = [];
    await fs.rm(home, { recursive: true });
  });

  it('lists user file, includes in lexical order and system file, with an id that only depends on the name', async () => {
    await write('.ssh/config', 'Include conf.d/*.conf\nHost web\n  HostName 192.0.2.1\n  Port 2222\n');
    await write('.ssh/conf.d/20.conf', 'Host twenty\n');
    await write('.ssh/conf.d/10.conf', 'Host ten\n  User deploy\n');
    await write('.ssh/conf.d/.hidden.conf', 'Host hidden\n');
    await write('etc/ssh_config', 'Host sys\nHost *\n  User everywhere\n');
    const { hosts, notes } = await open({ configFile: () => undefined }).list();
    assert.deepEqual(
      hosts.map((host) => [host.id, host.label, host.address, host.port, host.user]),
      [
        [aliasHostId('ten'), 'ten', 'ten', 22, 'deploy'],
        [aliasHostId('twenty'), 'twenty', 'twenty', 22, 'everywhere'],
        [aliasHostId('web'), 'web', '192.0.2.1', 2222, 'everywhere'],
        [aliasHostId('sys'), 'sys', 'sys', 22, 'everywhere'],
      ],
    );
    assert.deepEqual(notes, []);
  });

  it('a missing user file is an empty list; a missing file of the setting is a note', async () => {
    const missing = await open({ configFile: () => undefined }).list();
    assert.deepEqual([missing.hosts, missing.notes], [[], []]);
    const { hosts, notes } = await open().list();
    assert.deepEqual([hosts, notes.map((note) => note.message)], [[], ['the file cannot be read (ENOENT)']]);
  });

  it('a file and an included one are read again after each change, and the change is told', async () => {
    await write('.ssh/config', 'Include conf.d/*.conf\nHost web\n');
    const config = open();
    assert.equal((await config.list()).hosts.length, 1);
    const changed = changeOf(config);
    await write('.ssh/conf.d/new.conf', 'Host added\n');
    await changed;
    assert.deepEqual(
      (await config.list()).hosts.map((host) => host.label),
      ['added', 'web'],
    );
    await write('.ssh/config.new', 'Host replaced\n');
    const replaced = changeOf(config);
    await fs.rename(path.join(home, '.ssh/config.new'), path.join(home, '.ssh/config'));
    await replaced;
    assert.deepEqual(
      (await config.list()).hosts.map((host) => host.label),
      ['replaced'],
    );
  });

  for (const [what, line] of [
    ['itself', 'Include config'],
    ['itself many times', 'Include config config config\nInclude config config'],
    ['files that include each other', 'Include conf.d/*'],
  ] as const)
    it(`a file that includes ${what} ends, and hides no host`, async () => {
      await write('.ssh/config', `Host first\n${line}\nHost last\n`);
      for (const name of ['a', 'b', 'c'])
        await write(`.ssh/conf.d/${name}.conf`, `Host in-${name}\nInclude conf.d/*\n`);
      const { hosts, notes } = await withinDeadline('the list', open().list());
      const labels = hosts.map(({ label }) => label);
      assert.ok(labels.includes('first') && labels.includes('last'), labels.join(' '));
      assert.ok(notes.length > 0 && notes.length < 100, notes.length.toString());
    });

  it('a half-written file and one that is no file hide nothing of the others', async () => {
    await fs.mkdir(path.join(home, '.ssh/conf.d/folder.conf'));
    await write(
      '.ssh/conf.d/half.conf',
      'Host half\n  HostName 192.0.2.9\n  Port 22\n  IdentityFile "~/.ssh/id_ed',
    );
    await write('.ssh/conf.d/noise.conf', '\x00\xff\x1b[31m binary\n'); // ends at the zero byte, as for ssh
    await write('.ssh/config', 'Include conf.d/*\nHost web\n');
    const { hosts, notes } = await open().list();
    assert.deepEqual(
      hosts.map(({ label, address }) => [label, address]),
      [
        ['half', '192.0.2.9'],
        ['web', 'web'],
      ],
    );
    assert.deepEqual(
      notes.map((note) => [path.basename(note.path), note.line]),
      [['half.conf', 4]],
    );
  });

  it('resolves through ssh -G with the line of each value', async () => {
    await write(
      '.ssh/config',
      'Host web\n  HostName 192.0.2.1\n  Ciphers aes128-ctr\nMatch user deploy\n  Port 7\n',
    );
    const resolved = await open().resolve({ alias: 'web', user: 'deploy' }, never);
    assert.deepEqual(
      [
        resolved.by,
        resolved.values.get('hostname'),
        resolved.values.get('port'),
        resolved.values.get('user'),
      ],
      ['ssh -G', ['192.0.2.1'], ['7'], ['deploy']],
    );
    assert.equal(resolved.origin('port'), `${path.join(home, '.ssh/config')}:5`);
    assert.equal(resolved.origin('serveraliveinterval'), undefined);
    assert.deepEqual(resolved.values.get('ciphers'), ['aes128-ctr']);
  });

  it('a path with a blank in a list of paths survives the way through ssh -G', async () => {
    await write('.ssh/config', 'UserKnownHostsFile /k/one "/k/two 2"\nGlobalKnownHostsFile /g/a /g/b\n');
    const { values } = await open().resolve({ alias: 'web' }, never);
    assert.deepEqual(values.get('userknownhostsfile'), ['/k/one', '/k/two 2']);
    assert.deepEqual(values.get('globalknownhostsfile'), ['/g/a', '/g/b']);
  });

  for (const [what, options] of [
    ['without an ssh binary', { environment: { PATH: '/nowhere' } }],
    ['in an untrusted workspace', { mayRunPrograms: () => false }],
  ] as const)
    it(`resolves by its own reading ${what}`, async () => {
      await write('.ssh/config', 'Host web\n  HostName 192.0.2.1\n  User deploy\n');
      const resolved = await open(options).resolve({ alias: 'web' }, never);
      assert.deepEqual(
        [
          resolved.by,
          resolved.values.get('hostname'),
          resolved.values.get('port'),
          resolved.values.get('user'),
        ],
        ['own parser', ['192.0.2.1'], ['22'], ['deploy']],
      );
    });

  it('its own reading knows the default files of known host keys', async () => {
    await write('.ssh/config', 'Host web\n');
    const { values } = await open({ environment: { PATH: '/nowhere' } }).resolve({ alias: 'web' }, never);
    assert.deepEqual(values.get('userknownhostsfile'), [
      path.join(home, '.ssh/known_hosts'),
      path.join(home, '.ssh/known_hosts2'),
    ]);
    assert.deepEqual(values.get('globalknownhostsfile'), [
      path.join(home, 'etc/ssh_known_hosts'),
      path.join(home, 'etc/ssh_known_hosts2'),
    ]);
  });

  it('says where the host keys of each name are, and runs nothing for it', async () => {
    const marker = path.join(home, 'ran');
    await write(
      '.ssh/config',
      [
        `Match exec "touch ${marker}"`,
        '  HostKeyAlias never',
        'Host web',
        '  HostName WEB.example.com',
        '  Port 2222',
        '  UserKnownHostsFile ~/.ssh/known_hosts.d/%h none-of-these',
        'Host db',
        '  HostKeyAlias Database',
        '  GlobalKnownHostsFile none',
      ].join('\n'),
    );
    const config = open({ sshProgram: () => '/usr/bin/ssh' });
    const usual = {
      user: ['known_hosts', 'known_hosts2'].map((name) => path.join(home, '.ssh', name)),
      global: ['ssh_known_hosts', 'ssh_known_hosts2'].map((name) => path.join(home, 'etc', name)),
    };
    const { byName, ...rest } = await config.hostKeyPlaces(['web', 'db']);
    assert.deepEqual(rest, { usual });
    assert.deepEqual(Object.fromEntries(byName), {
      web: {
        ...usual,
        hostName: 'web.example.com',
        port: 2222,
        alias: undefined,
        user: [path.join(home, '.ssh/known_hosts.d/web.example.com')],
      },
      db: { ...usual, hostName: 'db', port: 22, alias: 'database', global: [] },
    });
    await assert.rejects(fs.stat(marker));
    assert.deepEqual(asked, []);
  });

  it('CFG-27: a file that ssh refuses as a whole still resolves, with the words of ssh as a warning', async () => {
    await write('.ssh/config', '\uFEFFHost web\n  HostName 192.0.2.1\n');
    const config = open();
    const { hosts, notes } = await config.list();
    assert.deepEqual([hosts.length, notes.length], [1, 1]);
    const resolved = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.match(resolved.warning ?? '', /^ssh refuses this configuration: .*Bad configuration option/);
  });

  const marked = (mark: string): string =>
    `Match originalhost web exec ": > ${mark}.%h"\n  User ex\nHost db\n  User dba\n`;
  const ran = (): Promise<readonly string[]> =>
    fs.readdir(home).then((names) => names.filter((name) => name.startsWith('ran')));

  it('CFG-18: after one consent for the file its programs decide, in ssh and in our own reading', async () => {
    await write('.ssh/config', marked(path.join(home, 'ran')));
    answer = 'allow';
    const config = open();
    const first = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([first.by, first.values.get('user')], ['ssh -G', ['ex']]);
    assert.equal(first.origin('user'), `${path.join(home, '.ssh/config')}:2`);
    assert.deepEqual(await ran(), ['ran.web']);
    await config.resolve({ alias: 'web' }, never);
    assert.deepEqual(
      asked.map(({ commands }) => commands),
      [[{ line: 1, command: `: > ${path.join(home, 'ran')}.%h` }]],
    );
    const byHand = await open({ environment: { PATH: '/nowhere' } }).resolve({ alias: 'web' }, never);
    assert.deepEqual([byHand.by, byHand.values.get('user')], ['own parser', ['ex']]);
  });

  it('CFG-18: one changed byte asks again', async () => {
    await write('.ssh/config', marked(path.join(home, 'ran')));
    answer = 'allow';
    const config = open();
    await config.resolve({ alias: 'web' }, never);
    await write('.ssh/config', `${marked(path.join(home, 'ran'))}#`);
    await config.resolve({ alias: 'web' }, never);
    assert.equal(asked.length, 2);
    assert.notEqual(asked[0]?.contentHash, asked[1]?.contentHash);
  });

  it('CFG-18: each included file with programs is asked about by itself', async () => {
    await write(
      '.ssh/config',
      `Include ${path.join(home, '.ssh/conf.d/a.conf')}\nMatch exec true\n  Port 7\n`,
    );
    await write('.ssh/conf.d/a.conf', 'Match exec true\n  User ex\n');
    answer = 'allow';
    const { by, values } = await open().resolve({ alias: 'web' }, never);
    assert.deepEqual([by, values.get('user'), values.get('port')], ['ssh -G', ['ex'], ['7']]);
    assert.deepEqual(
      asked.map((file) => path.basename(file.path)),
      ['a.conf', 'config'],
    );
  });

  it('CFG-18: a program that is not allowed does not run, its block does not match, and the host says so', async () => {
    await write('.ssh/config', marked(path.join(home, 'ran')));
    answer = 'deny';
    const config = open();
    for (let round = 0; round < 2; round++) {
      const resolved = await config.resolve({ alias: 'web' }, never);
      assert.deepEqual([resolved.by, resolved.values.get('user')], ['own parser', [localUser]]);
      assert.match(resolved.warning ?? '', /match exec in .*config:1 may not run/);
    }
    assert.equal(asked.length, 1);
    assert.deepEqual(await ran(), []);
  });

  it('CFG-18: a question that is closed connects to nothing and is asked again', async () => {
    await write('.ssh/config', marked(path.join(home, 'ran')));
    const config = open();
    for (let round = 1; round <= 2; round++) {
      await assert.rejects(config.resolve({ alias: 'web' }, never), (error) => {
        assert.ok(isTermindError(error));
        assert.deepEqual([error.fault.code, error.fault.facts['line']], ['config-consent', '1']);
        return true;
      });
      assert.equal(asked.length, round);
    }
    const other = await config.resolve({ alias: 'db' }, never);
    assert.deepEqual([other.by, other.values.get('user'), other.warning], ['own parser', ['dba'], undefined]);
    assert.deepEqual(await ran(), []);
  });

  it('CFG-18: in an untrusted workspace nobody is asked and nothing runs, whatever was allowed before', async () => {
    await write('.ssh/config', marked(path.join(home, 'ran')));
    answer = 'allow';
    const config = open();
    await config.resolve({ alias: 'db' }, never);
    await consents.settle((await config.programs())[0] ?? assert.fail('no file with programs'), 'web', never);
    isTrusted = false;
    const resolved = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('user')], ['own parser', [localUser]]);
    assert.match(resolved.warning ?? '', /may not run/);
    assert.deepEqual([asked.length, await ran()], [1, []]);
  });

  it('a program that ssh would reach in a block that does not hold keeps ssh from being started', async () => {
    const mark = path.join(home, 'ran');
    await write('.ssh/config', `Host other\n  Include ${path.join(home, '.ssh/conf.d/a.conf')}\n`);
    await write('.ssh/conf.d/a.conf', `Match exec "touch ${mark}"\n  User ex\n`);
    answer = 'deny';
    assert.equal((await open().resolve({ alias: 'web' }, never)).by, 'own parser');
    assert.deepEqual([asked.length, await ran()], [1, []]);
  });

  it('a program that does not end is ended after five seconds and its block does not match', async () => {
    await write('.ssh/config', 'Match exec "sleep 60"\n  User ex\n');
    answer = 'allow';
    const limits: number[] = [];
    const clock = {
      ...systemClock,
      after: (delayMs: number, callback: () => void) => {
        limits.push(delayMs);
        setImmediate(callback);
        return { dispose() {} };
      },
    };
    const options = { clock, environment: { PATH: '/nowhere' } };
    const resolved = await open(options).resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.values.get('user'), limits], [[localUser], [5_000]]);
    assert.match(resolved.warning ?? '', /did not end properly/);
  });

  it('a program never sees a name that a shell could misread', async () => {
    const mark = path.join(home, 'ran');
    await write('.ssh/config', 'Match exec "echo %n"\n  User ex\n');
    answer = 'allow';
    const options = { environment: { PATH: '/nowhere' } };
    const resolved = await open(options).resolve({ alias: `x;touch ${mark}` }, never);
    assert.deepEqual([resolved.values.get('user'), await ran()], [[localUser], []]);
    assert.match(resolved.warning ?? '', /could misread/);
  });

  it('a file that others may write to is refused by ssh and used by us, with a warning', async () => {
    await write(
      '.ssh/config',
      `Include ${path.join(home, '.ssh/conf.d/a.conf')}\nHost web\n  HostName 192.0.2.1\n`,
    );
    await write('.ssh/conf.d/a.conf', 'Host web\n  User shared\n');
    await fs.chmod(path.join(home, '.ssh/conf.d/a.conf'), 0o666);
    const config = open();
    const { hosts, notes } = await config.list();
    assert.deepEqual(
      [hosts.map(({ label }) => label), notes.map((note) => note.isRefusedBySsh)],
      [['web'], [true]],
    );
    const resolved = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('user')], ['own parser', ['shared']]);
    assert.match(resolved.warning ?? '', /ssh refuses this configuration: Bad owner or permissions/);
  });

  it('a single name that ssh refuses is resolved by us, with the words of ssh', async () => {
    await write('.ssh/config', 'Host web\n  HostName 192.0.2.1\n  ConnectionAttempts 0\nHost db\n');
    const config = open();
    const web = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([web.by, web.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.match(web.warning ?? '', /Invalid number of ConnectionAttempts/);
    assert.equal((await config.resolve({ alias: 'db' }, never)).by, 'ssh -G');
  });

  it('a line that is newer than the installed ssh is reported once its release is known, and the rest counts', async () => {
    await write('.ssh/config', 'Host web\n  WarnWeakCrypto no\n  HostName 192.0.2.1\n');
    const program = path.join(home, 'ssh');
    const refuse = 'echo "config: line 2: Bad configuration option: warnweakcrypto" >&2; exit 255';
    await fs.writeFile(
      program,
      `#!/bin/sh\n[ "$1" = -V ] && { echo OpenSSH_9.2p1 >&2; exit; }\n${refuse}\n`,
      {
        mode: 0o755,
      },
    );
    const config = open({ sshProgram: () => program });
    assert.deepEqual((await config.list()).notes, []);
    const resolved = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.deepEqual(
      (await config.list()).notes.map(({ line, message }) => [line, message]),
      [[2, 'the keyword "warnweakcrypto" needs OpenSSH 10.1']],
    );
  });

  it('the forward that ssh prints twice for a socket is one', async () => {
    await write('.ssh/config', 'LocalForward 8080 /run/app.sock\nDynamicForward 1080\n');
    const { by, values } = await open().resolve({ alias: 'web' }, never);
    assert.deepEqual(
      [by, values.get('localforward'), values.get('dynamicforward')],
      ['ssh -G', ['8080 /run/app.sock'], ['1080']],
    );
  });

  it('CFG-22: lists of algorithms are handed on as they are written', async () => {
    await write('.ssh/config', 'Ciphers +aes128-cbc\nMACs -hmac-sha1\nHostKeyAlgorithms ^ssh-rsa\n');
    const { asWritten } = await open().resolve({ alias: 'web' }, never);
    assert.deepEqual(['ciphers', 'macs', 'hostkeyalgorithms', 'kexalgorithms'].map(asWritten), [
      '+aes128-cbc',
      '-hmac-sha1',
      '^ssh-rsa',
      undefined,
    ]);
  });

  it('explains a name: winners, losers, blocks, notes, and the comparison with ssh', async () => {
    const file = path.join(home, '.ssh/config');
    await write('.ssh/config', 'Host web\n  User a\n  Ciphers +aes128-cbc\nHost *\n  User b\n  Port 7\n');
    const { winners, losers, blocks, notes, check } = await open().explain({ alias: 'web' }, never);
    const at = (line: number): { path: string; line: number } => ({ path: file, line });
    assert.deepEqual([winners.get('user'), losers.get('user')], [[at(2)], [at(5)]]);
    assert.deepEqual([winners.get('port'), losers.get('port')], [[at(6)], undefined]);
    assert.deepEqual([blocks, notes], [[at(1), at(4)], []]);
    assert.deepEqual([check.k, check.k === 'compared' && check.differences], ['compared', []]);
  });

  it('warns about a host before it connects, and of what was said when it connected last', async () => {
    await write(
      '.ssh/config',
      'Host web\nMatch originalhost web exec true\n  User ex\nHost db\n  ConnectionAttempts 0\n',
    );
    answer = 'allow';
    const config = open();
    const before = await config.warnings();
    assert.deepEqual([...before.keys()], ['web']);
    assert.match(before.get('web') ?? '', /match exec in .*config:2 is not allowed/);
    await config.resolve({ alias: 'web' }, never);
    const changed = changeOf(config);
    await config.resolve({ alias: 'db' }, never);
    await changed;
    const after = await config.warnings();
    assert.deepEqual([...after.keys()], ['db']);
    assert.match(after.get('db') ?? '', /Invalid number of ConnectionAttempts/);
  });

  it('an ssh of the setting that cannot be run is not replaced by another, and that is said', async () => {
    await write('.ssh/config', 'Host web\n  HostName 192.0.2.1\n');
    const resolved = await open({ sshProgram: () => path.join(home, 'gone') }).resolve(
      { alias: 'web' },
      never,
    );
    assert.deepEqual([resolved.by, resolved.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.match(resolved.warning ?? '', /termind\.ssh\.path cannot be run: .*gone/);
  });

  it('finds the line of an alias', async () => {
    await write('.ssh/config', 'Host *\nHost web db\n');
    const config = open();
    assert.deepEqual(await config.sourceOf('db'), { path: path.join(home, '.ssh/config'), line: 2 });
    assert.equal(await config.sourceOf('other'), undefined);
  });

  for (const alias of ['-oProxyCommand=touch x', ''])
    it(`refuses the name ${JSON.stringify(alias)}`, async () => {
      await write('.ssh/config', '');
      await assert.rejects(
        open().resolve({ alias }, never),
        (error) => isTermindError(error) && error.fault.code === 'config-error',
      );
    });

  it('an ssh that hangs is ended after its limit and our own reading is used', async () => {
    await write('.ssh/config', 'Host web\n  HostName 192.0.2.1\n');
    const program = path.join(home, 'ssh');
    await fs.writeFile(program, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    let expire = (): void => assert.fail('no limit was set');
    const clock = {
      ...systemClock,
      after: (delayMs: number, callback: () => void) => {
        assert.equal(delayMs, 5_000);
        expire = callback;
        setImmediate(() => expire());
        return { dispose() {} };
      },
    };
    const resolved = await open({ clock, sshProgram: () => program }).resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.match(resolved.warning ?? '', /did not answer within 5 seconds/);
  });

  it('an aborted question ends at once', async () => {
    await write('.ssh/config', 'Host web\n');
    const program = path.join(home, 'ssh');
    await fs.writeFile(program, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const abort = new AbortController();
    const asked = open({ sshProgram: () => program }).resolve({ alias: 'web' }, abort.signal);
    abort.abort(new Error('no longer wanted'));
    await assert.rejects(asked, /no longer wanted/);
  });

  it('its own user stands in where no user is set', async () => {
    await write('.ssh/config', 'Host web\n');
    assert.equal((await open().list()).hosts[0]?.user, localUser);
  });
});
