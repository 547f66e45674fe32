import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ShownFiles } from '../../../../../src/application/files/documents/shownFiles.ts';
import { FakeClock } from '../../../../support/fakeClock.ts';

describe('looking at the files that a person sees', () => {
  function bench(options: { readonly random?: number } = {}): {
    readonly clock: FakeClock;
    readonly shown: ShownFiles;
    readonly looks: (readonly [key: string, afterMs: number])[];
    readonly changed: Set<string>;
  } {
    const clock = new FakeClock();
    const began = clock.now();
    const looks: (readonly [string, number])[] = [];
    const changed = new Set<string>();
    const shown = new ShownFiles({
      clock,
      random: () => options.random ?? 0.5,
      look: async (key) => {
        looks.push([key, clock.now() - began]);
        return changed.delete(key);
      },
    });
    return { clock, shown, looks, changed };
  }

  it('begins after 3 s and gets rarer up to once a minute while nothing changes', async () => {
    const { clock, shown, looks } = bench();
    shown.show(new Set(['a']));
    await clock.advance(300_000);
    const times = looks.map(([, at]) => at);
    assert.deepEqual(times.slice(0, 3), [3_000, 7_500, 14_250]);
    assert.equal((times.at(-1) ?? 0) - (times.at(-2) ?? 0), 60_000);
  });

  it('is frequent again after a change', async () => {
    const { clock, shown, looks, changed } = bench();
    shown.show(new Set(['a']));
    await clock.advance(7_400);
    changed.add('a');
    await clock.advance(3_200);
    assert.deepEqual(looks, [
      ['a', 3_000],
      ['a', 7_500],
      ['a', 10_500],
    ]);
  });

  it('does not look at all at the same moment', async () => {
    const { clock, shown, looks } = bench({ random: 0 });
    shown.show(new Set(['a']));
    await clock.advance(2_400);
    assert.deepEqual(looks, [['a', 2_400]]);
  });

  it('ends for what is no longer seen, and leaves no timer behind', async () => {
    const { clock, shown, looks } = bench();
    shown.show(new Set(['a', 'b']));
    shown.show(new Set(['b']));
    await clock.advance(3_000);
    assert.deepEqual(looks, [['b', 3_000]]);
    shown.dispose();
    assert.equal(clock.pending, 0);
  });
});
