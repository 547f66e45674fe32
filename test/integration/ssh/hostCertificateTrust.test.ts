import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { AuthorityLines } from '../../../src/application/trust/authorityLines.ts';
import { readAuthorityKey } from '../../../src/domain/trust/authorityLine.ts';
import { decideTrust } from '../../../src/domain/trust/decideTrust.ts';
import { keyTypeOf } from '../../../src/domain/trust/hostKey.ts';
import { parseKnownHosts } from '../../../src/domain/trust/parseKnownHosts.ts';
import { parseRevokedKeys } from '../../../src/domain/trust/parseRevokedKeys.ts';
import type { TrustDecision } from '../../../src/domain/trust/trust.ts';
import type { TrustName, TrustSource } from '../../../src/domain/trust/trustRecord.ts';
import {
  authorityAlgorithms,
  authorityVerdict,
} from '../../../src/infrastructure/ssh/keys/verifyCertificate.ts';
import { openStore } from '../../../src/infrastructure/store/openStore.ts';
import { mustRun, run } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { generateKey, signKey, type CertificateRequest, type KeyPair } from '../../lab/sshKey.ts';
import { faultOf, quietLog, SshBench, startServer, targetOf } from './sshBench.ts';

const web: TrustName = { name: 'web.example.com', isAlias: false, port: 22 };
const web2222: TrustName = { ...web, port: 2222 };

const userFile = (...lines: readonly string[]): TrustSource => ({
  kind: 'user-file',
  name: '/u',
  records: parseKnownHosts('/u', lines.join('\n')).records,
});
const wordsOf = (decision: TrustDecision): string =>
  decision.k === 'cert-refused'
    ? decision.reason
    : decision.k === 'revoked'
      ? `revoked ${decision.what}`
      : decision.k === 'ask'
        ? decision.why
        : decision.k === 'accept'
          ? `accepted by ${decision.by}`
          : decision.k;

