import { existsSync } from 'node:fs';
import { copyFile, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { root } from '../checkout.ts';
import { checkPatchedPackages } from '../setup/patchedPackages.mjs';
import { PlainFailure } from '../setup/setupFault.mjs';
import { budgetOf } from './budgets.ts';
import { lazyFeaturesBundle, lazyFeaturesEntry, splitLazyFeatures } from './lazyFeatures.ts';
import { chunkEntry, lazyPackages } from './lazyPackages.ts';
import { packagesIn, writeNotices } from './notices.ts';
import { shakeZod, splitLazyImports, withoutNativeParts, withoutPackages } from './plugins.ts';

const dist = path.join(root, 'dist');

/** What each bundle is made of, kept for tests and for `--report`. Paths are relative to the checkout. */
export const metafilePath = path.join(root, '.cache/build/meta.json');

export interface Built {
  /** A table of files, sizes and budgets. */
  readonly summary: string;
  /** What each bundle is made of. */
  readonly details: string;
}

/**
 * Empties and fills `dist/`: host bundles, chunks of lazy packages, webviews, fonts and the notices of everything
 * bundled. Rejects with a PlainFailure when an entry is missing or, after the bundler printed why, when code cannot be
 * bundled.
 * Source: vscode.md 3 and 15.
 */
export async function build(options: { readonly dev: boolean }): Promise<Built> {
  try {
    return await bundle(options);
  } catch (error) {
    if (error instanceof Error && 'errors' in error) throw new PlainFailure('The build failed.');
    throw error;
  }
}

async function bundle({ dev }: { readonly dev: boolean }): Promise<Built> {
  await checkPatchedPackages(root);
  const host = await entries(['src/extension.ts', 'src/runtime.ts'], 'src/**/*.worker.ts');
  const webviews = await entries([], 'src/webview/*/main.ts');
  await rm(dist, { recursive: true, force: true });

  const used = new Set<string>();
  const metafiles = [
    await buildHost({ dev, entryPoints: host, used }),
    await buildLazyFeatures({ dev, used }),
  ];
  for (const name of used) metafiles.push(await buildChunk(name, dev));
  metafiles.push(...(await buildWebviews(webviews, dev)));
  await copyCodicons();
  await copyFile(path.join(root, 'node_modules/ssh2/util/pagent.exe'), path.join(dist, 'pagent.exe'));

  const meta: esbuild.Metafile = {
    inputs: Object.assign({}, ...metafiles.map((one) => one.inputs)) as esbuild.Metafile['inputs'],
    outputs: Object.assign({}, ...metafiles.map((one) => one.outputs)) as esbuild.Metafile['outputs'],
  };
  await mkdir(path.dirname(metafilePath), { recursive: true });
  await writeFile(metafilePath, JSON.stringify(meta));
  await writeNotices(path.join(dist, 'THIRD_PARTY_NOTICES.txt'), [
    ...packagesIn(meta),
    'node_modules/@vscode/codicons',
  ]);
  return { summary: await table(), details: await esbuild.analyzeMetafile(meta) };
}

async function entries(required: readonly string[], pattern: string): Promise<string[]> {
  const absent = required.filter((file) => !existsSync(path.join(root, file)));
  if (absent.length > 0) throw new PlainFailure(`Nothing to build from: ${absent.join(', ')} is not there.`);
  const found: string[] = [];
  for await (const file of glob(pattern, { cwd: root })) found.push(file);
  return [...required, ...found.sort()];
}

function common(dev: boolean): esbuild.BuildOptions & { metafile: true } {
  return {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    minify: !dev,
    sourcemap: dev ? 'linked' : false,
    legalComments: 'none',
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'error' },
  };
}

/**
 * Host code is CommonJS without a `navigator`: reading the real one throws or logs in the extension host, and packages
 * sniff it. `import()` turns into a deferred `require`. Source: vscode.md 16.
 */
