import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { HostRecord } from '../../../src/domain/host/host.ts';
import { nobodyToAsk, ProgramConsents } from '../../../src/application/vault/programConsents.ts';
import { VaultHostDirectory } from '../../../src/application/vault/hostDirectory.ts';
import { aliasHostId, newHostId } from '../../../src/domain/host/hostId.ts';
import { OpenSshConfig } from '../../../src/infrastructure/config/openSshConfig.ts';
import { run } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { silentLog } from '../../support/silentLog.ts';
import { RouteBench } from './routeBench.ts';
import { finish, never, startServer } from './sshBench.ts';

/** The same files are read by `ssh -G`, by our own reader, and by `ssh` itself. */
for (const [reader, program] of [
  ['ssh -G', undefined],
  ['the own reader', '/no/such/ssh'],
] as const)
  describe(`ways that a configuration names, read by ${reader}`, () => {
    let servers: readonly Sshd[];
    let folder: string;
    let config: OpenSshConfig;
    let hosts: VaultHostDirectory;
    let bench: RouteBench;
    const records: HostRecord[] = [];
    before(async () => {
      servers = await Promise.all([startServer(), startServer(), startServer()]);
      folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-routes-'));
      await fs.mkdir(path.join(folder, '.ssh'), { mode: 0o700 });
      const [gate, bastion, db] = servers;
      assert.ok(gate !== undefined && bastion !== undefined && db !== undefined);
      const known = [gate, bastion, db].map(
        (server) => `[${server.host}]:${String(server.port)} ${server.hostKeys[0]?.publicLine ?? ''}`,
      );
      await fs.writeFile(path.join(folder, 'known'), `${known.join('\n')}\n`);
      const relay = `exec '${process.execPath}' -e "const s=require('net').connect(%p,'%h');process.stdin.pipe(s).pipe(process.stdout)"`;
      const user = bastion.account.name;
      await fs.writeFile(
        path.join(folder, '.ssh/config'),
        [
          ...[gate.configText('gate'), bastion.configText('bastion'), db.configText('db*')],
          ...['Host bastion', '  ProxyJump gate'],
          ...['Host db-one', '  ProxyJump gate'],
          // The way of `bastion` itself is not followed here: it stands behind another host.
          ...['Host db-chain', `  ProxyJump gate,${user}@bastion:${String(bastion.port)}`],
          ...['Host db-nested', '  ProxyJump bastion'],
          ...['Host db-command', `  ProxyCommand ${relay.replace('exec ', '')} # "kept"`],
          ...['Host db-first', `  ProxyCommand ${relay.replace('exec ', '')}`, '  ProxyJump nowhere.invalid'],
          ...['Host db-none', '  ProxyJump none', '  ProxyCommand false'],
          ...['Host loop', '  ProxyJump back', 'Host back', '  ProxyJump loop'],
          ...['Host *', `  UserKnownHostsFile ${path.join(folder, 'known')}`, '  GlobalKnownHostsFile none'],
          '  StrictHostKeyChecking yes',
          '',
        ].join('\n'),
        { mode: 0o600 },
      );
    });
    after(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await fs.rm(folder, { recursive: true, force: true });
    });
    beforeEach(() => {
      records.length = 0;
      const localUser = os.userInfo().username;
      const environment = { PATH: process.env['PATH'] };
      const mayRunPrograms = (): boolean => true;
      config = new OpenSshConfig({
        configFile: () => path.join(folder, '.ssh/config'),
        sshProgram: () => program,
        mayRunPrograms,
        consents: new ProgramConsents({ ...nobodyToAsk, mayRunPrograms, clock: systemClock }),
        clock: systemClock,
        log: silentLog,
        home: folder,
        localUser,
        environment,
      });
      hosts = new VaultHostDirectory({
        store: { list: async () => records, get: async (id) => records.find((record) => record.id === id) },
        config,
        changes: { onDidChangeRows: () => ({ dispose() {} }) },
        local: { home: folder, localUser, environment, localHost: 'desk', userId: process.getuid?.() },
        chosenAgent: () => 'none',
        log: silentLog,
      });
      bench = new RouteBench({ directory: hosts, environment: { PATH: process.env['PATH'] ?? '' } });
    });
    afterEach(async () => {
      await bench.dispose();
      hosts.dispose();
      config.dispose();
    });

    const ask = async (host: HostRecord['id'], command: string): Promise<string> => {
      const lease = await bench.manager.acquire(host, 'exec', never);
      const { stdout } = await finish(await lease.exec(command, never));
      lease.release();
      return stdout.toString();
    };
    const carriers = (host: HostRecord['id']): readonly string[] =>
      bench.manager
        .trace(host)
        .map(({ events }) => events.flatMap(({ fact }) => (fact.k === 'carrier' ? [fact.kind] : [])).join());

    for (const [alias, kinds] of [
      ['db-one', ['direct', 'jump']],
      ['db-chain', ['direct', 'jump', 'jump']],
      ['db-nested', ['direct', 'jump', 'jump']],
      ['db-command', ['program']],
      ['db-first', ['program']],
    ] as const)
      it(`${alias} is reached as ssh reaches it`, async () => {
        const ours = await ask(aliasHostId(alias), 'echo "$SSH_CONNECTION"');
        assert.deepEqual(carriers(aliasHostId(alias)), kinds);
        const theirs = await run('ssh', [
          ...['-F', path.join(folder, '.ssh/config'), '-o', 'BatchMode=yes', alias],
          'echo "$SSH_CONNECTION"',
        ]);
        const place = (text: string): string => text.trim().split(' ').slice(2).join(' ');
        assert.equal(place(ours), place(theirs.stdout));
        assert.notEqual(place(ours), '');
        assert.deepEqual([bench.ssh.person.hostKeys, bench.ssh.person.secrets], [[], []]);
      });

    it('a chain that reaches itself is refused with the cycle', async () => {
      const fault = await bench.manager.acquire(aliasHostId('loop'), 'exec', never).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
      assert.match(fault ?? '', /reaches itself: loop → back → loop/);
    });

    it('a stored host may go through an alias, whatever the configuration says about its address', async () => {
      const [, , db] = servers;
      assert.ok(db !== undefined);
      const record: HostRecord = {
        id: newHostId(),
        label: 'Database',
        addresses: [db.host],
        port: db.port,
        user: db.account.name,
        identity: { kind: 'keyFile', path: db.key.privateFile },
        tier: undefined,
        group: undefined,
        tags: [],
        alias: undefined,
        route: { jump: 'bastion' },
        revision: 1,
      };
      records.push(record);
      assert.equal(await ask(record.id, 'echo stored'), 'stored\n');
      assert.deepEqual(carriers(record.id), ['direct', 'jump', 'jump']);
    });
  });
