import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../checkout.ts';

const folder = path.join(root, '.cache/host-tests');

/**
 * Bundles the tests that run inside the extension host, one CommonJS file each, into the cache folder of the checkout,
 * from where `mocha` resolves. Resolves to the entry that the editor is given.
 */
export async function bundleHostTests(files: readonly string[]): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const tests = globSync('test/host/**/*.test.ts', { cwd: root }).filter(
    (file) => files.length === 0 || files.some((part) => file.includes(part)),
  );
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['test/host/index.ts', ...tests],
    outbase: 'test/host',
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha', 'ssh2'],
    logLevel: 'warning',
  });
  return path.join(folder, 'index.js');
}
