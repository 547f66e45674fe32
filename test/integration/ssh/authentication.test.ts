import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it, type Context } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { answeringEnvironment } from '../../lab/askPass.ts';
import { startRealAgent } from '../../lab/realAgent.ts';
import {
  agentRequest,
  listAnswer,
  refusal,
  startScriptedAgent,
  type AgentAnswer,
} from '../../lab/scriptedAgent.ts';
import type { Sshd } from '../../lab/sshd.ts';
import {
  serverObstacle,
  startServer as startLabServer,
  type ServerAuth,
  type StartedServer,
} from '../../lab/startServer.ts';
import type { KeyPair } from '../../lab/sshKey.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, runCommand, startServer, targetOf, within } from './sshBench.ts';

const configured = (key: { readonly privateFile: string }): Target['identities'] => [
  { kind: 'keyFile', path: key.privateFile, configured: true },
];

const blobOf = (key: KeyPair): Buffer => Buffer.from(key.publicLine.split(' ')[1] ?? '', 'base64');

describe('signing in', () => {
  let server: Sshd;
  let bench: SshBench;
  const stops: (() => void)[] = [];
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    for (const stop of stops.splice(0)) stop();
  });
  const agentWith = async (...keys: readonly KeyPair[]): Promise<string> => {
    const files = keys.map(({ privateFile }) => privateFile);
    const agent = await startRealAgent(server.folder, files);
    stops.push(() => agent.stop());
    return agent.socket;
  };
  const newAuthorized = async (request?: Parameters<Sshd['newKey']>[0]): Promise<KeyPair> => {
    const key = await server.newKey(request);
    await server.authorize(key);
    return key;
  };

  it('TRAP-9: a key file opens the account and a command runs', async () => {
    const transport = await bench.open(targetOf(server));
    const { stdout, exit } = await runCommand(transport, 'printf %s "$USER"');
    assert.deepEqual([stdout.toString(), exit], [server.account.name, { kind: 'code', code: 0 }]);
    assert.equal(
      transport.facts.authenticatedBy,
      `publickey ${server.key.fingerprint} ${server.key.privateFile}`,
    );
    assert.equal(transport.facts.hostKeyFingerprint, server.hostKeys[0]?.fingerprint);
    assert.equal(transport.acceptedKey, server.key.fingerprint);
    assert.match(transport.facts.serverIdentification, /^SSH-2\.0-OpenSSH_/);
  });

  for (const type of ['ecdsa', 'rsa'] as const)
    it(`${type === 'rsa' ? 'TRAP-8: ' : ''}an ${type} key file opens the account without SHA-1`, async () => {
      const key = await newAuthorized({ type });
      const transport = await bench.open(targetOf(server, { identities: configured(key) }));
      assert.equal(transport.acceptedKey, key.fingerprint);
      assert.match(
        server.log(),
        new RegExp(`Accepted publickey for .*${key.fingerprint.replaceAll('+', '\\+')}`),
      );
    });

  for (const type of ['ed25519', 'ecdsa', 'rsa'] as const)
    it(`a key of type ${type} in PKCS#8 opens the account`, async () => {
      const key = await newAuthorized({ type });
      if (type === 'ed25519') {
        const { createPrivateKey } = await import('node:crypto');
        const ssh2 = (await import('ssh2')).default;
        const parsed = ssh2.utils.parseKey(await fs.readFile(key.privateFile));
        assert.ok(!(parsed instanceof Error));
        const pem = createPrivateKey(parsed.getPrivatePEM()).export({ type: 'pkcs8', format: 'pem' });
        await fs.writeFile(key.privateFile, pem);
      } else execFileSync('ssh-keygen', ['-q', '-p', '-N', '', '-m', 'PKCS8', '-f', key.privateFile]);
      const text = await fs.readFile(key.privateFile, 'utf8');
      assert.match(text, /^-----BEGIN PRIVATE KEY-----/);
      const transport = await bench.open(targetOf(server, { identities: configured(key) }));
      assert.equal(transport.acceptedKey, key.fingerprint);
    });

  for (const [what, change] of [
    ['CRLF and a byte order mark', (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['indentation and text before it', (text: string) => `comment\n${text.replace(/^/gm, '    ')}`],
    ['no final newline', (text: string) => text.trimEnd()],
  ] as const)
    it(`a key file with ${what} opens the account`, async () => {
      const key = await newAuthorized();
      await fs.writeFile(key.privateFile, change(await fs.readFile(key.privateFile, 'utf8')));
      await bench.open(targetOf(server, { identities: configured(key) }));
    });

  it('an encrypted key is asked for once, by hop and file, and only because the server would take it', async () => {
    const locked = await server.newKey({ passphrase: 'not for this server' });
    const key = await newAuthorized({ passphrase: 'correct horse' });
    bench.person.answerSecret = () => 'correct horse';
    const identities = [...configured(locked), ...configured(key)];
    const transport = await bench.open(targetOf(server, { identities }));
    assert.equal(transport.acceptedKey, key.fingerprint);
    assert.deepEqual(bench.person.secrets, [
      {
        kind: 'passphrase',
        heading: '',
        prompt: key.privateFile,
        echo: false,
        canRemember: true,
        isRepeated: false,
        keysLeftOut: 0,
        hop: `${server.account.name}@lab`,
        title: `Passphrase for ${server.account.name}@lab`,
      },
    ]);
    assert.deepEqual(
      bench.progress.map((progress) => (progress.k === 'asking' ? progress.what : progress.k)),
      ['connecting', 'hostKey', 'connecting', 'passphrase', 'connecting'],
    );
  });

  it('an encrypted PEM key without a public half beside it is unlocked before it is offered', async () => {
    const key = await newAuthorized({ type: 'rsa', passphrase: 'correct horse' });
    execFileSync('ssh-keygen', [
      '-q',
      '-p',
      '-P',
      'correct horse',
      '-N',
      'correct horse',
      '-m',
      'PEM',
      '-f',
      key.privateFile,
    ]);
    await fs.rm(key.publicFile);
    bench.person.answerSecret = () => 'correct horse';
    const transport = await bench.open(targetOf(server, { identities: configured(key) }));
    assert.equal(transport.acceptedKey, key.fingerprint);
  });

  it('a passphrase is kept when the person says so, then nobody is asked and the key goes before others', async () => {
    const key = await newAuthorized({ passphrase: 'correct horse' });
    const target = targetOf(server, { identities: configured(key) });
    bench.person.answerSecret = () => 'correct horse';
    await bench.open(target);
    assert.equal(bench.passphrases.kept.size, 0);
    bench.person.remember = true;
    await bench.open(target);
    assert.deepEqual([...bench.passphrases.kept], [[key.fingerprint, 'correct horse']]);
    const { length } = bench.person.secrets;
    const refused = {
      kind: 'keyFile',
      path: (await server.newKey()).privateFile,
      configured: false,
    } as const;
    await bench.open({ ...target, identities: [refused, ...target.identities] });
    assert.equal(bench.person.secrets.length, length);
    assert.ok(!bench.trace.events.some(({ fact }) => fact.k === 'identity' && fact.label === refused.path));
  });

  it('a kept passphrase that no longer fits is forgotten and asked for; a wrong one is never kept', async () => {
    const key = await newAuthorized({ passphrase: 'correct horse' });
    const target = targetOf(server, { identities: configured(key) });
    bench.passphrases.kept.set(key.fingerprint, 'stale');
    bench.person.remember = true;
    bench.person.answerSecret = () => 'wrong';
    assert.equal((await bench.fault(target)).code, 'key-unreadable');
    assert.equal(bench.passphrases.kept.size, 0);
    bench.person.answerSecret = () => 'correct horse';
    await bench.open(target);
    assert.deepEqual([...bench.passphrases.kept.values()], ['correct horse']);
  });

  it('a wrong passphrase names the file and the reason', async () => {
    const key = await newAuthorized({ passphrase: 'correct horse' });
    bench.person.answerSecret = () => 'battery staple';
    const fault = await bench.fault(targetOf(server, { identities: configured(key) }));
    assert.deepEqual(
      [fault.code, fault.facts['path'], fault.facts['reason'], fault.retry],
      ['key-unreadable', key.privateFile, 'the passphrase is wrong', 'user'],
    );
    assert.equal(bench.person.secrets.length, 1);
  });

  it('a closed passphrase prompt is a cancelled sign-in', async () => {
    const key = await newAuthorized({ passphrase: 'correct horse' });
    bench.person.answerSecret = () => undefined;
    const fault = await bench.fault(targetOf(server, { identities: configured(key) }));
    assert.equal(fault.code, 'auth-cancelled');
  });

  it('a wrong key says what was tried with which result', async () => {
    const key = await server.newKey();
    const fault = await bench.fault(targetOf(server, { identities: configured(key) }));
    assert.deepEqual(
      [fault.code, fault.stage, fault.hop, fault.outcome],
      ['auth-failed', 'auth', `${server.account.name}@lab`, 'failed'],
    );
    assert.equal(fault.facts['tried'], `publickey ${key.privateFile} ${key.fingerprint}: refused`);
    assert.equal(fault.facts['offered'], 'publickey');
  });

  for (const [what, make, reason] of [
    ['a file that does not exist', async () => '/nowhere/id', /no such file/],
    ['the public half', async (key: KeyPair) => key.publicFile, /public half/],
    [
      'a damaged file',
      async (key: KeyPair) => {
        const text = await fs.readFile(key.privateFile, 'utf8');
        await fs.writeFile(key.privateFile, text.slice(0, 150));
        return key.privateFile;
      },
      /damaged/,
    ],
  ] as const)
    it(`${what} in place of a key is named`, async () => {
      const file = await make(await newAuthorized());
      const fault = await bench.fault(targetOf(server, { identities: configured({ privateFile: file }) }));
      assert.deepEqual([fault.code, fault.facts['path']], ['key-unreadable', file]);
      assert.match(fault.facts['reason'] ?? '', reason);
    });

  for (const type of ['ed25519', 'ecdsa', 'rsa'] as const)
    it(`TRAP-22: a key of type ${type} in the agent opens the account`, async () => {
      const key = await newAuthorized({ type });
      const socket = await agentWith(key);
      const transport = await bench.open(
        targetOf(server, { identities: [{ kind: 'agent' }], identityAgent: socket }),
      );
      assert.equal(transport.acceptedKey, key.fingerprint);
    });

  it('AG-1: of many agent keys only the one whose public half is configured is offered', async () => {
    const chosen = await newAuthorized();
    const others = await Promise.all(Array.from({ length: 8 }, () => server.newKey()));
    const socket = await agentWith(...others, chosen);
    const transport = await bench.open(
      targetOf(server, {
        identities: [{ kind: 'keyFile', path: chosen.publicFile, configured: true }, { kind: 'agent' }],
        identitiesOnly: true,
        identityAgent: socket,
      }),
    );
    assert.equal(transport.acceptedKey, chosen.fingerprint);
  });

  it('AG-2: with many agent keys the attempt stops before the server hangs up, and says what it left out', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => server.newKey()));
    const socket = await agentWith(...others);
    const fault = await bench.fault(
      targetOf(server, { identities: [{ kind: 'agent' }], identityAgent: socket }),
    );
    assert.equal(fault.code, 'auth-budget');
    assert.equal(fault.facts['tried']?.split(';').length, 5);
    assert.equal(fault.facts['leftOut']?.split(',').length, 3);
    assert.doesNotMatch(server.log(), /Too many authentication failures/);
  });

  it('AG-6: an encrypted default file that the agent holds is not asked for', async () => {
    const key = await newAuthorized();
    const socket = await agentWith(key);
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'locked now', '-f', key.privateFile]);
    const identities: Target['identities'] = [
      { kind: 'keyFile', path: key.privateFile, configured: false },
      { kind: 'agent' },
    ];
    const transport = await bench.open(targetOf(server, { identities, identityAgent: socket }));
    assert.equal(transport.acceptedKey, key.fingerprint);
    assert.deepEqual(bench.person.secrets, []);
  });

  it('AG-5: an agent that takes its time is told of, and a person who cancels goes on to the next method', async () => {
    const held = await newAuthorized();
    const clock = new FakeClock(Date.now());
    const own = new SshBench({ clock });
    const agent = await startScriptedAgent(
      path.join(server.folder, `slow-${process.hrtime.bigint().toString()}`),
      async (payload): Promise<AgentAnswer> => {
        if (payload[0] === agentRequest.list) return listAnswer([{ blob: blobOf(held), comment: 'held' }]);
        await clock.advance(2_000);
        return 'hang';
      },
    );
    stops.push(() => agent.stop());
    own.person.cancelSigning = () => Promise.resolve();
    try {
      const identities: Target['identities'] = [
        { kind: 'keyFile', path: held.publicFile, configured: true },
        ...configured(server.key),
        { kind: 'agent' },
      ];
      const attempt = own.open(targetOf(server, { identities, identityAgent: agent.socket }));
      assert.equal((await within(attempt, 'the next method')).acceptedKey, server.key.fingerprint);
      const hop = `${server.account.name}@lab`;
      assert.deepEqual(own.person.notices, [{ hop, label: 'held', isSecurityKey: false }]);
    } finally {
      await own.dispose();
    }
  });

  for (const [what, answer] of [
    ['declines to sign', refusal],
    ['hangs up instead of signing', 'hangUp'],
    ['answers with a reply of impossible size', Buffer.from([0xff, 0xff, 0xff, 0xff, 14])],
    ['answers with a damaged signature', Buffer.from([0, 0, 0, 5, 14, 0, 0, 1, 0])],
  ] as const)
    it(`AG-5, TRAP-4: an agent that ${what} makes the next method`, async () => {
      const held = await newAuthorized();
      const file = await newAuthorized();
      const agent = await startScriptedAgent(
        path.join(server.folder, `refusing-${process.hrtime.bigint().toString()}`),
        (payload): AgentAnswer =>
          payload[0] === agentRequest.list ? listAnswer([{ blob: blobOf(held), comment: 'held' }]) : answer,
      );
      stops.push(() => agent.stop());
      const identities: Target['identities'] = [
        { kind: 'keyFile', path: held.publicFile, configured: true },
        ...configured(file),
        { kind: 'agent' },
      ];
      const transport = await bench.open(targetOf(server, { identities, identityAgent: agent.socket }));
      assert.equal(transport.acceptedKey, file.fingerprint);
      assert.equal(agent.requests.filter(([kind]) => kind === agentRequest.sign).length, 1);
    });

  it('AG-5: an agent that is locked makes the next method; alone it is said to be', async () => {
    const held = await newAuthorized();
    const agent = await startRealAgent(server.folder, [held.privateFile]);
    stops.push(() => agent.stop());
    const environment = { ...answeringEnvironment(server.folder, 'lock'), SSH_AUTH_SOCK: agent.socket };
    execFileSync('ssh-add', ['-x'], { env: environment, stdio: 'ignore' });
    const change = { identityAgent: agent.socket, identities: [{ kind: 'agent' as const }] };
    const fault = await bench.fault(targetOf(server, { ...change, identity: { kind: 'agent' } }));
    assert.deepEqual(
      [fault.code, fault.facts['endpoint'], fault.facts['reason']],
      ['agent-refused', agent.socket, 'it is locked or holds no key'],
    );
    const identities = [...change.identities, ...configured(server.key)];
    const transport = await bench.open(targetOf(server, { ...change, identities }));
    assert.equal(transport.acceptedKey, server.key.fingerprint);
  });

  it('AG-5: a use that the agent has to have confirmed and that nobody confirms makes the next method', async () => {
    const held = await newAuthorized();
    const agent = await startRealAgent(server.folder, []);
    stops.push(() => agent.stop());
    await agent.add('-q', '-c', held.privateFile);
    const identities: Target['identities'] = [
      { kind: 'agent' },
      { kind: 'keyFile', path: held.publicFile, configured: true },
      ...configured(server.key),
    ];
    const transport = await bench.open(targetOf(server, { identities, identityAgent: agent.socket }));
    assert.equal(transport.acceptedKey, server.key.fingerprint);
    const results = bench.trace.events.flatMap(({ fact }) => (fact.k === 'identity' ? [fact.result] : []));
    assert.match(results.join('\n'), /not tried, the agent refused to sign/);
  });

  it('the agent that was asked is named with the connection and in the trace', async () => {
    const key = await newAuthorized();
    const socket = await agentWith(key);
    const own = new SshBench({ environment: { SSH_AUTH_SOCK: socket } });
    try {
      const target = targetOf(server, { identities: [{ kind: 'agent' }], identityAgent: undefined });
      const transport = await own.open(target);
      assert.equal(transport.facts.agent, socket);
      assert.deepEqual(
        own.trace.events.flatMap(({ fact }) =>
          fact.k === 'agent' || fact.k === 'methods' || fact.k === 'identity' ? [fact] : [],
        ),
        [
          { k: 'methods', offered: ['publickey'], isPartial: false },
          { k: 'agent', endpoint: socket, result: '1 key' },
          {
            k: 'identity',
            method: 'publickey',
            label: path.basename(key.privateFile),
            fingerprint: key.fingerprint,
            source: 'agent',
            result: 'accepted',
          },
        ],
      );
    } finally {
      await own.dispose();
    }
  });

  for (const [what, socket] of [
    ['nobody listens on', '/nowhere/agent.sock'],
    ['is missing from the environment', undefined],
  ] as const)
    it(`an agent that ${what} is named when only an agent was wanted`, async () => {
      const fault = await bench.fault(
        targetOf(server, {
          identities: [{ kind: 'agent' }],
          identity: { kind: 'agent' },
          identityAgent: socket,
        }),
      );
      assert.deepEqual([fault.code, fault.facts['endpoint']], ['agent-missing', socket ?? 'none']);
    });

  it('an agent that is gone is no reason to fail while a key file opens the account', async () => {
    const identities: Target['identities'] = [{ kind: 'agent' }, ...configured(server.key)];
    await bench.open(targetOf(server, { identities, identityAgent: '/nowhere/agent.sock' }));
  });

  it('an abort ends the attempt, its question and its connection', async () => {
    const key = await newAuthorized({ passphrase: 'correct horse' });
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      bench.person.answerSecret = (_question, signal) =>
        new Promise((answer) => {
          signal.addEventListener('abort', () => {
            resolve();
            answer(undefined);
          });
          abort.abort(new Error('no longer wanted'));
        });
    });
    const fault = await bench.fault(targetOf(server, { identities: configured(key) }), abort.signal);
    assert.equal(fault.code, 'cancelled');
    await within(closed, 'the end of the question');
    await server.waitForLog(/Connection (?:closed|reset) by|Close session|closed by authenticating user/);
  });
});

