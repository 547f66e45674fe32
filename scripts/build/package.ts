import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { root } from '../checkout.ts';
import { build } from './build.ts';

/** Builds for shipping and packs `termind.vsix` at the top of the checkout. Resolves to its path. Source: vscode.md 15. */
export async function buildPackage(): Promise<string> {
  await build({ dev: false });
  const packagePath = path.join(root, 'termind.vsix');
  await createVSIX({ cwd: root, packagePath, dependencies: false, allowMissingRepository: true });
  return packagePath;
}
