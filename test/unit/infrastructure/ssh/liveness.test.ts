import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Liveness } from '../../../../src/application/ports/transport.ts';
import { LivenessWatch } from '../../../../src/infrastructure/ssh/liveness.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

function watch(options: { intervalMs?: number; answers?: (probe: number) => number | undefined } = {}): {
  clock: FakeClock;
  liveness: LivenessWatch;
  events: string[];
} {
  const clock = new FakeClock();
  const startedAt = clock.monotonic();
  const events: string[] = [];
  const note = (what: string): void =>
    void events.push(`${what} ${((clock.monotonic() - startedAt) / 1000).toString()}`);
  let probes = 0;
  const liveness = new LivenessWatch({
    clock,
    intervalMs: options.intervalMs ?? 10_000,
    maxSilentProbes: 3,
    probe: (onReply) => {
      note('probe');
      const afterMs = options.answers?.(++probes);
      if (afterMs === undefined) return;
      clock.after(afterMs, () => {
        liveness.noteInbound();
        onReply();
      });
    },
    onDead: () => note('dead'),
  });
  liveness.onChange((state: Liveness) =>
    note(state.k === 'alive' ? `alive ${String(state.rttMs)}` : 'suspect'),
  );
  return { clock, liveness, events };
}

describe('TRAP-7: keepalive', () => {
  it('a silent link is suspect within 15 s and dead within 45 s', async () => {
    const { clock, events } = watch();
    await clock.advance(120_000);
    assert.deepEqual(events, ['probe 10', 'suspect 15', 'probe 20', 'probe 30', 'dead 40']);
    assert.equal(clock.pending, 0);
  });

  it('measures the round trip with every reply', async () => {
    const { clock, events } = watch({ answers: () => 80 });
    await clock.advance(25_000);
    assert.deepEqual(events, ['probe 10', 'alive 80 10.08', 'probe 20', 'alive 80 20.08']);
  });

  it('any inbound byte clears the suspicion and the count', async () => {
    const { clock, liveness, events } = watch();
    await clock.advance(36_000);
    liveness.noteInbound();
    await clock.advance(33_000);
    assert.deepEqual(events, [
      ...['probe 10', 'suspect 15', 'probe 20', 'probe 30', 'alive undefined 36'],
      ...['probe 40', 'suspect 45', 'probe 50', 'probe 60'],
    ]);
  });

  it('a slow reply makes suspect first and alive with its real time then', async () => {
    const { clock, events } = watch({ answers: (probe) => (probe === 1 ? 7_000 : undefined) });
    await clock.advance(18_000);
    assert.deepEqual(events, ['probe 10', 'suspect 15', 'alive undefined 17', 'alive 7000 17']);
  });

  it('an interval of zero sends nothing', async () => {
    const { clock, events } = watch({ intervalMs: 0 });
    await clock.advance(600_000);
    assert.deepEqual(events, []);
  });

  it('a disposed watch leaves nothing behind', async () => {
    const { clock, liveness, events } = watch();
    await clock.advance(12_000);
    liveness.dispose();
    await clock.advance(60_000);
    assert.deepEqual([events, clock.pending], [['probe 10'], 0]);
  });

  it('a check is one probe at once, and the link is dead when nothing comes within the time', async () => {
    const { clock, liveness, events } = watch();
    liveness.check(5_000);
    liveness.check(5_000);
    await clock.advance(60_000);
    assert.deepEqual(events, ['probe 0', 'probe 0', 'suspect 5', 'dead 5']);
    assert.equal(clock.pending, 0);
    liveness.check(5_000);
    assert.equal(clock.pending, 0, 'a link that is over is not checked');
  });

  it('a check that is answered, by whatever byte, leaves everything as it was', async () => {
    const { clock, liveness, events } = watch({ answers: () => 200 });
    liveness.check(5_000);
    await clock.advance(9_000);
    assert.deepEqual(events, ['probe 0', 'alive 200 0.2']);
    liveness.dispose();
    assert.equal(clock.pending, 0);
  });

  it('works with the keepalive switched off', async () => {
    const { clock, liveness, events } = watch({ intervalMs: 0 });
    liveness.check(5_000);
    await clock.advance(60_000);
    assert.deepEqual(events, ['probe 0', 'dead 5']);
  });
});