describe('signing in with a password', function () {
  let server: Sshd;
  let bench: SshBench;
  before(async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    server = await startServer({ account: { hasPassword: true } });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());
  const target = (): Target => targetOf(server, { identities: [] });

  it('a typed password opens the account, and is kept only when the person says so', async () => {
    bench.person.answerSecret = () => server.account.password;
    const transport = await bench.open(target());
    assert.equal(transport.facts.authenticatedBy, 'password');
    assert.deepEqual(bench.passwords.kept, []);
    bench.person.remember = true;
    await bench.open(target());
    assert.deepEqual(bench.passwords.kept, [server.account.password]);
    assert.deepEqual(
      bench.person.secrets.map(({ kind, canRemember, title }) => [kind, canRemember, title]),
      Array(2).fill(['password', true, `Password for ${server.account.name}@lab`]),
    );
  });

  it('a kept password opens the account without a question', async () => {
    bench.passwords.password = server.account.password;
    await bench.open(target());
    assert.deepEqual(bench.person.secrets, []);
  });

  it('a kept password that is wrong is used once, then the person is asked', async () => {
    bench.passwords.password = 'stale';
    bench.person.answerSecret = () => server.account.password;
    await bench.open(target());
    assert.equal(bench.person.secrets.length, 1);
  });

  it('a wrong password is asked three times in all and never kept', async () => {
    bench.person.answerSecret = () => 'wrong';
    bench.person.remember = true;
    const fault = await bench.fault(target());
    assert.deepEqual(
      [fault.code, fault.facts['tried']],
      ['auth-failed', 'password: refused; password: refused; password: refused'],
    );
    assert.deepEqual([bench.person.secrets.length, bench.passwords.kept], [3, []]);
  });

  it('a key that is refused is followed by the password', async () => {
    bench.person.answerSecret = () => server.account.password;
    const key = await server.newKey();
    const transport = await bench.open(targetOf(server, { identities: configured(key) }));
    assert.equal(transport.facts.authenticatedBy, 'password');
  });

  it('TRAP-9: a key whose passphrase nobody gives is followed by the password', async () => {
    const key = await server.newKey({ passphrase: 'correct horse' });
    await server.authorize(key);
    bench.person.answerSecret = ({ kind }) => (kind === 'passphrase' ? undefined : server.account.password);
    const transport = await bench.open(targetOf(server, { identities: configured(key) }));
    assert.equal(transport.facts.authenticatedBy, 'password');
    assert.deepEqual(
      bench.person.secrets.map(({ kind }) => kind),
      ['passphrase', 'password'],
    );
  });

  it('a person who is asked after keys were left out is told how many', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => server.newKey()));
    bench.person.answerSecret = () => server.account.password;
    const transport = await bench.open(targetOf(server, { identities: keys.flatMap(configured) }));
    assert.equal(transport.facts.authenticatedBy, 'password');
    assert.deepEqual(
      bench.person.secrets.map(({ keysLeftOut }) => keysLeftOut),
      [2],
    );
  });

  it('a closed password prompt ends the sign-in', async () => {
    bench.person.answerSecret = () => undefined;
    const fault = await bench.fault(target());
    assert.deepEqual([fault.code, bench.person.secrets.length], ['auth-cancelled', 1]);
  });
});

