import { diffArrays } from 'diff';

/** Versions of one text. */
export interface MergedTexts {
  readonly base: string;
  readonly theirs: string;
  readonly mine: string;
  readonly result: string;
}

/** Lines of the base, from the first to the one behind the last; empty where lines were only added. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Texts that differ in more are too different to be told apart in time. */
const limits = { maxEditLength: 2_000, timeout: 200 } as const;

/**
 * How many places that both sides have changed, each in its own way, hold in the result what the base holds: an editor leaves them so while
 * nobody has decided. Undefined when the texts are too different to tell.
 */
export function unmergedPlaces({ base, theirs, mine, result }: MergedTexts): number | undefined {
  const [byThem, byMe, decided] = [theirs, mine, result].map((text) => changes(base, text));
  if (byThem === undefined || byMe === undefined || decided === undefined) return undefined;
  const conflicts = byThem.flatMap((theirOne) =>
    byMe
      .filter((myOne) => touch(theirOne, myOne) && !isSame(theirOne, myOne))
      .map((myOne) => both(theirOne, myOne)),
  );
  return conflicts.filter((place) => !decided.some((change) => touch(place, change))).length;
}

function changes(base: string, text: string): readonly Stretch[] | undefined {
  const parts = diffArrays(linesOf(base), linesOf(text), limits);
  if (parts === undefined) return undefined;
  const found: Stretch[] = [];
  let line = 0;
  let open: { from: number; lines: string[] } | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      if (open !== undefined) found.push({ ...open, to: line });
      open = undefined;
    } else open ??= { from: line, lines: [] };
    if (added) open?.lines.push(...value);
    else line += value.length;
  }
  if (open !== undefined) found.push({ ...open, to: line });
  return found;
}

function touch(a: Pick<Stretch, 'from' | 'to'>, b: Pick<Stretch, 'from' | 'to'>): boolean {
  return a.from <= b.to && b.from <= a.to;
}

function isSame(a: Stretch, b: Stretch): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n');
}

function both(a: Stretch, b: Stretch): Pick<Stretch, 'from' | 'to'> {
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}
