import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import ssh2 from 'ssh2';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { ed25519Pair } from '../../lab/ed25519Pair.ts';
import { mustRun } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, runCommand, startServer, targetOf, within } from './sshBench.ts';

describe('the host key of a server', () => {
  let server: Sshd;
  let bench: SshBench;
  before(async () => {
    server = await startServer({ hostKeys: ['ed25519', 'rsa'], logLevel: 'DEBUG1' });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const knownHostsFile = async (name: string, text: string): Promise<string> => {
    const file = path.join(server.folder, name);
    await fs.writeFile(file, text);
    return file;
  };
  /** The server has seen the end of a connection that began behind `from` in its log. */
  const disconnectedAfter = (from: number): Promise<unknown> =>
    server.waitForLog(new RegExp(`^[^]{${from.toString()},}Connection (?:closed|reset) by`));
  const lineOf = (key: { readonly publicLine: string } | undefined): string =>
    `[${server.host}]:${server.port} ${key?.publicLine ?? ''}\n`;

  it('an unknown key is shown with everything a person needs', async () => {
    await bench.open(targetOf(server, { userKnownHostsFiles: ['/nowhere/known_hosts'] }));
    assert.deepEqual(bench.person.hostKeys, [
      {
        hop: `${server.account.name}@lab`,
        label: 'lab',
        trustName: server.host,
        port: server.port,
        keyType: 'ssh-ed25519',
        fingerprint: server.hostKeys[0]?.fingerprint,
        why: 'unknown',
        searched: ['store', '/nowhere/known_hosts'],
        known: [],
        randomArt: (await mustRun('ssh-keygen', ['-lvf', server.hostKeys[0]?.publicFile ?? '']))
          .split('\n')
          .slice(1, -1)
          .join('\n'),
        sharedWith: [],
      },
    ]);
  });

  it('a key that is kept for other hosts is shown with their names', async () => {
    const own = server.hostKeys[0];
    const file = await knownHostsFile(
      'shared',
      `web,db ${own?.publicLine ?? ''}\n@revoked old ${own?.publicLine ?? ''}\n`,
    );
    const [keyType = '', keyBase64 = ''] = own?.publicLine.split(' ') ?? [];
    for (const name of ['copy', 'web,db'])
      await bench.knownHosts.add({ name, port: 22, keyType, keyBase64, origin: 'asked', addedAt: 1 });
    await bench.open(targetOf(server, { userKnownHostsFiles: [file] }));
    assert.deepEqual(bench.person.hostKeys[0]?.sharedWith, ['copy', 'web,db']);
  });

  describe('that is accepted', () => {
    const find = (file: string): Promise<string> =>
      mustRun('ssh-keygen', ['-F', `[${server.host}]:${String(server.port)}`, '-f', file]);
    const remembered = async (file: string): Promise<void> => {
      bench.person.answerHostKey = () => 'remember';
      await bench.open(targetOf(server, { userKnownHostsFiles: [file, `${file}2`] }));
    };

    it('is not written to a file of the person', async () => {
      const file = await knownHostsFile('untouched', '# mine');
      await remembered(file);
      assert.equal(await fs.readFile(file, 'utf8'), '# mine');
    });

    it('is appended when the person wants it: as a line of its own, with every byte and the mode as they were', async () => {
      bench.appendsToUserFile = true;
      const before = '# mine\r\nbroken line without an end';
      const file = await knownHostsFile('appended', before);
      await fs.chmod(file, 0o644);
      await remembered(file);
      const place = `[${server.host}]:${String(server.port)}`;
      const key = server.hostKeys[0]?.publicLine.split(' ').slice(0, 2).join(' ') ?? '';
      assert.equal(await fs.readFile(file, 'utf8'), `${before}\n${place} ${key}\n`);
      assert.equal((await fs.stat(file)).mode & 0o777, 0o644);
      assert.match(await find(file), /found: line 3/);
    });

    it('is appended with a hashed name where names are hashed, and to a new file that only its owner reads', async () => {
      bench.appendsToUserFile = true;
      const file = await knownHostsFile('hashed', `web ${server.hostKeys[1]?.publicLine ?? ''}\n`);
      await mustRun('ssh-keygen', ['-H', '-f', file]);
      await remembered(file);
      assert.match(await find(file), /found: line 2/);
      assert.match(await fs.readFile(file, 'utf8'), /\n\|1\|[^\n]*\n$/);
      await bench.knownHosts.change({ remove: bench.knownHosts.list, add: [], audit: [] });
      const fresh = path.join(server.folder, 'fresh');
      await remembered(fresh);
      assert.match(await find(fresh), /found: line 1/);
      assert.equal((await fs.stat(fresh)).mode & 0o777, 0o600);
    });

    it('is accepted and remembered although the file cannot be written', async () => {
      bench.appendsToUserFile = true;
      await remembered(path.join(server.folder, 'missing', 'known_hosts'));
      assert.equal(bench.knownHosts.list.length, 1);
    });
  });

  it('accepted once is asked again, remembered is not', async () => {
    await bench.open(targetOf(server));
    assert.equal(bench.knownHosts.list.length, 0);
    bench.person.answerHostKey = () => 'remember';
    await bench.open(targetOf(server));
    const [row] = bench.knownHosts.list;
    assert.deepEqual(
      row && [row.name, row.port, row.keyType, `${row.keyType} ${row.keyBase64}`, row.origin],
      [server.host, server.port, 'ssh-ed25519', server.hostKeys[0]?.publicLine, 'asked'],
    );
    await bench.open(targetOf(server));
    assert.equal(bench.person.hostKeys.length, 2);
  });

  for (const [what, answer, expected] of [
    ['cancelled', () => 'cancel' as const, 'key-unknown'],
    ['that fails', () => Promise.reject(new Error('the dialog broke')), 'internal'],
  ] as const)
    it(`S8: a question ${what} refuses, and nothing of the sign-in was sent`, async () => {
      const from = server.log().length;
      bench.person.answerHostKey = answer;
      const fault = await bench.fault(targetOf(server));
      assert.equal(fault.code, expected);
      await disconnectedAfter(from);
      assert.doesNotMatch(server.log().slice(from), /userauth-request/);
    });

  it('KH-10: a changed key refuses without a question, shows what is known, and nothing of the sign-in was sent', async () => {
    const from = server.log().length;
    const other = await server.newKey();
    const file = await knownHostsFile('changed', `# one\n${lineOf(other)}`);
    const fault = await bench.fault(
      targetOf(server, { userKnownHostsFiles: [file], strictHostKeyChecking: 'off' }),
    );
    assert.deepEqual(
      [fault.code, fault.stage, fault.outcome, fault.retry],
      ['key-changed', 'trust', 'not-sent', 'user'],
    );
    assert.equal(fault.facts['known'], `ssh-ed25519 ${other.fingerprint} (${file}:2)`);
    assert.deepEqual([bench.person.hostKeys, bench.person.changed.length, bench.person.secrets], [[], 1, []]);
    assert.deepEqual(bench.person.changed[0]?.known, [
      { source: file, line: 2, keyType: 'ssh-ed25519', fingerprint: other.fingerprint },
    ]);
    await disconnectedAfter(from);
    assert.doesNotMatch(server.log().slice(from), /userauth-request/);
  });

  it('KH-7: a revoked key refuses although it is known', async () => {
    const file = await knownHostsFile(
      'revoked',
      `${lineOf(server.hostKeys[0])}@revoked * ${server.hostKeys[0]?.publicLine ?? ''}\n`,
    );
    const fault = await bench.fault(targetOf(server, { userKnownHostsFiles: [file] }));
    assert.equal(fault.code, 'key-revoked');
  });

  it('TRAP-5: the type that is known is negotiated, so KH-3: a known host never looks new', async () => {
    const file = await knownHostsFile('rsa', lineOf(server.hostKeys[1]));
    const transport = await bench.open(targetOf(server, { userKnownHostsFiles: [file] }));
    assert.deepEqual([transport.facts.hostKeyType, bench.person.hostKeys], ['ssh-rsa', []]);
  });

  it('KH-2: the plain name stands in for the name with port', async () => {
    const file = await knownHostsFile('plain', `${server.host} ${server.hostKeys[0]?.publicLine ?? ''}\n`);
    await bench.open(targetOf(server, { userKnownHostsFiles: [file] }));
    assert.deepEqual(bench.person.hostKeys, []);
  });

  it('a known_hosts file that is a pipe refuses at once, and /dev/null is an empty one', async () => {
    const pipe = path.join(server.folder, 'pipe');
    await mustRun('mkfifo', [pipe]);
    assert.equal((await bench.fault(targetOf(server, { userKnownHostsFiles: [pipe] }))).code, 'config-error');
    await bench.open(targetOf(server, { userKnownHostsFiles: ['/dev/null'] }));
  });

  it('a known_hosts file that cannot be read refuses: a revocation in it would be missed', async () => {
    const fault = await bench.fault(targetOf(server, { userKnownHostsFiles: [server.folder] }));
    assert.equal(fault.code, 'config-error');
  });

  for (const [mode, expected] of [
    ['yes', 'key-unknown'],
    ['accept-new', 'accept-new'],
    ['off', 'accept-new'],
  ] as const)
    it(`StrictHostKeyChecking ${mode} ${mode === 'yes' ? 'refuses an unknown key' : 'keeps an unknown key'} without a question`, async () => {
      const target = targetOf(server, { strictHostKeyChecking: mode });
      if (mode === 'yes') assert.equal((await bench.fault(target)).code, expected);
      else {
        await bench.open(target);
        assert.deepEqual(
          bench.knownHosts.list.map((row) => row.origin),
          [expected],
        );
      }
      assert.deepEqual(bench.person.hostKeys, []);
    });

  it('a key that cannot be kept is accepted for this connection', async () => {
    bench.knownHosts.add = () => Promise.reject(new Error('database is locked'));
    bench.person.answerHostKey = () => 'remember';
    await bench.open(targetOf(server));
  });

  it('KH-12: a server that hangs up while the question is open closes it, and says so', async () => {
    const impatient = await startServer({ config: ['LoginGraceTime 1'] });
    try {
      let closed = false;
      bench.person.answerHostKey = (_question, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            closed = true;
            resolve('once');
          }),
        );
      const fault = await within(bench.fault(targetOf(impatient)), 'the end of the attempt');
      assert.deepEqual([fault.code, closed], ['server-closed', true]);
      assert.match(fault.facts['reason'] ?? '', /stopped waiting/);
    } finally {
      await impatient.stop();
    }
  });
});

