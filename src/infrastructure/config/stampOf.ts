import fs from 'node:fs/promises';
import type { ConfigTree, RootFile } from './configTree.ts';

/** Changes whenever a file of the configuration or the content of a directory with includes does. */
export async function stampOf(tree: ConfigTree, roots: readonly RootFile[]): Promise<string> {
  const marks = await Promise.all(
    [...tree.files, ...tree.directories].map(async (at) => {
      const stat = await fs.stat(at, { bigint: true }).catch(() => undefined);
      if (stat === undefined) return `${at} -`;
      return `${at} ${String(stat.mtimeNs)} ${String(stat.isDirectory() ? 0 : stat.size)} ${String(stat.ino)}`;
    }),
  );
  return JSON.stringify([roots.map((root) => root.path), marks]);
}
