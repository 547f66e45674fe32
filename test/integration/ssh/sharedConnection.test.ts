import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { SshConnectionManager } from '../../../src/application/ssh/sshConnectionManager.ts';
import type { Target } from '../../../src/domain/ssh/target.ts';
import type { HostKeyAnswer } from '../../../src/domain/trust/trust.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { SshBench, faultOf, finish, never, quietLog, startServer, targetOf, within } from './sshBench.ts';

describe('callers of one host', () => {
  let server: Sshd;
  let bench: SshBench;
  let manager: SshConnectionManager;
  let target: Target;
  let recents: boolean[];
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  beforeEach(() => {
    bench = new SshBench();
    target = targetOf(server);
    recents = [];
    manager = new SshConnectionManager({
      directory: { target: async () => target, onDidChange: () => ({ dispose() {} }) },
      transport: bench.transport,
      clock: systemClock,
      log: quietLog,
      random: () => 0.5,
      history: { recordConnect: async ({ ok }) => void recents.push(ok) },
    });
  });
  afterEach(async () => {
    manager.dispose();
    await bench.dispose();
  });

  it('share one attempt and one question, and each runs commands of its own', async () => {
    const leases = await Promise.all(
      (['terminal', 'exec', 'agent-exec'] as const).map((purpose) =>
        manager.acquire(target.hostId, purpose, never),
      ),
    );
    assert.equal(bench.person.hostKeys.length, 1);
    const outputs = await Promise.all(
      leases.map(async (lease, n) =>
        (await finish(await lease.exec(`echo ${n.toString()}`, never))).stdout.toString(),
      ),
    );
    assert.deepEqual([outputs, recents], [['0\n', '1\n', '2\n'], [true]]);
    assert.equal(manager.negotiated(target.hostId)?.hostKeyFingerprint, server.hostKeys[0]?.fingerprint);
  });

  it('one who stops waiting leaves the question to the other', async () => {
    let answer: (key: HostKeyAnswer) => void = () => {};
    const asked = new Promise<void>((tell) => {
      bench.person.answerHostKey = () => {
        tell();
        return new Promise<HostKeyAnswer>((resolve) => (answer = resolve));
      };
    });
    const abort = new AbortController();
    const impatient = manager.acquire(target.hostId, 'exec', abort.signal);
    const patient = manager.acquire(target.hostId, 'exec', never);
    await within(asked, 'the question');
    assert.deepEqual(manager.state(target.hostId), { k: 'asking', hop: 1, what: 'hostKey' });
    abort.abort(new Error('enough'));
    await assert.rejects(impatient, /enough/);
    answer('once');
    await patient;
    assert.equal(manager.state(target.hostId).k, 'ready');
  });

  it('the question closes when the last one stops waiting', async () => {
    const abort = new AbortController();
    const closed = new Promise<void>((tell) => {
      bench.person.answerHostKey = (_question, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            tell();
            resolve('cancel');
          });
          abort.abort(new Error('enough'));
        });
    });
    await assert.rejects(manager.acquire(target.hostId, 'exec', abort.signal), /enough/);
    await within(closed, 'the end of the question');
    assert.equal(manager.state(target.hostId).k, 'idle');
  });

  it('a connection that the server ends stops with its fault, and the next caller connects again', async () => {
    const lease = await manager.acquire(target.hostId, 'exec', never);
    const running = await lease.exec('sleep 60', never);
    server.dropConnections();
    const fault = await within(lease.lost, 'the end of the connection');
    assert.ok(['server-closed', 'link-lost'].includes(fault.code), fault.code);
    assert.equal((await running.exit).kind, 'unknown');
    const state = manager.state(target.hostId);
    assert.equal(state.k === 'stopped' && state.fault.code, fault.code);
    assert.equal((await faultOf(lease.exec('true', never))).outcome, 'not-sent');
    const next = await manager.acquire(target.hostId, 'exec', never);
    assert.deepEqual((await finish(await next.exec('true', never))).exit, { kind: 'code', code: 0 });
  });
});
