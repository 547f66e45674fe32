import type { SyncListing, SyncPath } from './syncEntry.ts';

/** How two names of one directory are alike without being equal. */
export type NameTwin = 'case' | 'form';

/** Names that people or systems take for one another, on both sides together. */
export class NameTwins {
  readonly #forms = new Map<string, Set<string>>();
  readonly #cases = new Map<string, Set<string>>();

  constructor(listings: readonly SyncListing[]) {
    for (const { entries } of listings)
      for (const { path } of entries) {
        note(this.#forms, path, formOf);
        note(this.#cases, path, foldOf);
      }
  }

  /**
   * Whether its directory has, on any side, another name that differs only in the form of Unicode, or only in case where `foldsCase`.
   */
  of(path: SyncPath, { foldsCase }: { readonly foldsCase: boolean }): NameTwin | undefined {
    if (hasOthers(this.#forms, path, formOf)) return 'form';
    return foldsCase && hasOthers(this.#cases, path, foldOf) ? 'case' : undefined;
  }
}

function formOf(name: string): string {
  return name.normalize('NFC');
}

/** Upper case first, so that letters with several lower forms are one (`ς`, `σ`; `ſ`, `s`). */
function foldOf(name: string): string {
  return formOf(formOf(name).toUpperCase().toLowerCase());
}

function note(names: Map<string, Set<string>>, path: SyncPath, alike: (name: string) => string): void {
  const key = keyOf(path, alike);
  const known = names.get(key) ?? new Set();
  names.set(key, known);
  known.add(path.at(-1) ?? '');
}

function hasOthers(
  names: ReadonlyMap<string, ReadonlySet<string>>,
  path: SyncPath,
  alike: (name: string) => string,
): boolean {
  return (names.get(keyOf(path, alike))?.size ?? 0) > 1;
}

function keyOf(path: SyncPath, alike: (name: string) => string): string {
  return [...path.slice(0, -1), alike(path.at(-1) ?? '')].join('/');
}
