import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, runCommand, startServer, targetOf } from './sshBench.ts';

describe('the addresses of a host', () => {
  let server: Sshd;
  let stranger: Sshd;
  let bench: SshBench;
  const relays: net.Server[] = [];
  before(async () => {
    [server, stranger] = await Promise.all([startServer(), startServer()]);
  });
  after(() => Promise.all([server.stop(), stranger.stop()]));
  beforeEach(() => (bench = new SshBench()));
  afterEach(async () => {
    await bench.dispose();
    for (const relay of relays.splice(0)) relay.close();
  });

  /** The stranger at another address of this machine, on the port of the server. */
  const strangerAt = async (host: string): Promise<void> => {
    const relay = net.createServer((client) => {
      const target = net.connect(stranger.port, '127.0.0.1');
      client.on('error', () => {}).on('close', () => target.destroy());
      target.on('error', () => {}).on('close', () => client.destroy());
      client.pipe(target).pipe(client);
    });
    relays.push(relay);
    relay.listen(server.port, host);
    await once(relay, 'listening');
  };
  const target = (addresses: readonly string[], change: Partial<Target> = {}): Target =>
    targetOf(server, { addresses, trustName: 'lab.example', ...change });
  const trustTheServer = (): Promise<void> => {
    const [keyType = '', keyBase64 = ''] = server.hostKeys[0]?.publicLine.split(' ') ?? [];
    const row = { name: 'lab.example', port: server.port, keyType, keyBase64 };
    return bench.knownHosts.add({ ...row, origin: 'asked', addedAt: 0 });
  };
  const tried = (): readonly (readonly string[])[] =>
    bench.trace.events.flatMap(({ fact }) =>
      fact.k === 'address' ? [[fact.address, fact.result, fact.reason ?? '']] : [],
    );

  it('a secondary one is accepted without a question when its key is trusted for the name of the record', async () => {
    await trustTheServer();
    await bench.open(target(['127.0.0.2', '127.0.0.1']));
    assert.deepEqual([bench.person.hostKeys, bench.person.changed], [[], []]);
    assert.deepEqual(tried(), [
      ['127.0.0.2', 'failed', 'ECONNREFUSED'],
      ['127.0.0.1', 'connected', ''],
    ]);
  });

  it('nobody is asked about a new key at a secondary one, nor is it recorded', async () => {
    for (const strictHostKeyChecking of ['ask', 'accept-new', 'off'] as const) {
      const fault = await bench.fault(target(['127.0.0.2', '127.0.0.1'], { strictHostKeyChecking }));
      assert.equal(fault.code, 'refused', 'what counts is why the first address did not answer');
    }
    assert.deepEqual([bench.person.hostKeys, bench.knownHosts.list], [[], []]);
  });

  it('another machine at a secondary one is passed over, and the next address is used', async () => {
    await trustTheServer();
    await strangerAt('127.0.0.3');
    const transport = await bench.open(target(['127.0.0.2', '127.0.0.3', '127.0.0.1']));
    assert.equal(transport.facts.hostKeyFingerprint, server.hostKeys[0]?.fingerprint);
    assert.deepEqual([bench.person.hostKeys, bench.person.changed], [[], []]);
  });

  it('another machine at the first one is a changed key, whatever the others would say', async () => {
    await trustTheServer();
    await strangerAt('127.0.0.3');
    const fault = await bench.fault(target(['127.0.0.3', '127.0.0.1']));
    assert.deepEqual([fault.code, bench.person.changed.length], ['key-changed', 1]);
  });

  for (const [what, change, from] of [
    ['BindAddress', { bindAddress: '127.0.0.9' }, '127.0.0.9'],
    ['BindInterface', { bindInterface: 'lo' }, '127.0.0.1'],
    ['both, of which the address wins', { bindAddress: '127.0.0.9', bindInterface: 'none' }, '127.0.0.9'],
  ] as const)
    it(`the own one is that of ${what}`, async () => {
      const transport = await bench.open(target(['127.0.0.1'], change));
      const { stdout } = await runCommand(transport, 'echo $SSH_CLIENT');
      assert.equal(stdout.toString().split(' ')[0], from);
    });

  for (const [what, change, code] of [
    ['an interface that is not there', { bindInterface: 'none0' }, 'unreachable'],
    ['an address of another machine', { bindAddress: '192.0.2.77' }, 'unreachable'],
    ['a family without an address', { addressFamily: 'inet6' }, 'name-not-found'],
  ] as const)
    it(`with ${what} there is no way`, async () => {
      assert.equal((await bench.fault(target(['127.0.0.1'], change))).code, code);
    });
});
