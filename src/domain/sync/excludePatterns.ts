import type { SyncPath } from './syncEntry.ts';

/** Whether a pattern leaves an entry, and with a directory everything in it, out. */
export type Excludes = (path: SyncPath, entry: { readonly isDirectory: boolean }) => boolean;

interface Pattern {
  /** By name; `**` stands for any number of them. */
  readonly parts: readonly string[];
  /** Counts from the compared folder; otherwise the last name decides, wherever it is. */
  readonly isAnchored: boolean;
  readonly isForDirectories: boolean;
}

/**
 * Patterns as `.gitignore` has them, without exceptions (`!`) and without `[…]`, which stands for itself. Blank ones and comments (`#`)
 * count for nothing. `*` is any part of a name, `?` one character, `**` any number of names; with a slash at the end only directories
 * match; with one elsewhere the pattern counts from the compared folder. Upper and lower case differ. Source: gitignore(5).
 */
export function excludePatterns(patterns: readonly string[]): Excludes {
  const parsed = patterns.flatMap(parsePattern);
  return (path, { isDirectory }) =>
    parsed.some(
      ({ parts, isAnchored, isForDirectories }) =>
        (isDirectory || !isForDirectories) && matchesPath(parts, isAnchored ? path : path.slice(-1)),
    );
}

/** Whether it begins like an exception, which there is none of. */
export function isException(pattern: string): boolean {
  return pattern.startsWith('!');
}

function parsePattern(text: string): readonly Pattern[] {
  const pattern = text.trim();
  if (pattern === '' || pattern.startsWith('#')) return [];
  const isForDirectories = pattern.endsWith('/');
  const body = pattern.replace(/\/+$/, '');
  const parts = body.split('/').filter((part) => part !== '');
  if (parts.at(-1) === '**') parts.push('*'); // what is in it, not itself
  return parts.length === 0 ? [] : [{ parts, isAnchored: body.includes('/'), isForDirectories }];
}

/** Each step keeps the positions in the pattern that fit so far, so that no pattern takes long. */
function matchesPath(parts: readonly string[], path: SyncPath): boolean {
  const widen = (positions: Set<number>): Set<number> => {
    for (const at of positions) if (parts[at] === '**') positions.add(at + 1);
    return positions;
  };
  let positions = widen(new Set([0]));
  for (const name of path) {
    const next = new Set<number>();
    for (const at of positions) {
      const part = parts[at];
      if (part === '**') next.add(at);
      else if (part !== undefined && matchesName(part, name)) next.add(at + 1);
    }
    positions = widen(next);
  }
  return positions.has(parts.length);
}

function matchesName(pattern: string, name: string): boolean {
  const [wanted, given] = [Array.from(pattern), Array.from(name)];
  let [at, from] = [0, 0];
  let star: { readonly at: number; from: number } | undefined;
  while (from < given.length) {
    if (wanted[at] === '*') star = { at: at++, from };
    else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[from])) {
      at += 1;
      from += 1;
    } else if (star !== undefined) {
      star.from += 1;
      [at, from] = [star.at + 1, star.from];
    } else return false;
  }
  return wanted.slice(at).every((character) => character === '*');
}
