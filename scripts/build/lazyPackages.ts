/**
 * Packages that host bundles never contain: each is a chunk of its own that loads at the first `await import()` of it.
 *
 * Bundles are CommonJS, so what such an import yields depends on the package. `esm`: take named exports only, since
 * `default` would be the whole module. `cjs`: named exports and `default` are what Node gives for it.
 */
export interface LazyPackage {
  readonly chunk: string;
  readonly form: 'esm' | 'cjs';
  /** A static import of it is a build error instead of a copy in the bundle. */
  readonly lazyOnly: boolean;
  /** Packages of its own that it asks for when it is loaded and that nothing of ours ever calls: an empty module stands for each. */
  readonly leftOut?: readonly string[];
}

export const lazyPackages: Readonly<Record<string, LazyPackage>> = {
  '@anthropic-ai/sdk': {
    chunk: 'vendor-anthropic',
    form: 'esm',
    lazyOnly: true,
    // For webhooks; it comes without the text of its licence.
    leftOut: ['standardwebhooks'],
  },
  '@google/genai/web': { chunk: 'vendor-gemini', form: 'esm', lazyOnly: true },
  openai: { chunk: 'vendor-openai', form: 'esm', lazyOnly: true },
  ssh2: { chunk: 'vendor-ssh2', form: 'cjs', lazyOnly: false },
};

/** Source text of the entry that becomes the chunk of a package. */
export function chunkEntry(name: string, lazy: LazyPackage): string {
  return lazy.form === 'esm' ? `export * from '${name}';` : `module.exports = require('${name}');`;
}
