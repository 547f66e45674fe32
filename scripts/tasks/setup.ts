/** Installs both editor lines and what they need, ahead of the suites that would do it on their own. */
import { ensureEditor } from '../setup/editor.ts';
import { runCommand } from '../setup/setupFault.mjs';
import { ensureSystem } from '../setup/systemPackages.ts';

await runCommand(async () => {
  await ensureSystem(['ssh', 'browser', 'compiler']);
  await Promise.all([ensureEditor('newest'), ensureEditor('oldest')]);
  console.log('Both editor lines are ready.');
});
