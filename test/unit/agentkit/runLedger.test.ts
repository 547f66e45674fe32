import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunState } from '../../../src/agentkit/index.ts';
import { RunLedger, type Outstanding } from '../../../src/agentkit/runLedger.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const highToLow: readonly Outstanding[] = [
  'waitingForApproval',
  'waitingForUser',
  'waitingForHost',
  'callingTools',
  'writing',
  'reasoning',
  'waitingForFirstToken',
];

function ledger(): {
  readonly ledger: RunLedger;
  readonly seen: [RunState, number][];
  readonly clock: FakeClock;
} {
  const seen: [RunState, number][] = [];
  const clock = new FakeClock(1_000);
  return { ledger: new RunLedger(clock, (state, since) => seen.push([state, since])), seen, clock };
}

describe('the run state', () => {
  it('is the outstanding entry of highest precedence, and each change is told once', () => {
    const { ledger: run, seen } = ledger();
    run.begin();
    const held = [...highToLow].reverse().map((what) => run.hold(what));
    for (const entry of held.reverse()) entry.dispose();
    assert.deepEqual(
      seen.map(([state]) => state),
      ['connecting', ...[...highToLow].reverse(), ...highToLow.slice(1), 'connecting'],
    );
  });

  it('does not move for what is below, adds up entries of one kind, and says since when', async () => {
    const { ledger: run, seen, clock } = ledger();
    const first = run.hold('waitingForApproval');
    const second = run.hold('waitingForApproval');
    run.hold('writing').dispose();
    await clock.advance(500);
    first.dispose();
    first.dispose();
    assert.equal(run.state, 'waitingForApproval');
    second.dispose();
    assert.deepEqual(seen, [
      ['waitingForApproval', 1_000],
      ['connecting', 1_500],
    ]);
  });

  it('ends once and for all', () => {
    const { ledger: run, seen } = ledger();
    run.end('completed');
    run.hold('writing');
    assert.deepEqual([run.state, seen.length], ['completed', 1]);
  });
});