describe('signing in where the server wants two methods', () => {
  let server: Sshd;
  let bench: SshBench;
  before(async function () {
    if (!canCreateAccounts()) skipBecause(this, 'only root can make the account that it needs');
    server = await startServer({
      account: { hasPassword: true },
      authenticationMethods: 'publickey,password',
    });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
    bench.person.answerSecret = () => server.account.password;
  });
  afterEach(() => bench.dispose());

  it('TRAP-10: a key and then the password', async () => {
    const transport = await bench.open(targetOf(server));
    assert.equal(transport.facts.authenticatedBy, 'password');
    assert.equal(bench.person.secrets.length, 1);
  });

  it('TRAP-10: the password and then a key, which is looked for only then', async () => {
    const reversed = await startServer({
      account: { hasPassword: true },
      authenticationMethods: 'password,publickey',
    });
    try {
      bench.person.answerSecret = () => reversed.account.password;
      const transport = await bench.open(targetOf(reversed));
      assert.equal(transport.acceptedKey, reversed.key.fingerprint);
      assert.equal(bench.person.secrets.length, 1);
    } finally {
      await reversed.stop();
    }
  });

  it('TRAP-10: two keys, none of them twice', async () => {
    const strict = await startServer({ authenticationMethods: 'publickey,publickey' });
    try {
      const second = await strict.newKey();
      await strict.authorize(second);
      const identities = [...configured(strict.key), ...configured(second)];
      const transport = await bench.open(targetOf(strict, { identities }));
      assert.equal(transport.acceptedKey, second.fingerprint);
    } finally {
      await strict.stop();
    }
  });

  it('TRAP-22: a key of the agent counts as the first half, and no further key is tried', async () => {
    const others = await Promise.all([server.newKey(), server.newKey()]);
    const files = [server.key, ...others].map(({ privateFile }) => privateFile);
    const agent = await startRealAgent(server.folder, files);
    try {
      const target = targetOf(server, { identities: [{ kind: 'agent' }], identityAgent: agent.socket });
      const transport = await bench.open(target);
      assert.equal(transport.facts.authenticatedBy, 'password');
      for (const key of others) assert.ok(!server.log().includes(key.fingerprint));
    } finally {
      agent.stop();
    }
  });
});