describe('TRAP-2, TRAP-13: a server that rekeys', () => {
  it('KH-11: every megabyte: one question, and 24 MB arrive unchanged', async function () {
    this.timeout(120_000);
    const server = await startServer({ rekeyLimit: '1M' });
    const bench = new SshBench();
    try {
      const transport = await bench.open(targetOf(server));
      const { stdout, exit } = await runCommand(transport, 'head -c 24000000 /dev/zero | tr "\\0" x');
      assert.deepEqual([stdout.length, exit], [24_000_000, { kind: 'code', code: 0 }]);
      assert.equal(stdout.equals(Buffer.alloc(24_000_000, 'x')), true);
      assert.equal(bench.person.hostKeys.length, 1);
    } finally {
      await bench.dispose();
      await server.stop();
    }
  });

  it('S8: with another key: the connection is ended', async () => {
    const { Server, utils } = ssh2;
    const [first, second] = [ed25519Pair().private, ed25519Pair().private];
    let swap = (): void => assert.fail('nobody is connected');
    const server = new Server({ hostKeys: [first] }, (client) => {
      client.on('error', () => {});
      client.on('authentication', (context) => context.accept());
      swap = () => {
        // The other key in the place of the first, which is what an intruder in an open connection would show.
        const protocol: unknown = Reflect.get(client, '_protocol');
        const keys: unknown =
          typeof protocol === 'object' && protocol !== null ? Reflect.get(protocol, '_hostKeys') : undefined;
        const parsed = utils.parseKey(second);
        assert.ok(typeof keys === 'object' && keys !== null && !(parsed instanceof Error));
        Reflect.set(keys, 'ssh-ed25519', parsed);
        client.rekey();
      };
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: unknown = server.address();
    assert.ok(typeof address === 'object' && address !== null && 'port' in address);
    const bench = new SshBench();
    try {
      const target: Target = targetOf({
        host: '127.0.0.1',
        port: Number(address.port),
        account: {
          name: 'op',
          uid: 0,
          gid: 0,
          home: '/',
          shell: '/bin/sh',
          isDedicated: false,
          dispose() {},
        },
        key: {
          type: 'ed25519',
          privateFile: '/nowhere',
          publicFile: '/nowhere',
          publicLine: '',
          fingerprint: '',
        },
      });
      const transport = await bench.open(target);
      swap();
      const fault = await within(transport.lost, 'the end of the connection');
      assert.equal(fault.code, 'link-lost');
      assert.match(fault.facts['reason'] ?? '', /Host denied/);
    } finally {
      await bench.dispose();
      server.close();
    }
  });
});
