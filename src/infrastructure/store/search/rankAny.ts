/**
 * Orders messages that have some of the terms: `lists` holds, for each term, the newest keys with it, at most `full` of them. A term
 * whose list is not full is rare and counts double; equals stay newest first.
 */
export function rankAny(lists: readonly (readonly number[])[], full: number): readonly number[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    for (const key of list) scores.set(key, (scores.get(key) ?? 0) + (list.length < full ? 2 : 1));
  return [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a).map(([key]) => key);
}
