import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { lazyPackages } from './lazyPackages.ts';

/**
 * Splits host bundles by hand, since esbuild splits ESM output only: a dynamic import of `runtime.ts` or of a lazy
 * package becomes a deferred `require` of its own file beside the bundle. `used` collects the lazy packages met.
 * Source: decisions.md 22.
 */
export function splitLazyImports(root: string, used: Set<string>): Plugin {
  const runtime = path.join(root, 'src/runtime.ts');
  return {
    name: 'split-lazy-imports',
    setup(build) {
      build.onResolve({ filter: /\/runtime\.[jt]s$/ }, (args) => {
        const isRuntime = path.resolve(args.resolveDir, args.path).replace(/\.js$/, '.ts') === runtime;
        if (!isRuntime || args.kind === 'entry-point') return undefined;
        if (args.kind !== 'dynamic-import') {
          return { errors: [{ text: 'runtime.ts is loaded at first use: import() it' }] };
        }
        return { path: './runtime.js', external: true };
      });
      const names = Object.keys(lazyPackages).map((name) => name.replaceAll('/', '\\/'));
      build.onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, (args) => {
        const lazy = lazyPackages[args.path];
        if (lazy === undefined || args.kind === 'entry-point') return undefined;
        if (args.kind === 'dynamic-import') {
          used.add(args.path);
          return { path: `./${lazy.chunk}.js`, external: true };
        }
        if (!lazy.lazyOnly) return undefined;
        return { errors: [{ text: `${args.path} is loaded at first use: import() it` }] };
      });
    },
  };
}

/**
 * ssh2 asks for two native parts and goes on without them when that throws. They are tied to one ABI, so none is
 * shipped: the question is answered with a throw. Source: dependencies.md 1.
 */
export const withoutNativeParts: Plugin = {
  name: 'without-native-parts',
  setup(build) {
    build.onResolve({ filter: /^cpu-features$|\/sshcrypto\.node$/ }, (args) => ({
      path: args.path,
      namespace: 'native-part',
    }));
    build.onLoad({ filter: /.*/, namespace: 'native-part' }, (args) => ({
      contents: `throw new Error(${JSON.stringify(`${path.basename(args.path)} is not shipped`)});`,
      loader: 'js',
    }));
  },
};

/**
 * Takes only the used parts of zod along. The bundler keeps a namespace that is imported as a member whole, with every
 * locale, 450 KiB; `import * as z` means the same to the code and is shaken.
 */
export function shakeZod(root: string): Plugin {
  const source = path.join(root, 'src') + path.sep;
  return {
    name: 'shake-zod',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async (args) => {
        if (!args.path.startsWith(source)) return undefined;
        const text = await readFile(args.path, 'utf8');
        const contents = text.replace(/^import \{ z \} from 'zod';$/m, "import * as z from 'zod';");
        return contents === text ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}

/** An empty module in place of each of these packages. */
export function withoutPackages(names: readonly string[]): Plugin {
  return {
    name: 'without-packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, (args) =>
        names.includes(args.path) ? { path: args.path, namespace: 'left-out' } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
        contents: 'module.exports = {};',
        loader: 'js',
      }));
    },
  };
}
