import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { startAskingServer } from '../../lab/askingServer.ts';
import { startRealAgent } from '../../lab/realAgent.ts';
import { generateKey, type KeyPair } from '../../lab/sshKey.ts';
import { SshBench, startServer, targetAt, targetOf } from './sshBench.ts';

const isKey = (context: AuthContext): context is PublicKeyAuthContext => context.method === 'publickey';

describe('TRAP-8: signatures by RSA keys', () => {
  let folder: string;
  let key: KeyPair;
  let bench: SshBench;
  before(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-rsa-'));
    key = await generateKey(path.join(folder, 'key'), { type: 'rsa' });
  });
  after(() => fs.rm(folder, { recursive: true }));
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());
  const identities = (): Target['identities'] => [
    { kind: 'keyFile', path: key.privateFile, configured: true },
  ];
  const withSha1 = (target: Target): Target => ({
    ...target,
    algorithms: { ...target.algorithms, signature: [...target.algorithms.signature, 'ssh-rsa'] },
  });
  /** The hashes under which a server that is silent about algorithms is offered the key; it refuses each. */
  const hashesOffered = async (
    change: (target: Target) => Target,
  ): Promise<readonly (string | undefined)[]> => {
    const hashes: (string | undefined)[] = [];
    const server = await startAskingServer(
      (context) => {
        if (isKey(context)) hashes.push(context.hashAlgo);
        context.reject(['publickey']);
      },
      { isSilent: true },
    );
    try {
      await bench.fault(change(targetAt(server, { identities: identities() })));
      return hashes;
    } finally {
      server.stop();
    }
  };

  it('a server that does not say what it takes is offered SHA-512, then SHA-256, and never SHA-1', async () => {
    assert.deepEqual(await hashesOffered((target) => target), ['sha512', 'sha256']);
  });

  it('SHA-1 comes last, and only for a host that allows it', async () => {
    assert.deepEqual(await hashesOffered(withSha1), ['sha512', 'sha256', undefined]);
  });

  for (const source of ['file', 'agent'] as const)
    it(`a server that takes only SHA-1 opens for a host that allows it, and for no other, by ${source}`, async () => {
      const server = await startServer({ config: ['PubkeyAcceptedAlgorithms ssh-rsa'] });
      const agent = await startRealAgent(folder, source === 'agent' ? [key.privateFile] : []);
      try {
        await server.authorize(key);
        const target = targetOf(server, {
          identities: source === 'agent' ? [{ kind: 'agent' }] : identities(),
          identityAgent: agent.socket,
        });
        assert.equal((await bench.fault(target)).code, 'auth-failed');
        const transport = await bench.open(withSha1(target));
        assert.equal(transport.acceptedKey, key.fingerprint);
      } finally {
        agent.stop();
        await server.stop();
      }
    });
});
