/**
 * Builds `dist/`: `node esbuild.mjs [--dev] [--report]`, or `npm run build`.
 * --dev leaves names readable and adds source maps; --report prints what each bundle is made of.
 */
import { parseArgs } from 'node:util';
import { build } from './scripts/build/build.ts';
import { runCommand } from './scripts/setup/setupFault.mjs';

await runCommand(async () => {
  const { values } = parseArgs({ options: { dev: { type: 'boolean' }, report: { type: 'boolean' } } });
  const built = await build({ dev: values.dev ?? false });
  console.log(values.report ? built.details : built.summary);
});
