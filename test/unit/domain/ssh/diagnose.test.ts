import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { FaultCode } from '../../../../src/domain/fault.ts';
import { connectionFault } from '../../../../src/domain/ssh/connectionFault.ts';
import { diagnose } from '../../../../src/domain/ssh/diagnose.ts';
import { ConnectTrace, type TraceFact } from '../../../../src/domain/ssh/trace.ts';

const hop = 'op@db1';
const place = { stage: 'auth', hop } as const;
const lists = { kex: ['a'], hostKey: ['b'], cipher: ['c'], mac: ['d'], compression: ['none'] };
const agreed = { kex: 'a', hostKey: 'b', cipher: 'c', mac: 'd', compression: 'none' };
const key: TraceFact = {
  k: 'hostKey',
  keyType: 'ssh-ed25519',
  fingerprint: 'SHA256:x',
  decision: 'changed; known: y',
  at: '/home/op/.ssh/known_hosts:3',
};
const identity = (label: string, result: string): TraceFact => ({
  k: 'identity',
  method: 'publickey',
  label,
  fingerprint: undefined,
  source: undefined,
  result,
});
const address = (result: 'connected' | 'failed'): TraceFact => ({
  k: 'address',
  address: '192.0.2.1',
  port: 22,
  result,
  reason: undefined,
});
const ended = (code: FaultCode): TraceFact => ({ k: 'ended', code, reason: '' });
const carrier: TraceFact = { k: 'carrier', kind: 'direct', via: undefined };
const theirName: TraceFact = { k: 'identification', side: 'theirs', text: 'SSH-2.0-x' };

/** A trace of facts, each at its millisecond. */
function traceOf(steps: readonly (readonly [atMs: number, fact: TraceFact])[], name = hop): ConnectTrace {
  let now = 0;
  const trace = new ConnectTrace(() => now);
  for (const [atMs, fact] of steps) {
    now = atMs;
    trace.add(name, fact);
  }
  return trace;
}

describe('the diagnosis of an attempt', () => {
  const whole = traceOf([
    [5, carrier],
    [15, address('connected')],
    [20, theirName],
    [21, { k: 'offered', side: 'theirs', lists }],
    [30, { k: 'asked', what: 'hostKey' }],
    [9_030, { k: 'asked', what: undefined }],
    [9_040, { k: 'agreed', algorithms: agreed }],
    [12_040, { k: 'signedIn', by: 'password' }],
    [12_100, { k: 'asked', what: 'confirm' }],
  ]);

  it('of one that succeeded has a time for each part, without the time in which a person was asked', () => {
    const { outcome, fix, lookAt, hops, slowest } = diagnose([whole], undefined);
    assert.deepEqual([outcome, fix, lookAt], ['connected', undefined, undefined]);
    assert.deepEqual(hops[0]?.stages, [
      { stage: 'reach', ms: 10, isDone: true },
      { stage: 'identify', ms: 5, isDone: true },
      { stage: 'exchange', ms: 20, isDone: true },
      { stage: 'signIn', ms: 3_000, isDone: true },
    ]);
    assert.equal(hops[0].askedMs, 9_000);
    assert.deepEqual(slowest, { stage: 'signIn', ms: 3_000, isDone: true, hop });
  });

  it('of one that failed has the time of the part in which it ended, open questions left out', () => {
    const trace = traceOf([
      [0, carrier],
      [10, address('connected')],
      [20, theirName],
      [100, { k: 'asked', what: 'hostKey' }],
      [600, ended('key-unknown')],
    ]);
    const { hops } = diagnose([trace], connectionFault('key-unknown', place));
    assert.deepEqual(hops[0]?.stages.at(-1), { stage: 'exchange', ms: 80, isDone: false });
  });

  it('a program has no address to reach', () => {
    const trace = traceOf([
      [0, { k: 'carrier', kind: 'program', via: 'nc db1 22' }],
      [50, theirName],
      [60, ended('auth-failed')],
    ]);
    const { hops } = diagnose([trace], connectionFault('auth-failed', place));
    assert.deepEqual(
      hops[0]?.stages.map(({ stage, ms }) => [stage, ms]),
      [
        ['identify', 50],
        ['exchange', 10],
      ],
    );
  });

  for (const [code, facts, shown] of [
    ['refused', [address('failed')], 0],
    ['key-changed', [address('connected'), key], 1],
    [
      'no-common-algorithm',
      [
        { k: 'offered', side: 'ours', lists },
        { k: 'offered', side: 'theirs', lists },
      ],
      1,
    ],
    ['auth-failed', [identity('one', 'refused'), identity('two', 'refused')], 1],
    ['auth-failed', [{ k: 'methods', offered: ['hostbased'], isPartial: false }], 0],
    [
      'agent-missing',
      [{ k: 'agent', endpoint: '/run/agent', result: 'ENOENT' }, identity('x', 'not tried')],
      0,
    ],
    ['proxy-failed', [{ k: 'output', text: 'nc: no such host' }, carrier], 0],
    ['auth-cancelled', [identity('one', 'cancelled')], 1],
  ] as const)
    it(`${code}: the ${String(shown)}. of ${String(facts.length)} facts and the end shows the cause`, () => {
      const trace = traceOf([...facts, ended(code)].map((fact, index) => [index, fact]));
      const { outcome, lookAt } = diagnose([trace], connectionFault(code, place));
      assert.deepEqual([outcome, lookAt], ['failed', trace.events[shown]]);
    });

  it('a jump host that fails shows the cause there, and the target was not reached', () => {
    const gate = traceOf(
      [
        [1, identity('key', 'refused')],
        [2, ended('auth-failed')],
      ],
      'op@gate (hop 1 of 2)',
    );
    const fault = connectionFault('auth-failed', { stage: 'auth', hop: 'op@gate (hop 1 of 2)' });
    const { lookAt, hops } = diagnose([gate, traceOf([])], fault);
    assert.equal(lookAt, gate.events[0]);
    assert.deepEqual(
      hops.map(({ hop: name }) => name),
      ['op@gate (hop 1 of 2)', undefined],
    );
  });

  it('the trace of an earlier attempt is left out when the fault came before any server', () => {
    const fault = connectionFault(
      'config-error',
      { stage: 'resolve', hop },
      { at: '/etc/ssh/ssh_config:4', reason: 'x' },
    );
    const { outcome, hops, fix } = diagnose([whole], fault);
    assert.deepEqual([outcome, hops, fix], ['failed', [], { k: 'openLine', at: '/etc/ssh/ssh_config:4' }]);
    const other = traceOf([[1, ended('auth-failed')]]);
    assert.deepEqual(diagnose([other], connectionFault('refused', place)).hops, []);
  });

  it('the trace of a connection that was made and lost is kept beside the fault', () => {
    const { outcome, hops } = diagnose([whole], connectionFault('link-lost', { stage: 'link', hop }));
    assert.deepEqual([outcome, hops.length], ['failed', 1]);
  });

  it('tells an attempt that goes on from none', () => {
    assert.equal(diagnose([traceOf([[0, carrier]])], undefined).outcome, 'open');
    assert.equal(diagnose([], undefined).outcome, 'nothing');
    assert.equal(diagnose([traceOf([[0, ended('cancelled')]])], undefined).outcome, 'failed');
  });
});
