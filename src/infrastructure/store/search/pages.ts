import type { SearchPage, SearchPlace } from '../../../agentkit/index.ts';

/** Characters of a message that a window shows. */
export const contentLimit = 131_072;

/** A page out of entries that were read from its place on, with one more than its limit where there is one. */
export function pageOf<T>(read: readonly T[], { offset, limit }: SearchPlace): SearchPage<T> {
  const results = read.slice(0, limit);
  if (read.length > limit) return { results, nextOffset: offset + limit };
  return results.length === 0 ? emptyPage({ offset }) : { results, total: offset + results.length };
}

/** Behind the end of a list its length is known only when it has no entry. */
export function emptyPage({ offset }: Pick<SearchPlace, 'offset'>): {
  readonly results: [];
  readonly total?: number;
} {
  return offset === 0 ? { results: [], total: 0 } : { results: [] };
}
