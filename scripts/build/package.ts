import path from 'node:path';
import { root, tools } from '../checkout.ts';
import { runBounded } from '../testing/boundedProcess.ts';
import { build } from './build.ts';

const boundMs = 60_000;

/** Builds for shipping and packs `termind.vsix` at the top of the checkout. Resolves to its path. Source: vscode.md 15. */
export async function buildPackage(): Promise<string> {
  await build({ dev: false });
  const file = path.join(root, 'termind.vsix');
  await pack(root, file);
  return file;
}

/**
 * Packs the extension in `folder` as it is into a VSIX. What is bundled lies in `dist`, so no packages go along.
 * Rejects with what the packer said.
 */
export async function pack(folder: string, file: string): Promise<void> {
  const options = [
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    '--no-rewrite-relative-links',
  ];
  const ended = await runBounded({
    command: process.execPath,
    args: [tools.vsce, 'package', '--out', file, ...options],
    cwd: folder,
    boundMs,
    output: 'keep',
  });
  if (ended.status !== 0) throw new Error(`vsce could not pack ${folder}:\n${ended.output}`);
}
