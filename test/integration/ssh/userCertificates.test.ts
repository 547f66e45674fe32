import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { generateKey, signKey, type CertificateRequest, type KeyPair } from '../../lab/sshKey.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { startRealAgent, type RealAgent } from '../../lab/realAgent.ts';
import { SshBench, startServer, targetOf } from './sshBench.ts';

const configured = (key: { readonly privateFile: string }): Target['identities'] => [
  { kind: 'keyFile', path: key.privateFile, configured: true },
];

describe('user certificates', () => {
  let server: Sshd;
  let bench: SshBench;
  const agents: RealAgent[] = [];
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(async () => {
    await bench.dispose();
    for (const agent of agents.splice(0)) agent.stop();
  });
  const certified = async (
    request: Parameters<Sshd['newKey']>[0] = {},
    certificate: Partial<CertificateRequest> = {},
  ): Promise<{ key: KeyPair; file: string }> => {
    const key = await server.newKey(request);
    return { key, file: await server.certify(key, certificate) };
  };
  const agentWith = async (...files: readonly string[]): Promise<string> => {
    const agent = await startRealAgent(server.folder, files);
    agents.push(agent);
    return agent.socket;
  };
  const results = (): readonly string[] =>
    bench.trace.events.flatMap(({ fact }) =>
      fact.k === 'identity' ? [`${fact.label}: ${fact.result}`] : [],
    );

  for (const type of ['ed25519', 'ecdsa', 'rsa'] as const)
    it(`one of type ${type} beside its key opens an account that does not know the key`, async () => {
      const { key, file } = await certified({ type });
      const transport = await bench.open(targetOf(server, { identities: configured(key) }));
      assert.equal(transport.facts.authenticatedBy, `publickey ${key.fingerprint} ${file}`);
      assert.match(server.log(), new RegExp(`Accepted publickey for .* ${type.toUpperCase()}-CERT`));
    });

  it('TRAP-8: one of RSA is offered by its SHA-2 name, and the signature in it is named after the plain algorithm', async () => {
    const strict = await startServer({
      config: ['PubkeyAcceptedAlgorithms rsa-sha2-512-cert-v01@openssh.com,rsa-sha2-512'],
    });
    try {
      const key = await strict.newKey({ type: 'rsa' });
      await strict.certify(key);
      const transport = await bench.open(targetOf(strict, { identities: configured(key) }));
      assert.equal(transport.acceptedKey, key.fingerprint);
    } finally {
      await strict.stop();
    }
  });

  it('one that CertificateFile names opens the account, wherever it lies', async () => {
    const { key, file } = await certified();
    const moved = path.join(server.folder, 'elsewhere.pub');
    await fs.rename(file, moved);
    const transport = await bench.open(
      targetOf(server, { identities: configured(key), certificateFiles: [moved] }),
    );
    assert.equal(transport.facts.authenticatedBy, `publickey ${key.fingerprint} ${moved}`);
  });

  it('one beside a public half is signed for by the agent that holds the key', async () => {
    const { key } = await certified();
    const socket = await agentWith(key.privateFile);
    await fs.rename(key.privateFile, `${key.privateFile}.away`);
    const transport = await bench.open(
      targetOf(server, {
        identities: [{ kind: 'agent' }, { kind: 'keyFile', path: key.publicFile, configured: true }],
        identitiesOnly: true,
        identityAgent: socket,
      }),
    );
    assert.equal(transport.acceptedKey, key.fingerprint);
  });

  it('one that only the agent holds opens the account', async () => {
    const { key, file } = await certified();
    const socket = await agentWith(key.privateFile);
    await fs.rm(file);
    const transport = await bench.open(
      targetOf(server, { identities: [{ kind: 'agent' }], identityAgent: socket }),
    );
    assert.equal(transport.acceptedKey, key.fingerprint);
  });

  it('one whose key is encrypted asks for the passphrase once', async () => {
    const { key } = await certified({ passphrase: 'correct horse' });
    bench.person.answerSecret = () => 'correct horse';
    const transport = await bench.open(targetOf(server, { identities: configured(key) }));
    assert.deepEqual([transport.acceptedKey, bench.person.secrets.length], [key.fingerprint, 1]);
  });

  for (const [what, request, reason] of [
    ['has expired', { validity: '-2h:-1h' }, /expired at/],
    ['is not valid yet', { validity: '+1h:+2h' }, /not valid before/],
    ['is for hosts', { kind: 'host' }, /for hosts/],
  ] as const) {
    it(`one that ${what} is not offered; the plain key is, and the trace says why`, async () => {
      const { key, file } = await certified({}, request);
      await server.authorize(key);
      const transport = await bench.open(targetOf(server, { identities: configured(key) }));
      assert.equal(transport.facts.authenticatedBy, `publickey ${key.fingerprint} ${key.privateFile}`);
      assert.match(results().join('\n'), new RegExp(`^${file}: not offered, .*${reason.source}`));
      assert.ok(!server.log().includes('-CERT ' + key.fingerprint));
    });

    it(`one that ${what} is the news where nothing else worked`, async () => {
      const { key, file } = await certified({}, request);
      const fault = await bench.fault(targetOf(server, { identities: configured(key) }));
      assert.deepEqual([fault.code, fault.facts['path']], ['user-cert-unusable', file]);
      assert.match(fault.facts['reason'] ?? '', reason);
    });
  }

  it('one for somebody else is offered with a warning, since the server may know better', async () => {
    const { key, file } = await certified({}, { principals: ['somebody'] });
    const fault = await bench.fault(targetOf(server, { identities: configured(key) }));
    assert.equal(fault.code, 'auth-failed');
    assert.ok(
      fault.facts['tried']?.startsWith(
        `publickey ${file} ${key.fingerprint}: refused, the certificate is for somebody, not for ${server.account.name}; publickey ${key.privateFile}`,
      ),
    );
  });

  it('one without its private key is named', async () => {
    const { file } = await certified();
    const other = await server.newKey();
    const fault = await bench.fault(
      targetOf(server, { identities: configured(other), certificateFiles: [file] }),
    );
    assert.deepEqual(
      [fault.code, fault.facts['reason']],
      ['user-cert-unusable', 'there is no private key for it'],
    );
  });

  for (const [what, damage] of [
    ['is damaged', (text: string) => text.replace(/AAAA.{100}/, (part) => part.slice(0, 60))],
    ['is something else', () => 'hello\n'],
  ] as const)
    it(`a file that ${what} in place of a certificate leaves the key`, async () => {
      const { key, file } = await certified();
      await server.authorize(key);
      await fs.writeFile(file, damage(await fs.readFile(file, 'utf8')));
      const transport = await bench.open(targetOf(server, { identities: configured(key) }));
      assert.equal(transport.facts.authenticatedBy, `publickey ${key.fingerprint} ${key.privateFile}`);
    });

  it('one of an authority that the server does not know is followed by the plain key', async () => {
    const key = await server.newKey();
    await server.authorize(key);
    const authority = await generateKey(path.join(server.folder, 'other_ca'));
    await signKey(authority, key, { kind: 'user', principals: [server.account.name] });
    const transport = await bench.open(targetOf(server, { identities: configured(key) }));
    assert.equal(transport.facts.authenticatedBy, `publickey ${key.fingerprint} ${key.privateFile}`);
    assert.match(results().join('\n'), /-cert\.pub: refused\n.*: accepted$/);
  });

  it('ssh itself offers the certificate first and then the key, as we do', async () => {
    const { key } = await certified({}, { principals: ['somebody'] });
    const options = { IdentityFile: key.privateFile, LogLevel: 'DEBUG1' };
    let said = '';
    try {
      execFileSync('ssh', server.sshArguments('true', options), { stdio: 'pipe', encoding: 'utf8' });
    } catch (error) {
      said = String(Reflect.get(Object(error) as object, 'stderr'));
    }
    const offered = [...said.matchAll(/Offering public key: (\S+)/g)].map(([, file]) => file);
    await bench.fault(targetOf(server, { identities: configured(key) }));
    const ours = results().map((line) => line.replace(/: .*$/, '').replace(/-cert\.pub$/, ''));
    assert.deepEqual(
      ours,
      offered.map((file) => file?.replace(/-cert(?:\.pub)?$/, '')),
    );
  });
});
