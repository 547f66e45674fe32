/** `npm run lab [-- --slow <ms>]`: one sshd as host `lab` and the scripted model, until Ctrl-C. */
import { parseArgs } from 'node:util';
import { runCommand } from '../../scripts/setup/setupFault.mjs';
import { ensureSystem } from '../../scripts/setup/systemPackages.ts';
import { stopOnSignal } from './cleanUp.ts';
import { labSettings, startLab, type Lab } from './lab.ts';

function describe(lab: Lab): string {
  const { sshd, model, configFile, appFolder } = lab;
  return `The lab runs. Ctrl-C ends it and removes everything.

Host    ssh -F ${configFile} lab
        127.0.0.1:${sshd.port}, user ${sshd.account.name}, host key ${sshd.hostKeys[0]?.fingerprint ?? ''}
        The application that fills the disk: ${appFolder}
Model   ${model.baseUrl} (Chat Completions, model lab-1, no key)
        Ask it: Why is the disk of lab filling up?

Settings for an editor:
${JSON.stringify(labSettings(lab), undefined, 2)}`;
}

await runCommand(async () => {
  const { values } = parseArgs({ options: { slow: { type: 'string', default: '0' } } });
  await ensureSystem(['ssh']);
  const lab = await startLab({ pauseMs: Number(values.slow) });
  stopOnSignal(() => lab.stop());
  console.log(describe(lab));
});
