import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import ssh2 from 'ssh2';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { sshString } from '../../../src/domain/keys/wire.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startAnnouncingServer, type Announcement } from '../../lab/announcingServer.ts';
import { ed25519Pair } from '../../lab/ed25519Pair.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { SshBench, startServer, targetAt, targetOf as quietTargetOf, within } from './sshBench.ts';

const targetOf = (server: Sshd, change: Partial<Target> = {}): Target =>
  quietTargetOf(server, { updateHostKeys: 'yes', ...change });

describe('UpdateHostKeys: the further keys of a server', () => {
  let server: Sshd;
  let bench: SshBench;
  before(async () => {
    server = await startServer({ hostKeys: ['ed25519', 'ecdsa', 'rsa'] });
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const partsOf = (publicLine = ''): readonly [string, string] => {
    const [keyType = '', keyBase64 = ''] = publicLine.split(' ');
    return [keyType, keyBase64];
  };
  const keep = async (publicLine: string | undefined): Promise<void> => {
    const [keyType, keyBase64] = partsOf(publicLine);
    const place = { name: server.host, port: server.port };
    await bench.knownHosts.add({ ...place, keyType, keyBase64, origin: 'asked', addedAt: 1 });
  };
  const kept = (): readonly string[] =>
    bench.knownHosts.list.map(({ keyType, origin }) => `${keyType} ${origin}`).toSorted();
  const learn = async (target: Target): Promise<void> => {
    const learned = bench.keyUpdates.nextLearned();
    await bench.open(target);
    await within(learned, 'the announcement of host keys');
  };
  const fileWith = async (names: string, marker = ''): Promise<string> => {
    const file = path.join(server.folder, 'known');
    await fs.writeFile(file, `${marker}${names} ${server.hostKeys[0]?.publicLine ?? ''}\n`);
    return file;
  };
  const placed = (): string => `[${server.host}]:${String(server.port)}`;
  const learnedOnes = ['ecdsa-sha2-nistp256 rotation', 'ssh-rsa rotation'];

  it('are kept without a question when the store knows the key it showed', async () => {
    await keep(server.hostKeys[0]?.publicLine);
    await learn(targetOf(server));
    assert.deepEqual(kept(), [learnedOnes[0], 'ssh-ed25519 asked', learnedOnes[1]]);
    assert.deepEqual([bench.person.hostKeys, bench.person.confirmations], [[], []]);
  });

  it('are kept in the store when a file of the person knows it; the file keeps its bytes', async () => {
    const file = await fileWith(placed());
    const before = await fs.readFile(file, 'utf8');
    await learn(targetOf(server, { userKnownHostsFiles: [file] }));
    assert.deepEqual([kept(), await fs.readFile(file, 'utf8')], [learnedOnes, before]);
  });

  it('are kept after a key was remembered, and not after it was accepted once', async () => {
    await learn(targetOf(server));
    assert.deepEqual(kept(), []);
    bench.person.answerHostKey = () => 'remember';
    await learn(targetOf(server));
    assert.deepEqual(kept(), [learnedOnes[0], 'ssh-ed25519 asked', learnedOnes[1]]);
  });

  it('are not kept when the key is known to the machine, to a pattern or under the name without port only', async () => {
    const global = await fileWith(placed());
    await learn(targetOf(server, { globalKnownHostsFiles: [global] }));
    for (const names of ['*', `${placed()},!web`, server.host]) {
      const file = await fileWith(names);
      await learn(targetOf(server, { userKnownHostsFiles: [file] }));
    }
    assert.deepEqual([kept(), bench.person.hostKeys], [[], []]);
  });

  it('are not kept with UpdateHostKeys no, and with ask only when the person says so', async () => {
    await keep(server.hostKeys[0]?.publicLine);
    await learn(targetOf(server, { updateHostKeys: 'no' }));
    bench.person.answerConfirm = () => false;
    await learn(targetOf(server, { updateHostKeys: 'ask' }));
    assert.deepEqual(kept(), ['ssh-ed25519 asked']);
    bench.person.answerConfirm = () => true;
    await learn(targetOf(server, { updateHostKeys: 'ask' }));
    assert.deepEqual(kept().length, 3);
    const names = server.hostKeys
      .slice(1)
      .map((key, n) => `${partsOf(server.hostKeys[n + 1]?.publicLine)[0]} ${key.fingerprint}`);
    const question = { k: 'addHostKeys', hop: `${server.account.name}@lab`, keys: names };
    assert.deepEqual(bench.person.confirmations, [question, question]);
  });

  it('that are revoked are not kept', async () => {
    await keep(server.hostKeys[0]?.publicLine);
    const revoked = path.join(server.folder, 'revoked');
    await fs.writeFile(revoked, `${server.hostKeys[2]?.publicLine ?? ''}\n`);
    await learn(targetOf(server, { revokedHostKeys: revoked }));
    assert.deepEqual(kept(), [learnedOnes[0], 'ssh-ed25519 asked']);
  });

  it('that it no longer has are forgotten when the person says so, with a line about it', async () => {
    const old = await server.newKey();
    for (const key of [...server.hostKeys, old]) await keep(key.publicLine);
    bench.person.answerConfirm = () => true;
    await learn(targetOf(server));
    const oldKey = `ssh-ed25519 ${old.fingerprint}`;
    assert.deepEqual(bench.person.confirmations, [
      { k: 'removeHostKeys', hop: `${server.account.name}@lab`, keys: [oldKey] },
    ]);
    assert.deepEqual(
      bench.knownHosts.lines.map((line) => [line.oldKey, line.newKey, line.actor]),
      [[oldKey, `ssh-ed25519 ${server.hostKeys[0]?.fingerprint ?? ''}`, 'server']],
    );
    assert.equal(bench.knownHosts.list.length, 3);
  });

  it('that the person keeps are not asked about again', async () => {
    const old = await server.newKey();
    for (const key of [...server.hostKeys, old]) await keep(key.publicLine);
    bench.person.answerConfirm = () => false;
    await learn(targetOf(server));
    await learn(targetOf(server));
    assert.deepEqual([bench.person.confirmations.length, bench.knownHosts.list.length], [1, 4]);
  });

  it('let it change its key without a question', async () => {
    await keep(server.hostKeys[0]?.publicLine);
    await learn(targetOf(server));
    const rsa = targetOf(server);
    const only = {
      ...rsa.algorithms,
      hostKey: rsa.algorithms.hostKey.filter((name) => name.startsWith('rsa-')),
    };
    const transport = await bench.open({ ...rsa, algorithms: only });
    assert.deepEqual([transport.facts.hostKeyType, bench.person.hostKeys], ['ssh-rsa', []]);
  });
});

describe('UpdateHostKeys with OpenSSH 10', () => {
  it('keeps the further keys that it proves to have', async function () {
    this.timeout(120_000);
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    const server = await startServer({ build: 'newest', hostKeys: ['ed25519', 'ecdsa', 'rsa'] });
    const bench = new SshBench();
    try {
      bench.person.answerHostKey = () => 'remember';
      const learned = bench.keyUpdates.nextLearned();
      await bench.open(targetOf(server));
      await within(learned, 'the announcement of host keys');
      assert.deepEqual(
        bench.knownHosts.list.map(({ keyType, keyBase64 }) => `${keyType} ${keyBase64}`).toSorted(),
        server.hostKeys.map(({ publicLine }) => publicLine.split(' ').slice(0, 2).join(' ')).toSorted(),
      );
    } finally {
      await bench.dispose();
      await server.stop();
    }
  });
});

describe('UpdateHostKeys with a server that lies', () => {
  const foreign = (): Buffer => {
    const key = ssh2.utils.parseKey(ed25519Pair().public);
    assert.ok(!(key instanceof Error));
    return key.getPublicSSH();
  };
  const other = foreign();
  for (const [what, announce] of [
    ['signs for a key of others with its own', (own) => ({ keys: [own, other], signed: [own, other] })],
    ['exchanges two proofs', (own) => ({ keys: [own, other], signed: [other, own] })],
    ['proves only the key it has', (own) => ({ keys: [own, other], signed: [own] })],
    ['announces only a key of others', () => ({ keys: [other], signed: [other] })],
  ] as const satisfies readonly (readonly [string, (own: Buffer) => Announcement])[])
    it(`keeps nothing when it ${what}`, async () => {
      const server = await startAnnouncingServer(announce);
      const bench = new SshBench();
      try {
        bench.person.answerHostKey = () => 'remember';
        const learned = bench.keyUpdates.nextLearned();
        await bench.open(targetAt({ host: '127.0.0.1', port: server.port }, { updateHostKeys: 'yes' }));
        await within(learned, 'the announcement of host keys');
        assert.deepEqual(
          bench.knownHosts.list.map(({ keyBase64 }) => keyBase64),
          [server.key.toString('base64')],
        );
        assert.deepEqual(bench.person.confirmations, []);
      } finally {
        await bench.dispose();
        server.close();
      }
    });

  it('keeps an RSA key that is proved with SHA-2, and none that is proved with SHA-1', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const parsed = ssh2.utils.parseKey(privateKey.export({ format: 'pem', type: 'pkcs1' }));
    assert.ok(!(parsed instanceof Error));
    const rsa = parsed.getPublicSSH();
    for (const [name, hash, isKept] of [
      ['ssh-rsa', 'sha1', false],
      ['rsa-sha2-256', 'sha256', true],
      ['rsa-sha2-512', 'sha512', true],
    ] as const) {
      const server = await startAnnouncingServer((own) => ({
        keys: [own, rsa],
        signed: [own, rsa],
        proof: (bytes, blob) =>
          blob === rsa
            ? Buffer.concat([name, sign(hash, bytes, privateKey)].map((part) => sshString(part)))
            : undefined,
      }));
      const bench = new SshBench();
      try {
        bench.person.answerHostKey = () => 'remember';
        const learned = bench.keyUpdates.nextLearned();
        await bench.open(targetAt({ host: '127.0.0.1', port: server.port }, { updateHostKeys: 'yes' }));
        await within(learned, 'the announcement of host keys');
        const types = bench.knownHosts.list.map(({ keyType }) => keyType);
        assert.deepEqual([name, types.includes('ssh-rsa')], [name, isKept]);
        assert.equal(types.length, isKept ? 2 : 1);
      } finally {
        await bench.dispose();
        server.close();
      }
    }
  });
});
