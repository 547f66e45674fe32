import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { measureShellStart } from '../../../src/application/doctor/measureShellStart.ts';
import { diagnose, type Diagnosis } from '../../../src/domain/ssh/diagnose.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import { freePort } from '../../lab/freePort.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { never, SshBench, startServer, targetAt, targetOf } from '../ssh/sshBench.ts';

describe('the doctor on real servers', () => {
  let server: Sshd;
  let bench: SshBench;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
  });
  afterEach(() => bench.dispose());

  const failing = async (target: Target): Promise<Diagnosis> =>
    diagnose([bench.trace], await bench.fault(target));
  const stagesOf = ({ hops }: Diagnosis): readonly string[] =>
    (hops[0]?.stages ?? []).map(({ stage, isDone }) => (isDone ? stage : `${stage} ended`));

  it('a port where nothing listens: the address failed, the host can be edited', async () => {
    const diagnosis = await failing(targetAt({ host: '127.0.0.1', port: await freePort() }));
    const { fault, fix, lookAt } = diagnosis;
    assert.deepEqual(
      [fault?.code, fix?.k, lookAt?.fact.k, stagesOf(diagnosis)],
      ['refused', 'editHost', 'address', ['reach ended']],
    );
  });

  it('a service that is not SSH: it was reached, and the port can be corrected', async () => {
    const other = net.createServer(
      (socket) => void socket.on('error', () => {}).end('220 mail.example.com\r\n'),
    );
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    assert.ok(typeof address === 'object' && address !== null);
    const diagnosis = await failing(targetAt({ host: '127.0.0.1', port: address.port }));
    other.close();
    const { fault, fix, lookAt } = diagnosis;
    assert.deepEqual(
      [fault?.code, fix?.k, lookAt?.fact.k, stagesOf(diagnosis)],
      ['not-ssh', 'editHost', 'address', ['reach', 'identify ended']],
    );
  });

  it('no cipher in common: both lists are there, and exactly what would help can be allowed', async () => {
    const old = await startServer({ config: ['Ciphers aes256-cbc'] });
    try {
      const diagnosis = await failing(targetOf(old));
      const { fix, lookAt } = diagnosis;
      assert.deepEqual(
        [fix, stagesOf(diagnosis)],
        [{ k: 'allowLegacy', algorithms: ['aes256-cbc'] }, ['reach', 'identify', 'exchange ended']],
      );
      assert.ok(lookAt?.fact.k === 'offered' && lookAt.fact.side === 'theirs');
      assert.deepEqual(lookAt.fact.lists.cipher, ['aes256-cbc']);
    } finally {
      await old.stop();
    }
  });

  it('a host key that nobody accepts: the decision shows the cause, and connecting again asks again', async () => {
    bench.person.answerHostKey = () => 'cancel';
    const { fault, fix, lookAt } = await failing(targetOf(server));
    assert.deepEqual([fault?.code, fix?.k, lookAt?.fact.k], ['key-unknown', 'reconnect', 'hostKey']);
  });

  it('a changed host key: the known_hosts line that decided is told', async () => {
    const file = path.join(server.account.home, 'known_hosts_of_another');
    const other = await startServer();
    const line = `[${server.host}]:${String(server.port)} ${other.hostKeys[0]?.publicLine.trim() ?? ''}\n`;
    await other.stop();
    await fs.writeFile(file, line);
    const { fault, fix, lookAt } = await failing(targetOf(server, { userKnownHostsFiles: [file] }));
    await fs.rm(file);
    assert.deepEqual([fault?.code, fix?.k], ['key-changed', 'reviewHostKey']);
    assert.ok(lookAt?.fact.k === 'hostKey');
    assert.equal(lookAt.fact.at, `${file}:1`);
  });

  it('a user that the server does not let in: the last identity that it refused', async () => {
    bench.person.answerSecret = () => undefined;
    const diagnosis = await failing(
      targetOf(server, { user: 'nobody-here', preferredAuthentications: ['publickey'] }),
    );
    const { fault, fix, lookAt } = diagnosis;
    assert.deepEqual(
      [fault?.code, fix?.k, stagesOf(diagnosis)],
      ['auth-failed', 'editHost', ['reach', 'identify', 'exchange', 'signIn ended']],
    );
    assert.ok(lookAt?.fact.k === 'identity');
    assert.deepEqual([lookAt.fact.label, lookAt.fact.result], [server.key.privateFile, 'refused']);
  });

  it('no agent: where it was looked for', async () => {
    const target = targetOf(server, {
      identities: [{ kind: 'agent' }],
      identity: { kind: 'agent' },
      identityAgent: '/nowhere/agent',
    });
    const { fault, lookAt } = await failing(target);
    assert.deepEqual([fault?.code, lookAt?.fact.k], ['agent-missing', 'agent']);
  });

  it('a proxy program that dies: what it said', async () => {
    const route = {
      k: 'program',
      command: 'echo no way >&2; exit 3',
      passesDescriptor: false,
      at: '',
    } as const;
    const { fault, lookAt } = await failing(targetOf(server, { route }));
    assert.deepEqual([fault?.code, lookAt?.fact], ['proxy-failed', { k: 'output', text: 'no way' }]);
  });

  it('one that succeeds: every part is done, and who signed in', async () => {
    await bench.open(targetOf(server));
    const diagnosis = diagnose([bench.trace], undefined);
    const { outcome, hops } = diagnosis;
    assert.deepEqual(
      [outcome, stagesOf(diagnosis)],
      ['connected', ['reach', 'identify', 'exchange', 'signIn']],
    );
    const by = hops[0]?.events.find(({ fact }) => fact.k === 'signedIn')?.fact;
    assert.ok(by?.k === 'signedIn' && by.by.startsWith('publickey SHA256:'));
  });

  it('the start of the login shell is measured on the clock of this side, and a failing one is not measured', async () => {
    const clock = new FakeClock();
    const transport = await bench.open(targetOf(server));
    const exec = transport.exec.bind(transport);
    const measured = await measureShellStart(
      {
        exec: async (command, signal) => {
          const channel = await exec(command, signal);
          void channel.exit.then(() => {});
          return {
            ...channel,
            close: () => channel.close(),
            exit: channel.exit.finally(() => clock.advance(120)),
          };
        },
      },
      clock,
      never,
    );
    assert.equal(measured, 120);
    assert.equal(
      await measureShellStart({ exec: () => exec('false', never) }, systemClock, never),
      undefined,
    );
    const refusing = { exec: () => Promise.reject(new Error('no channel')) };
    assert.equal(await measureShellStart(refusing, systemClock, never), undefined);
  });
});
