import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { connectionFault } from '../../../../src/domain/ssh/connectionFault.ts';
import { attemptJson } from '../../../../src/domain/ssh/attemptJson.ts';
import {
  redactAttempt,
  type AttemptRecord,
  type Redaction,
} from '../../../../src/domain/ssh/redactAttempt.ts';
import type { TraceFact } from '../../../../src/domain/ssh/trace.ts';

const everything: Redaction = { users: true, hosts: true, comments: true };
const nothing: Redaction = { users: false, hosts: false, comments: false };
const gate = 'guard@gate (hop 1 of 2)';
const hop = 'op@secret-db (hop 2 of 2, via gate)';

function attemptOf(facts: readonly TraceFact[], label = 'secret-db'): AttemptRecord {
  const fault = connectionFault(
    'auth-failed',
    { stage: 'auth', hop },
    { tried: 'alice@laptop: refused', from: gate, address: 'db.corp.example' },
  );
  return { label, fault, traces: [{ startedAt: 0, events: facts.map((fact) => ({ atMs: 1, hop, fact })) }] };
}

const identity = (label: string): TraceFact => ({
  k: 'identity',
  method: 'publickey',
  label,
  fingerprint: 'SHA256:abc',
  source: 'agent',
  result: 'refused',
});

const whole = attemptOf([
  { k: 'carrier', kind: 'socks', via: 'proxy.corp.example:1080' },
  { k: 'carrier', kind: 'program', via: 'nc -x bastion op@192.0.2.1' },
  { k: 'address', address: '192.0.2.44', port: 22, result: 'failed', reason: 'ECONNREFUSED 192.0.2.44:22' },
  {
    k: 'output',
    text: 'op@secret-db: connect to mail.other.example and 2001:db8::1 and fe80::1%eth0 failed',
  },
  {
    k: 'hostKey',
    keyType: 'ssh-ed25519',
    fingerprint: 'SHA256:k',
    decision: 'changed',
    at: '/home/alice/.ssh/known_hosts:3',
  },
  { k: 'agent', endpoint: '/Users/alice/agent.sock', result: 'answers' },
  identity('alice@laptop'),
  { k: 'signedIn', by: 'publickey SHA256:abc alice@laptop' },
  { k: 'ended', code: 'auth-failed', reason: 'refused (alice@laptop: refused) by db.corp.example' },
]);

describe('an attempt that leaves the machine', () => {
  it('holds no name, address or comment when all are left out', () => {
    const text = attemptJson(redactAttempt(whole, everything));
    for (const canary of [
      'secret-db',
      'gate',
      'guard',
      'op@',
      'alice',
      'laptop',
      'corp.example',
      'other.example',
      '192.0.2',
      '2001:db8',
      'fe80',
      'bastion',
    ])
      assert.ok(!text.includes(canary), `${canary} is in\n${text}`);
  });

  it('is the same when nothing is left out', () => {
    assert.deepEqual(redactAttempt(whole, nothing), whole);
  });

  it('names the same thing by the same number everywhere', () => {
    const { label, fault, traces } = redactAttempt(whole, everything);
    assert.deepEqual(
      [label, fault?.hop, traces[0]?.events[0]?.hop],
      ['host-1', 'user-1@host-1 (hop 2 of 2, via host-2)', 'user-1@host-1 (hop 2 of 2, via host-2)'],
    );
  });

  for (const [what, before, after, redaction] of [
    ['a short user stays inside of words', 'open op stop', 'open user-1 stop', everything],
    ['algorithms are no domains', 'aes128-gcm@openssh.com', 'aes128-gcm@openssh.com', everything],
    ['nor those of libssh', 'curve25519-sha256@libssh.org', 'curve25519-sha256@libssh.org', everything],
    ['a mail address loses its domain', 'root@corp.example', 'root@[address]', everything],
    ['a home loses its user', '/home/alice/.ssh/id', '/home/user/.ssh/id', everything],
    ['a Windows home, too', 'C:\\Users\\alice\\x', 'C:\\Users\\user\\x', everything],
    ['a version is no address', 'OpenSSH_9.2p1', 'OpenSSH_9.2p1', everything],
    ['a time is no address', '12:30:59', '12:30:59', everything],
    ['users alone', 'op at 192.0.2.1', 'user-1 at 192.0.2.1', { ...nothing, users: true }],
    ['hosts alone', 'op at 192.0.2.1', 'op at [address]', { ...nothing, hosts: true }],
  ] as const)
    it(`${what}: ${before}`, () => {
      const { traces } = redactAttempt(attemptOf([{ k: 'output', text: before }]), redaction);
      assert.deepEqual(traces[0]?.events[0]?.fact, { k: 'output', text: after });
    });

  it('keeps fingerprints, algorithms and times', () => {
    const lists = { kex: ['a@openssh.com'], hostKey: [], cipher: [], mac: [], compression: [] };
    const offered = { k: 'offered', side: 'theirs', lists } as const;
    const { traces } = redactAttempt(attemptOf([offered, identity('x')]), everything);
    assert.deepEqual(traces[0]?.events, [
      { atMs: 1, hop: 'user-1@host-1 (hop 2 of 2, via host-2)', fact: offered },
      { atMs: 1, hop: 'user-1@host-1 (hop 2 of 2, via host-2)', fact: identity('key-1') },
    ]);
  });
});
