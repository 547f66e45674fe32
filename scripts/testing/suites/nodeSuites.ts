import { debianRootObstacle, ensureDebianRoot } from '../../setup/debianRoot.ts';
import { ensureSystem } from '../../setup/systemPackages.ts';
import { ensureNode, nodeBinary } from '../../setup/toolchain.mjs';
import { runMocha } from '../mochaRun.ts';
import type { Selection } from '../mochaRun.ts';
import { sum } from '../outcome.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Unit tests on both Nodes that an extension host may have (vscode.md 16), at the same time. The older one is quiet
 * unless it fails.
 */
export async function unitSuite(selection: Selection): Promise<Outcome> {
  const older = nodeBinary(await ensureNode(22));
  const unit = {
    pattern: 'test/unit/**/*.test.ts',
    testTimeoutMs: 60_000,
    boundMs: 10 * 60_000,
    lines: 'group',
  } as const;
  const startedAt = performance.now();
  const [on24, on22] = await Promise.all([
    runMocha({ ...unit, name: 'unit on Node 24', node: process.execPath, output: 'show' }, selection),
    runMocha({ ...unit, name: 'unit on Node 22', node: older, output: 'keep' }, selection),
  ]);
  if (on22.failures.length > 0) console.log(`\nOn Node 22:\n${on22.output}`);
  else console.log(`The same on Node 22: ${on22.passed} passed`);
  return { ...sum('unit', [on24, on22]), seconds: (performance.now() - startedAt) / 1000 };
}

/** Real files, processes, databases and sshd on loopback. */
export async function integrationSuite(selection: Selection): Promise<Outcome> {
  await ensureSystem(['ssh']);
  // Tests that need these servers would otherwise wait for them within their own time.
  if (debianRootObstacle() === undefined) await ensureDebianRoot();
  return runMocha(
    {
      name: 'integration',
      node: process.execPath,
      pattern: 'test/integration/**/*.test.ts',
      testTimeoutMs: 120_000,
      boundMs: 25 * 60_000,
      lines: 'each',
      output: 'show',
    },
    selection,
  );
}
