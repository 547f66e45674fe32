import path from 'node:path';

/** The folder of the checkout. */
export const root = path.resolve(import.meta.dirname, '..');

/** Scripts of packages that tasks start with the running Node. */
export const tools = {
  prettier: packageFile('prettier/bin/prettier.cjs'),
  eslint: packageFile('eslint/bin/eslint.js'),
  tsc: packageFile('typescript/bin/tsc'),
  depcruise: packageFile('dependency-cruiser/bin/dependency-cruiser.mjs'),
  vsce: packageFile('@vscode/vsce/vsce'),
} as const;

function packageFile(name: string): string {
  return path.join(root, 'node_modules', name);
}
