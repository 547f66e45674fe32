import type { ListedEntry } from '../../application/files/documents/listFolder.ts';
import { textOfBytes } from '../../domain/files/nameText.ts';

export type FileOrder = 'name' | 'size' | 'modified';
export const fileOrders: readonly FileOrder[] = ['name', 'size', 'modified'];

const collator = new Intl.Collator(undefined, { numeric: true });
const dot = 0x2e;

/** What the tree shows of a folder: folders first, by name, or the largest or newest first; equal ones by name. */
export function sortEntries(
  entries: readonly ListedEntry[],
  { order, hidesDotFiles }: { readonly order: FileOrder; readonly hidesDotFiles: boolean },
): readonly ListedEntry[] {
  const names = new Map(entries.map((entry) => [entry, textOfBytes(entry.name)]));
  const compare = (a: ListedEntry, b: ListedEntry): number =>
    Number(isFolder(b)) - Number(isFolder(a)) ||
    weight(b, order) - weight(a, order) ||
    collator.compare(names.get(a) ?? '', names.get(b) ?? '') ||
    Buffer.compare(a.name, b.name);
  return entries.filter(({ name }) => !hidesDotFiles || name[0] !== dot).sort(compare);
}

function isFolder({ kind, target }: ListedEntry): boolean {
  return kind === 'directory' || target === 'directory';
}

function weight({ attributes }: ListedEntry, order: FileOrder): number {
  if (order === 'size') return attributes.size ?? 0;
  return order === 'modified' ? (attributes.times?.modified ?? 0) : 0;
}
