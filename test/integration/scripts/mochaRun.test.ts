import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runMocha } from '../../../scripts/testing/mochaRun.ts';
import type { Selection } from '../../../scripts/testing/mochaRun.ts';

const everything: Selection = { grep: undefined, files: [] };

/** Runs a small suite beside this file and returns what an outsider sees of it. */
async function run(suite: string, { selection = everything, boundMs = 60_000 } = {}) {
  const outcome = await runMocha(
    {
      name: suite,
      node: process.execPath,
      pattern: `test/integration/scripts/suites/${suite}.ts`,
      testTimeoutMs: 5_000,
      boundMs,
      lines: 'each',
      output: 'keep',
    },
    selection,
  );
  const { passed, failures, skipped, noMatch, output } = outcome;
  return { counts: { passed, failed: failures.length, skipped, noMatch }, failures, output };
}

describe('running a suite', () => {
  it('counts what passed', async () => {
    const { counts } = await run('passing');
    assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0, noMatch: false });
  });

  it('runs only what --grep selects', async () => {
    const { counts } = await run('passing', { selection: { grep: 'too', files: [] } });
    assert.deepEqual(counts, { passed: 1, failed: 0, skipped: 0, noMatch: false });
  });

  for (const selection of [
    { grep: 'nowhere', files: [] },
    { grep: undefined, files: ['nowhere'] },
  ])
    it(`says that nothing matched ${JSON.stringify(selection)}`, async () => {
      const { counts } = await run('passing', { selection });
      assert.deepEqual(counts, { passed: 0, failed: 0, skipped: 0, noMatch: true });
    });

  it('prints why a test was skipped, and counts one without a reason as failed', async () => {
    const { counts, output } = await run('skipping');
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 2, noMatch: false });
    assert.match(output, /is skipped with a reason: skipped, no moon tonight/);
    assert.match(output, /is skipped by its hook: skipped, no stars either/);
    assert.match(output, /is skipped without a reason: skipped, without a reason/);
  });

  it('ends a suite that hangs, names the test, and keeps what failed before it', async () => {
    const { counts, failures, output } = await run('hanging', { boundMs: 20_000 });
    assert.deepEqual(counts, { passed: 0, failed: 2, skipped: 0, noMatch: false });
    assert.match(failures[0]?.detail ?? '', /no moon tonight/);
    assert.equal(failures[1]?.title, 'a suite never ends');
    assert.match(output, /while this ran: a suite never ends/);
  });

  it('fails a suite that leaves something open, and says what', async () => {
    const { counts, failures, output } = await run('leaking');
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0, noMatch: false });
    assert.match(output, /left open: .*TCPServerWrap/);
    assert.match(failures[0]?.detail ?? '', /left open: .*TCPServerWrap/);
  });

  it('fails a suite whose process is killed', async () => {
    const { counts } = await run('crashing');
    assert.deepEqual(counts, { passed: 0, failed: 1, skipped: 0, noMatch: false });
  });
});
