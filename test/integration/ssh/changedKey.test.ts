import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Purpose } from '../../../src/application/ports/connection.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { RouteBench } from './routeBench.ts';
import { faultOf, never, startServer, targetOf } from './sshBench.ts';

const purposes: Readonly<Record<Purpose, string>> = {
  terminal: 'terminals',
  exec: 'commands of a person',
  'sftp-browse': 'the file browser',
  'sftp-transfer': 'transfers',
  forward: 'forwards',
  metrics: 'metrics',
  'agent-exec': 'commands of the assistant',
  'agent-sftp': 'file tools of the assistant',
};

describe('KH-10: a host whose key has changed', () => {
  let server: Sshd;
  let bench: RouteBench;
  let target: Target;
  before(async () => {
    server = await startServer({ logLevel: 'DEBUG1' });
    bench = new RouteBench();
    target = targetOf(server, { strictHostKeyChecking: 'off' });
    const other = await server.newKey();
    const [keyType = '', keyBase64 = ''] = other.publicLine.split(' ');
    const place = { name: server.host, port: server.port };
    await bench.ssh.knownHosts.add({ ...place, keyType, keyBase64, origin: 'asked', addedAt: 1 });
  });
  after(async () => {
    await bench.dispose();
    await server.stop();
  });

  for (const [purpose, what] of Object.entries(purposes))
    it(`is blocked for ${what}, before anything of the sign-in is sent`, async () => {
      const host = bench.host(target);
      const fault = await faultOf(bench.manager.acquire(host, purpose as Purpose, never));
      assert.deepEqual([fault.code, fault.outcome, fault.retry], ['key-changed', 'not-sent', 'user']);
      assert.deepEqual(bench.manager.state(host), { k: 'stopped', fault });
      assert.deepEqual([bench.ssh.person.hostKeys, bench.ssh.person.secrets], [[], []]);
      assert.doesNotMatch(server.log(), /userauth-request/);
    });

  it('stays blocked: nothing that happened has made its key a known one', () => {
    assert.deepEqual(
      bench.ssh.knownHosts.list.map(({ origin }) => origin),
      ['asked'],
    );
  });
});
