/** Builds and packs the extension: `termind.vsix`, one package for every platform. */
import { statSync } from 'node:fs';
import { budgets } from '../build/budgets.ts';
import { buildPackage } from '../build/package.ts';
import { runCommand } from '../setup/setupFault.mjs';

await runCommand(async () => {
  const file = await buildPackage();
  const size = statSync(file).size;
  console.log(`${file}: ${(size / 1024).toFixed(0)} KiB of ${budgets.vsix / 1024} KiB`);
  return size > budgets.vsix ? 1 : 0;
});
