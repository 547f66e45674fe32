import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { fingerprintOf } from '../../../src/domain/trust/hostKey.ts';
import type { ScriptedAgent } from '../../lab/scriptedAgent.ts';
import { newSecurityKey, publicFileOf, startSecurityKeyAgent } from '../../lab/securityKey.ts';
import { signKey } from '../../lab/sshKey.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { SshBench, startServer, targetOf, within } from './sshBench.ts';

describe('a security key behind an agent', () => {
  let server: Sshd;
  let bench: SshBench;
  const agents: ScriptedAgent[] = [];
  let count = 0;
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
  const agentWith = async (
    key: ReturnType<typeof newSecurityKey>,
    options: Parameters<typeof startSecurityKeyAgent>[2] = {},
  ): Promise<string> => {
    const socket = path.join(server.folder, `security-agent-${String(++count)}`);
    agents.push(await startSecurityKeyAgent(socket, key, options));
    return socket;
  };
  const target = (identityAgent: string, change: Partial<Target> = {}): Target =>
    targetOf(server, { identities: [{ kind: 'agent' }], identityAgent, ...change });
  const publicPair = (key: ReturnType<typeof newSecurityKey>): ReturnType<typeof publicFileOf> =>
    publicFileOf(key, path.join(server.folder, `security-key-${String(++count)}`));

  for (const kind of ['ed25519', 'ecdsa'] as const) {
    it(`TRAP-11: of kind ${kind} opens the account, flags and counter kept, and asks for the touch`, async () => {
      const key = newSecurityKey(kind);
      await server.authorize(await publicPair(key));
      const transport = await bench.open(target(await agentWith(key)));
      assert.equal(transport.acceptedKey, fingerprintOf(key.blob));
      assert.deepEqual(bench.person.notices, [
        { hop: `${server.account.name}@lab`, label: 'security key', isSecurityKey: true },
      ]);
      assert.ok(bench.progress.some((one) => one.k === 'asking' && one.what === 'signing'));
    });

    it(`of kind ${kind} opens the account by its certificate alone, from the agent and from a file`, async () => {
      const key = newSecurityKey(kind);
      const pair = await publicPair(key);
      const file = await signKey(server.userCa, pair, { kind: 'user', principals: [server.account.name] });
      const blob = Buffer.from((await fs.readFile(file, 'utf8')).split(' ')[1] ?? '', 'base64');
      const byAgent = await bench.open(target(await agentWith(key, { certificate: blob })));
      const byFile = await bench.open(target(await agentWith(key), { certificateFiles: [file] }));
      assert.deepEqual(
        [byAgent.acceptedKey, byFile.acceptedKey],
        [fingerprintOf(key.blob), fingerprintOf(key.blob)],
      );
      assert.match(
        server.log(),
        new RegExp(`Accepted publickey for .* ${kind === 'ed25519' ? 'ED25519' : 'ECDSA'}-SK-CERT`),
      );
    });
  }

  it('AG-5: a touch that is declined makes the next method', async () => {
    const key = newSecurityKey('ed25519');
    await server.authorize(await publicPair(key));
    const socket = await agentWith(key, { onTouch: () => false });
    const identities: Target['identities'] = [
      { kind: 'agent' },
      { kind: 'keyFile', path: server.key.privateFile, configured: false },
    ];
    const transport = await bench.open(target(socket, { identities }));
    assert.equal(transport.acceptedKey, server.key.fingerprint);
  });

  it('AG-5: a person who cancels the touch goes on to the next method, and the notice goes away', async () => {
    const key = newSecurityKey('ed25519');
    await server.authorize(await publicPair(key));
    const socket = await agentWith(key, { onTouch: () => new Promise<never>(() => {}) });
    const identities: Target['identities'] = [
      { kind: 'agent' },
      { kind: 'keyFile', path: server.key.privateFile, configured: false },
    ];
    bench.person.cancelSigning = () => Promise.resolve();
    const transport = await within(bench.open(target(socket, { identities })), 'the next method');
    assert.equal(transport.acceptedKey, server.key.fingerprint);
  });

  it('AG-5: alone it ends as a refusal that names the agent and the reason', async () => {
    const key = newSecurityKey('ed25519');
    await server.authorize(await publicPair(key));
    const socket = await agentWith(key, { onTouch: () => false });
    const fault = await bench.fault(target(socket));
    assert.deepEqual([fault.code, fault.facts['endpoint']], ['agent-refused', socket]);
    assert.match(fault.facts['reason'] ?? '', /declined/);
  });

  it('a touch may take longer than the server is given for an answer', async () => {
    const key = newSecurityKey('ed25519');
    await server.authorize(await publicPair(key));
    const clock = new FakeClock(Date.now());
    const own = new SshBench({ clock });
    try {
      const socket = await agentWith(key, {
        onTouch: async () => {
          await clock.advance(100_000);
          return true;
        },
      });
      const transport = await within(own.open(target(socket)), 'the connection');
      assert.equal(transport.acceptedKey, fingerprintOf(key.blob));
    } finally {
      await own.dispose();
    }
  });

  it('the end of the attempt ends the notice and the question to the agent', async () => {
    const key = newSecurityKey('ed25519');
    await server.authorize(await publicPair(key));
    const abort = new AbortController();
    const socket = await agentWith(key, {
      onTouch: () => {
        abort.abort(new Error('no longer wanted'));
        return new Promise<never>(() => {});
      },
    });
    const fault = await within(bench.fault(target(socket), abort.signal), 'the end');
    assert.equal(fault.code, 'cancelled');
  });
});
