import fs from 'node:fs/promises';
import path from 'node:path';

/** The files and the directories that a pattern was looked up in; the latter are worth watching. */
export interface IncludedFiles {
  readonly files: readonly string[];
  readonly directories: readonly string[];
}

/** More files than this in one include are not read. */
const mostFiles = 1000;

/**
 * The files of an absolute path with `*`, `?` and `[…]`, in lexical order, as glob(3) gives them: a leading dot is matched by a dot only.
 * Nothing found, or a directory that cannot be read, is an empty list.
 */
export async function includedFiles(pattern: string): Promise<IncludedFiles> {
  const { root } = path.parse(pattern);
  const parts = pattern.slice(root.length).split(/[\\/]/).filter(Boolean);
  const directories = new Set<string>();
  let found: readonly string[] = [root];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (!/[*?[]/.test(part)) {
      if (isLast) for (const directory of found) directories.add(directory);
      found = found.map((directory) => path.join(directory, part));
      continue;
    }
    const matches = segmentPattern(part);
    const next: string[] = [];
    for (const directory of found) {
      directories.add(directory);
      const names = await fs.readdir(directory).catch(() => []);
      next.push(
        ...names
          .filter((name) => matches.test(name) && (part.startsWith('.') || !name.startsWith('.')))
          .sort(byBytes)
          .map((name) => path.join(directory, name)),
      );
    }
    found = next.slice(0, mostFiles);
  }
  return { files: found, directories: [...directories] };
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function segmentPattern(part: string): RegExp {
  const source = part.replace(
    /\*+|\?|\[([!^]?)([^\]]+)\]|[^*?[]+|\[/g,
    (piece, not: string | undefined, set) => {
      if (piece.startsWith('*')) return '.*';
      if (piece === '?') return '.';
      if (typeof set === 'string')
        return `[${not === undefined || not === '' ? '' : '^'}${set.replace(/[\\\]^]/g, '\\$&')}]`;
      return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    },
  );
  try {
    return new RegExp(`^${source}$`, 's');
  } catch {
    return /^\b$/; // a bracket that is no set: nothing is named so
  }
}
