/** Installs both editor lines, the servers of tests and what they need, ahead of the suites that would do it on their own. */
import { debianRootObstacle, ensureDebianRoot } from '../setup/debianRoot.ts';
import { ensureEditor } from '../setup/editor.ts';
import { runCommand } from '../setup/setupFault.mjs';
import { ensureSystem } from '../setup/systemPackages.ts';

await runCommand(async () => {
  await ensureSystem(['ssh', 'browser', 'compiler']);
  await Promise.all([
    ensureEditor('newest'),
    ensureEditor('oldest'),
    debianRootObstacle() === undefined ? ensureDebianRoot() : undefined,
  ]);
  console.log('Both editor lines and the servers of tests are ready.');
});
