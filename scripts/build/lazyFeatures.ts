import path from 'node:path';
import type { Plugin } from 'esbuild';

/** The bundle below `dist/` that the modules load from, all of them at the first use of one. */
export const lazyFeaturesBundle = 'pages.js';

/**
 * What draws the read-only pages, the dialogs that belong to them, and dialogs that are seldom needed. The features that offer them reach these modules by `import()`, and
 * keep no state in them: the entry, which has a budget, does not carry them. Source: vscode.md 3 and 15; decisions 22.
 */
const lazyFeatures: readonly string[] = [
  'src/features/assistant/editor/providerCommands.ts',
  'src/features/doctor/diagnoseHost.ts',
  'src/features/doctor/showDoctor.ts',
  'src/features/effectiveConfig/reviewPrograms.ts',
  'src/features/effectiveConfig/showConfig.ts',
  'src/features/files/filesFeature.ts',
  'src/features/fleetTrust/showFleetTrust.ts',
  'src/features/fleetTrust/trustAuthority.ts',
  'src/features/hosts/legacyCommand.ts',
  'src/features/hosts/readOnlyCommand.ts',
  'src/features/hosts/replaceKeyCommand.ts',
  'src/features/hosts/routeCommand.ts',
  'src/features/hosts/signInCommand.ts',
  'src/features/operationsLog/exportOperations.ts',
  'src/features/operationsLog/showOperations.ts',
  'src/features/operationsLog/verifyOperations.ts',
  'src/features/transfers/transfersFeature.ts',
  'src/features/sync/compareFolders.ts',
];

/** The source of the bundle: each module under its path. */
export function lazyFeaturesEntry(): string {
  return lazyFeatures
    .map((file) => `exports[${JSON.stringify(file)}] = require(${JSON.stringify(`./${file}`)});`)
    .join('\n');
}

/** A dynamic import of one of the modules becomes a deferred `require` of the bundle; any other import of one is an error. */
export function splitLazyFeatures(root: string): Plugin {
  const namespace = 'lazy-feature';
  return {
    name: 'split-lazy-features',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, (args) => {
        const file = path.relative(root, path.resolve(args.resolveDir, args.path)).replaceAll('\\', '/');
        if (!lazyFeatures.includes(file) || args.kind === 'entry-point') return undefined;
        if (args.kind === 'dynamic-import') return { path: file, namespace };
        return { errors: [{ text: `${file} is loaded at first use: import() it` }] };
      });
      build.onResolve({ filter: /.*/, namespace }, () => ({
        path: `./${lazyFeaturesBundle}`,
        external: true,
      }));
      build.onLoad({ filter: /.*/, namespace }, (args) => ({
        contents: `module.exports = require('./${lazyFeaturesBundle}')[${JSON.stringify(args.path)}];`,
        loader: 'js',
      }));
    },
  };
}