describe('AG-7: signing in with a one-time code behind PAM', function () {
  this.timeout(120_000);
  let bench: SshBench;
  let server: StartedServer | undefined;
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    await server?.stop();
    server = undefined;
  });
  const start = async (context: Context, auth: ServerAuth): Promise<StartedServer> => {
    const request = { kind: 'openssh10', auth } as const;
    const obstacle = serverObstacle(request);
    if (obstacle !== undefined) skipBecause(context, obstacle);
    server = await startLabServer(request);
    return server;
  };

  it('a key, then the code, which is asked for once and never kept', async function () {
    const asking = await start(this, 'key-then-code');
    bench.person.answerSecret = () => asking.code();
    bench.person.remember = true;
    const transport = await bench.open(targetOf(asking));
    assert.equal(transport.facts.authenticatedBy, 'keyboard-interactive');
    assert.deepEqual(
      bench.person.secrets.map(({ kind, prompt, echo, canRemember }) => [
        kind,
        prompt.trim(),
        echo,
        canRemember,
      ]),
      [['keyboardInteractive', 'Verification code:', false, false]],
    );
    assert.deepEqual(bench.passwords.kept, []);
    const [first, second] = await Promise.all([
      runCommand(transport, 'echo one'),
      runCommand(transport, 'echo two'),
    ]);
    assert.deepEqual([first.stdout.toString(), second.stdout.toString()], ['one\n', 'two\n']);
    assert.equal(bench.person.secrets.length, 1);
  });

  it('the kept password, then the code of the person', async function () {
    const asking = await start(this, 'pam-code');
    bench.passwords.password = asking.account.password;
    bench.person.answerSecret = () => asking.code();
    await bench.open(
      targetOf(asking, { identities: [], preferredAuthentications: ['keyboard-interactive'] }),
    );
    assert.deepEqual(
      bench.person.secrets.map(({ prompt }) => prompt.trim()),
      ['Verification code:'],
    );
  });
});
