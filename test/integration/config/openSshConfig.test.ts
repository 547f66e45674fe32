import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
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
  const open = (options: Partial<OpenSshConfigOptions> = {}): OpenSshConfig => {
    const config = new OpenSshConfig({
      configFile: () => path.join(home, '.ssh/config'),
      sshProgram: () => undefined,
      mayRunPrograms: () => true,
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
    assert.deepEqual(await open({ configFile: () => undefined }).list(), { hosts: [], notes: [] });
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

  it('CFG-27: a file that ssh refuses as a whole still resolves, with the words of ssh as a warning', async () => {
    await write('.ssh/config', '\uFEFFHost web\n  HostName 192.0.2.1\n');
    const config = open();
    const { hosts, notes } = await config.list();
    assert.deepEqual([hosts.length, notes.length], [1, 1]);
    const resolved = await config.resolve({ alias: 'web' }, never);
    assert.deepEqual([resolved.by, resolved.values.get('hostname')], ['own parser', ['192.0.2.1']]);
    assert.match(resolved.warning ?? '', /^ssh refuses this configuration: .*Bad configuration option/);
  });

  it('CFG-18: a program in the configuration is never run; the name it decides about asks for consent', async () => {
    const mark = path.join(home, 'ran');
    await write(
      '.ssh/config',
      `Match originalhost web exec "touch ${mark}"\n  User ex\nHost db\n  User dba\n`,
    );
    const config = open();
    await assert.rejects(config.resolve({ alias: 'web' }, never), (error) => {
      assert.ok(isTermindError(error));
      assert.deepEqual([error.fault.code, error.fault.facts['command']], ['config-consent', `touch ${mark}`]);
      return true;
    });
    const other = await config.resolve({ alias: 'db' }, never);
    assert.deepEqual([other.by, other.values.get('user')], ['own parser', ['dba']]);
    await assert.rejects(fs.access(mark));
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
