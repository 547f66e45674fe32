/** Injected into CommonJS bundles in place of `import.meta.url`, which they do not have. */
import { pathToFileURL } from 'node:url';

export const importMetaUrl = pathToFileURL(__filename).href;