describe('KH-5: a host certificate', function () {
  this.timeout(120_000);
  let folder: string;
  let ca: KeyPair;
  let other: KeyPair;
  let rsaCa: KeyPair;
  let host: KeyPair;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-host-trust-'));
    const key = (name: string, type: KeyPair['type'] = 'ed25519') =>
      generateKey(path.join(folder, name), { type });
    [ca, other, rsaCa, host] = await Promise.all([
      key('ca'),
      key('other'),
      key('rsa-ca', 'rsa'),
      key('host'),
    ]);
  });
  after(() => fs.rm(folder, { recursive: true, force: true }));

  const blobOf = async (file: string): Promise<Buffer> =>
    Buffer.from((await fs.readFile(file, 'utf8')).split(' ')[1] ?? '', 'base64');
  const certificate = async (
    change: Partial<CertificateRequest> = {},
    signer: KeyPair = ca,
  ): Promise<Buffer> =>
    blobOf(await signKey(signer, host, { kind: 'host', principals: ['web.example.com'], ...change }));
  const decide = (blob: Uint8Array, sources: readonly TrustSource[], name: TrustName = web): string =>
    wordsOf(
      decideTrust(
        { keyType: keyTypeOf(blob) ?? '', blob },
        { trust: name, sources },
        {
          nowSeconds: BigInt(Math.floor(Date.now() / 1_000)),
          verify: (given) => authorityVerdict(given, authorityAlgorithms),
        },
      ),
    );
  const authority = (key: KeyPair, names = '*.example.com'): string =>
    `@cert-authority ${names} ${key.publicLine}`;

  it('that is good is accepted by the authority of a line', async () => {
    assert.equal(decide(await certificate(), [userFile(authority(ca))]), 'accepted by ca');
    assert.equal(
      decide(await certificate({ principals: ['w*.example.com'] }), [userFile(authority(ca))]),
      'accepted by ca',
    );
    assert.equal(
      decide(await certificate({ validity: 'always:forever' }), [userFile(authority(ca))]),
      'accepted by ca',
    );
  });

  it('is judged by the bare name, whatever the port, also by a line without port', async () => {
    const lines = [authority(ca, '[web.example.com]:2222')];
    assert.equal(decide(await certificate(), [userFile(...lines)], web2222), 'accepted by ca');
    assert.equal(decide(await certificate(), [userFile(authority(ca))], web2222), 'accepted by ca');
  });

  for (const [what, change, words] of [
    ['expired', { validity: '-2h:-1h' }, 'expired'],
    ['not yet valid', { validity: '+1h:+2h' }, 'not-yet-valid'],
    ['for another host', { principals: ['db.example.com', '[web.example.com]:22'] }, 'other-host'],
    ['for a user', { kind: 'user' }, 'user-certificate'],
    ['with an option nobody knows', { options: ['critical:new@example.com=x'] }, 'unknown-option'],
  ] as const)
    it(`${what} is refused, though its inner key is known`, async () => {
      const lines = [authority(ca), `web.example.com ${host.publicLine}`];
      assert.equal(decide(await certificate(change), [userFile(...lines)]), words);
    });

  it('without any name is refused', async () => {
    await mustRun('ssh-keygen', ['-q', '-s', ca.privateFile, '-h', '-I', 'x', host.publicFile]);
    assert.equal(
      decide(await blobOf(`${host.privateFile}-cert.pub`), [userFile(authority(ca))]),
      'names-no-host',
    );
  });

  it('of another authority is refused, and counts for nothing where no authority is kept', async () => {
    const blob = await certificate({}, other);
    assert.equal(decide(blob, [userFile(authority(ca))]), 'other-authority');
    assert.equal(decide(blob, [userFile(authority(ca, '*.example.net'))]), 'unknown');
    assert.equal(decide(blob, [userFile(`web.example.com ${host.publicLine}`)]), 'accepted by user-file');
    assert.equal(decide(blob, [userFile(`web.example.com ${other.publicLine}`)]), 'changed');
  });

  it('that fails under the name without port only is judged by its inner key', async () => {
    const blob = await certificate({ validity: '-2h:-1h' });
    assert.equal(decide(blob, [userFile(authority(ca))], web2222), 'unknown');
  });

  it('signed with SHA-1 is refused', async () => {
    const options = [
      '-q',
      '-t',
      'ssh-rsa',
      '-s',
      rsaCa.privateFile,
      '-h',
      '-I',
      'x',
      '-n',
      'web.example.com',
    ];
    await mustRun('ssh-keygen', [...options, host.publicFile]);
    const blob = await blobOf(`${host.privateFile}-cert.pub`);
    assert.equal(decide(blob, [userFile(authority(rsaCa))]), 'algorithm-not-allowed');
  });

  it('with one changed byte is refused', async () => {
    const blob = await certificate();
    for (const at of [60, Math.floor(blob.length / 2), blob.length - 1]) {
      const broken = Buffer.from(blob);
      broken[at] = (broken[at] ?? 0) ^ 1;
      assert.notEqual(decide(broken, [userFile(authority(ca))]), 'accepted by ca');
    }
  });

  it('KH-7: whose inner key or authority is revoked is refused, wherever the line stands', async () => {
    const blob = await certificate();
    const revoked = (key: KeyPair): string => `@revoked * ${key.publicLine}`;
    assert.equal(decide(blob, [userFile(authority(ca)), userFile(revoked(host))]), 'revoked key');
    assert.equal(decide(blob, [userFile(authority(ca)), userFile(revoked(ca))]), 'revoked authority');
    assert.equal(decide(blob, [userFile(authority(ca)), userFile(revoked(other))]), 'accepted by ca');
    for (const [key, words] of [
      [host, 'revoked key'],
      [ca, 'revoked authority'],
    ] as const) {
      const { records } = parseRevokedKeys('/r', `# withdrawn\n\n${key.publicLine} comment\n`);
      assert.equal(
        decide(blob, [userFile(authority(ca)), { kind: 'revoked-list', name: '/r', records }]),
        words,
      );
    }
  });
});

