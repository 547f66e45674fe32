import { buildPackage } from '../../build/package.ts';
import { ensureEditor } from '../../setup/editor.ts';
import { ensureSystem } from '../../setup/systemPackages.ts';
import { runMocha } from '../mochaRun.ts';
import type { Selection } from '../mochaRun.ts';
import type { Outcome } from '../outcome.ts';

/** The packaged extension in real editors, driven through a browser. Pictures go to `test/e2e/screenshots/`. */
export async function e2eSuite(selection: Selection): Promise<Outcome> {
  await ensureSystem(['ssh', 'browser']);
  await Promise.all([ensureEditor('newest'), ensureEditor('oldest')]);
  const vsix = await buildPackage();
  return runMocha(
    {
      name: 'e2e',
      node: process.execPath,
      pattern: 'test/e2e/**/*.e2e.ts',
      testTimeoutMs: 120_000,
      boundMs: 20 * 60_000,
      lines: 'each',
      output: 'show',
      env: { TERMIND_VSIX: vsix },
    },
    selection,
  );
}
