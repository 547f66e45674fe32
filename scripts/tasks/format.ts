/** Formats the files named, or everything. */
import { spawnSync } from 'node:child_process';
import { tools } from '../checkout.ts';
import { runCommand } from '../setup/setupFault.mjs';

await runCommand(async () => {
  const named = process.argv.slice(2);
  const args = [tools.prettier, '--write', '--log-level', 'warn', ...(named.length > 0 ? named : ['.'])];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
});