describe('a list of revoked keys', function () {
  this.timeout(120_000);
  let server: Sshd;
  let file: string;
  let bench: SshBench;
  before(async () => {
    server = await startServer();
    file = path.join(server.folder, 'revoked-lines');
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const own = (): string => server.hostKeys[0]?.publicLine ?? '';
  const other = async (): Promise<string> => (await server.newKey()).publicLine;
  const byHand = async (): Promise<string> => {
    const target = targetOf(server, { strictHostKeyChecking: 'accept-new', revokedHostKeys: file });
    return faultOf(bench.open(target)).then(
      ({ code }) => code,
      () => 'connected',
    );
  };
  const bySsh = async (): Promise<'refused' | 'connected'> => {
    const { stderr } = await run('ssh', [
      ...[
        '-F',
        'none',
        '-p',
        String(server.port),
        '-o',
        'StrictHostKeyChecking=accept-new',
        '-o',
        'BatchMode=yes',
      ],
      ...['-o', 'UserKnownHostsFile=/dev/null', '-o', `RevokedHostKeys=${file}`],
      ...['-o', 'PreferredAuthentications=none', `${server.account.name}@${server.host}`, 'true'],
    ]);
    return /Permission denied/.test(stderr) ? 'connected' : 'refused';
  };

  for (const [what, text, expected] of [
    ['nothing', () => '', 'connected'],
    [
      'comments and other keys',
      async () => `# x\n\n \t\n${await other()}\r\n  ${await other()}`,
      'connected',
    ],
    ['the key, after others', async () => `${await other()}\n${own()}\n`, 'key-revoked'],
    ['the key behind spaces', () => `  ${own()}`, 'key-revoked'],
    ['a word', () => 'rubbish\n', 'config-error'],
    ['the key with a marker', () => `@revoked ${own()}\n`, 'config-error'],
    ['the key with names', () => `* ${own()}\n`, 'config-error'],
    ['the key with options', () => `from="x" ${own()}\n`, 'config-error'],
    [
      'a key that is cut off, after others',
      async () => `${await other()}\n${own().slice(0, 50)}\n`,
      'config-error',
    ],
  ] as const)
    it(`with ${what} ${expected === 'connected' ? 'lets the host through' : 'refuses it'}, as with ssh`, async () => {
      await fs.writeFile(file, await text());
      assert.deepEqual(
        [await byHand(), await bySsh()],
        [expected, expected === 'connected' ? 'connected' : 'refused'],
      );
    });

  it('with a certificate revokes the key inside it', async () => {
    const ca = await generateKey(path.join(server.folder, 'list-ca'), { type: 'ed25519' });
    const key = server.hostKeys[0];
    assert.ok(key);
    const copy = path.join(server.folder, 'copy');
    await fs.writeFile(`${copy}.pub`, `${key.publicLine}\n`);
    await mustRun('ssh-keygen', ['-q', '-s', ca.privateFile, '-h', '-I', 'x', `${copy}.pub`]);
    await fs.copyFile(`${copy}-cert.pub`, file);
    assert.deepEqual([await byHand(), await bySsh()], ['key-revoked', 'refused']);
  });
});

describe('a server with a host certificate', function () {
  this.timeout(120_000);
  let folder: string;
  let server: Sshd;
  let ca: KeyPair;
  let bench: SshBench;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-host-trust-'));
    ca = await generateKey(path.join(folder, 'ca'));
    const key = await generateKey(path.join(folder, 'host_ed25519'));
    const request = { kind: 'host', principals: ['127.0.0.1'], serial: 42, keyId: 'web 2026' } as const;
    const signed = await signKey(ca, key, request);
    server = await startServer({ folder, config: [`HostCertificate ${signed}`] });
  });
  after(async () => {
    await server.stop();
    await fs.rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const file = async (name: string, text: string): Promise<string> => {
    const written = path.join(folder, name);
    await fs.writeFile(written, text);
    return written;
  };
  /** What `ssh` says of the host with one known_hosts file. */
  const strictSsh = async (known: string): Promise<'accepted' | 'refused'> => {
    const options = ['StrictHostKeyChecking=yes', 'BatchMode=yes', 'PreferredAuthentications=none'];
    const { stderr } = await run('ssh', [
      ...['-F', 'none', '-p', String(server.port)],
      ...[...options, `UserKnownHostsFile=${known}`, 'GlobalKnownHostsFile=none'].flatMap((one) => [
        '-o',
        one,
      ]),
      ...[`${server.account.name}@${server.host}`, 'true'],
    ]);
    return /Permission denied/.test(stderr) ? 'accepted' : 'refused';
  };
  const authorityFile = (key: KeyPair): Promise<string> =>
    file('known_hosts', `@cert-authority [127.0.0.1]:${server.port} ${key.publicLine}\n`);

  it('is accepted by its authority without a question, and the trace names the line', async () => {
    const known = await authorityFile(ca);
    await bench.open(targetOf(server, { userKnownHostsFiles: [known] }));
    assert.equal(bench.person.hostKeys.length, 0);
    const decided = bench.trace.events.flatMap(({ fact }) => (fact.k === 'hostKey' ? [fact] : []));
    assert.deepEqual(
      decided.map(({ decision, at, fingerprint }) => ({ decision, at, fingerprint })),
      [{ decision: 'accepted by ca', at: `${known}:1`, fingerprint: server.hostKeys[0]?.fingerprint }],
    );
  });

  it('is remembered with its serial number, names and end when it was accepted, at no other time', async () => {
    await bench.open(targetOf(server, { userKnownHostsFiles: [await authorityFile(ca)] }));
    const [noted, ...more] = await bench.knownHosts.certificates();
    assert.ok(noted !== undefined && noted.validUntil !== undefined && more.length === 0);
    const { validFrom, validUntil, seenAt, ...rest } = noted;
    assert.deepEqual(rest, {
      name: '127.0.0.1',
      port: server.port,
      keyType: 'ssh-ed25519',
      serial: '42',
      keyId: 'web 2026',
      principals: ['127.0.0.1'],
      authority: ca.fingerprint,
    });
    assert.equal(validUntil - (validFrom ?? 0), 7_200_000);
    assert.ok(validFrom !== undefined && validFrom < seenAt && seenAt < validUntil);

    const other = new SshBench();
    try {
      other.person.answerHostKey = () => 'once';
      await other.open(targetOf(server));
      assert.deepEqual(await other.knownHosts.certificates(), []);
    } finally {
      await other.dispose();
    }
  });

  it('is accepted by an authority that a person had Termind trust, by ssh with the written file, too, until it is forgotten', async () => {
    const store = openStore({
      directory: path.join(folder, 'store'),
      clock: systemClock,
      windowId: 'w',
      log: quietLog,
    });
    try {
      const authorities = new AuthorityLines({ store: store.knownHosts, clock: systemClock });
      const read = readAuthorityKey(ca.publicLine);
      assert.ok(typeof read !== 'string');
      const names = `[127.0.0.*]:${server.port}`;
      assert.equal(await authorities.add({ names, key: read.key }), 'added');
      assert.equal(await authorities.add({ names, key: read.key }), 'known');
      assert.equal(await authorities.add({ names: 'a b', key: read.key }), 'bad-names');
      for (const row of await store.knownHosts.rows()) await bench.knownHosts.add(row);
      await bench.open(targetOf(server, { strictHostKeyChecking: 'yes' }));
      assert.equal(bench.person.hostKeys.length, 0);
      const decided = bench.trace.events.flatMap(({ fact }) => (fact.k === 'hostKey' ? [fact] : []));
      assert.deepEqual(
        decided.map(({ decision, at }) => [decision, at]),
        [['accepted by ca', 'store']],
      );

      const written = path.join(folder, 'store', 'known_hosts');
      assert.equal(await strictSsh(written), 'accepted');
      assert.equal(await authorities.forget({ names, fingerprint: ca.fingerprint }), true);
      assert.equal(await authorities.forget({ names, fingerprint: ca.fingerprint }), false);
      assert.equal(await strictSsh(written), 'refused');
      assert.deepEqual(await store.knownHosts.rows(), []);
      assert.deepEqual(
        (await store.knownHosts.audit()).map(({ name, oldKey, newKey, actor }) => [
          name,
          oldKey,
          newKey,
          actor,
        ]),
        [[names, `@cert-authority ssh-ed25519 ${ca.fingerprint}`, undefined, 'person']],
      );
    } finally {
      store.dispose();
    }
    await bench.knownHosts.change({ remove: bench.knownHosts.list, add: [], audit: [] });
    const fault = await bench.fault(targetOf(server, { strictHostKeyChecking: 'yes' }));
    assert.equal(fault.code, 'key-unknown');
  });

  it('is refused when another authority is kept for it, and nobody is asked', async () => {
    const stranger = await generateKey(path.join(folder, 'stranger'));
    const fault = await bench.fault(
      targetOf(server, { userKnownHostsFiles: [await authorityFile(stranger)] }),
    );
    assert.deepEqual([fault.code, fault.facts['reason']], ['cert-refused', 'other-authority']);
    assert.equal(bench.person.hostKeys.length, 0);
  });

  it('without an authority is known by its plain key, which is what a person sees and keeps', async () => {
    bench.person.answerHostKey = () => 'remember';
    await bench.open(targetOf(server));
    assert.equal(bench.person.hostKeys[0]?.fingerprint, server.hostKeys[0]?.fingerprint);
    assert.equal(bench.knownHosts.list[0]?.keyType, 'ssh-ed25519');
    await bench.open(targetOf(server));
    assert.equal(bench.person.hostKeys.length, 1);
  });

  it('a list of revoked keys refuses it; one that is missing or binary refuses every host', async () => {
    const target = targetOf(server, { userKnownHostsFiles: [await authorityFile(ca)] });
    const listed = await file('revoked', `${server.hostKeys[0]?.publicLine ?? ''}\n`);
    assert.equal((await bench.fault({ ...target, revokedHostKeys: listed })).code, 'key-revoked');
    const missing = path.join(folder, 'nothing-here');
    assert.equal((await bench.fault({ ...target, revokedHostKeys: missing })).code, 'config-error');
    const binary = path.join(folder, 'krl');
    await mustRun('ssh-keygen', ['-q', '-k', '-f', binary, ca.publicFile]);
    assert.equal((await bench.fault({ ...target, revokedHostKeys: binary })).code, 'needs-system-ssh');
  });
});
