import type { Replacement } from '../../../domain/transfer/replacement.ts';
import type { End, EntryFacts } from './end.ts';
import type { FileContext } from './fileContext.ts';
import { keyOfTransfer, siblingOf } from './place.ts';
import type { Place } from './transfer.ts';

/** What a replacement in two steps has to do with. */
export interface ReplacementPlaces {
  readonly to: Place;
  readonly part: Place;
  /** Where the old file waits. */
  readonly old: Place;
}

/** Those that are noted, beside a target. */
export function replacementPlaces(to: Place, { part, old }: Replacement): ReplacementPlaces {
  return { to, part: siblingOf(to, part), old: siblingOf(to, old) };
}

/**
 * Ends what a replacement in two steps has left half done. `untouched`: the old file had not been moved. `putBack`: it has its name again.
 * `replaced`: the new one is in place, the old one is gone. `foreign`: somebody else has put something there, and the old file stays where
 * it waits. Rejects as `End`.
 */
export async function settleReplacement(
  end: Pick<End, 'look' | 'rename' | 'remove'>,
  { to, part, old }: ReplacementPlaces,
  signal: AbortSignal,
): Promise<'untouched' | 'putBack' | 'replaced' | 'foreign'> {
  if ((await end.look(old, signal)) === undefined) return 'untouched';
  if ((await end.look(to, signal)) === undefined) {
    await end.rename({ from: old, to, replace: false }, signal);
    return 'putBack';
  }
  if ((await end.look(part, signal)) !== undefined) return 'foreign';
  await end.remove(old, signal);
  return 'replaced';
}

/**
 * What is at a target, after what an earlier transfer of the same file may have left half replaced there has been put in order: the old file
 * has its name again, or the new one is in place. `facts`: what was there before. Rejects as `End`.
 */
export async function settledTarget(
  { target, journals, running }: FileContext,
  { from, to, facts }: { readonly from: Place; readonly to: Place; readonly facts: EntryFacts | undefined },
  signal: AbortSignal,
): Promise<EntryFacts | undefined> {
  if (!target.replacesInTwoSteps) return facts;
  const key = keyOfTransfer(from, to);
  if (running.has(key)) return facts;
  const replacement = await journals.replacement(key);
  if (replacement === undefined) return facts;
  await settleReplacement(target, replacementPlaces(to, replacement), signal);
  await journals.endReplacement(key);
  return target.look(to, signal);
}