function hostOptions(dev: boolean): esbuild.BuildOptions & { metafile: true } {
  return {
    ...common(dev),
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    supported: { 'dynamic-import': false },
    external: ['vscode'],
    define: {
      navigator: 'undefined',
      'globalThis.navigator': 'undefined',
      'import.meta.url': 'importMetaUrl',
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    inject: [path.join(root, 'scripts/build/importMeta.ts')],
  };
}

/** What packages that read pages ask for and nothing of ours calls: a canvas to draw on, and a second parser of HTML. */
const unusedParsers = ['canvas', '@mixmark-io/domino'];

interface HostBuild {
  readonly dev: boolean;
  readonly entryPoints: readonly string[];
  readonly used: Set<string>;
}

async function buildHost({ dev, entryPoints, used }: HostBuild): Promise<esbuild.Metafile> {
  const result = await esbuild.build({
    ...hostOptions(dev),
    entryPoints: entryPoints.map((file) => ({ in: file, out: path.basename(file, '.ts') })),
    outdir: 'dist',
    plugins: [
      splitLazyImports(root, used),
      splitLazyFeatures(root),
      shakeZod(root),
      withoutNativeParts,
      withoutPackages(unusedParsers),
    ],
  });
  return result.metafile;
}

async function buildLazyFeatures({ dev, used }: Omit<HostBuild, 'entryPoints'>): Promise<esbuild.Metafile> {
  const result = await esbuild.build({
    ...hostOptions(dev),
    stdin: { contents: lazyFeaturesEntry(), resolveDir: root, sourcefile: lazyFeaturesBundle },
    outfile: `dist/${lazyFeaturesBundle}`,
    plugins: [splitLazyImports(root, used), shakeZod(root), withoutNativeParts],
  });
  return result.metafile;
}

async function buildChunk(name: string, dev: boolean): Promise<esbuild.Metafile> {
  const lazy = lazyPackages[name];
  if (lazy === undefined) throw new Error(`${name} is not in the table of lazy packages`);
  const result = await esbuild.build({
    ...hostOptions(dev),
    stdin: { contents: chunkEntry(name, lazy), resolveDir: root, sourcefile: `${lazy.chunk}.js` },
    outfile: `dist/${lazy.chunk}.js`,
    plugins: [withoutNativeParts, withoutPackages(lazy.leftOut ?? [])],
  });
  return result.metafile;
}

/** One script and one style sheet a surface. A style sheet is imported by the script or lies beside it as `main.css`. */
async function buildWebviews(scripts: readonly string[], dev: boolean): Promise<esbuild.Metafile[]> {
  const made: esbuild.Metafile[] = [];
  for (const script of scripts) {
    const surface = path.basename(path.dirname(script));
    const options: esbuild.BuildOptions & { metafile: true } = {
      ...common(dev),
      platform: 'browser',
      format: 'esm',
      target: 'es2023',
      outdir: `dist/webview/${surface}`,
      loader: { '.ttf': 'file', '.woff2': 'file' },
      assetNames: '[name]',
    };
    const { metafile } = await esbuild.build({ ...options, entryPoints: [{ in: script, out: 'main' }] });
    made.push(metafile);
    const style = script.replace(/\.ts$/, '.css');
    const styled = Object.keys(metafile.outputs).some((file) => file.endsWith('/main.css'));
    if (styled || !existsSync(path.join(root, style))) continue;
    made.push((await esbuild.build({ ...options, entryPoints: [{ in: style, out: 'main' }] })).metafile);
  }
  return made;
}

async function copyCodicons(): Promise<void> {
  const target = path.join(dist, 'webview');
  await mkdir(target, { recursive: true });
  for (const name of ['codicon.css', 'codicon.ttf']) {
    await copyFile(path.join(root, 'node_modules/@vscode/codicons/dist', name), path.join(target, name));
  }
}

async function table(): Promise<string> {
  const rows: string[] = [];
  for await (const file of glob('**/*.*', { cwd: dist })) {
    const bytes = await readFile(path.join(dist, file));
    const budget = budgetOf(file);
    const size = kibibytes(bytes.length);
    const note =
      budget === undefined ? '' : `  of ${kibibytes(budget)}${bytes.length > budget ? '  OVER BUDGET' : ''}`;
    rows.push(
      `${`dist/${file}`.padEnd(40)} ${size.padStart(9)}  ${kibibytes(gzipSync(bytes).length).padStart(9)} gz${note}`,
    );
  }
  return rows.sort().join('\n');
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
