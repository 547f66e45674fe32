import { asciiLower } from './asciiCase.ts';
import type { MatchCriterion } from './configFile.ts';
import { releaseName, understands, type Release } from './release.ts';
import { splitArguments, splitMatchWords } from './splitLine.ts';

/** The criteria of a `Match` line, or why OpenSSH would refuse it. */
export type ReadMatch =
  | { readonly ok: true; readonly criteria: readonly MatchCriterion[] }
  | { readonly ok: false; readonly why: string };

const withoutArgument: ReadonlySet<string> = new Set(['all', 'canonical', 'final']);

/** Each with the release it came with. */
const withArgument: ReadonlyMap<string, number> = new Map([
  ['host', 0],
  ['originalhost', 0],
  ['user', 0],
  ['localuser', 0],
  ['exec', 0],
  ['localnetwork', 904],
  ['tagged', 904],
  ['version', 1000],
  ['sessiontype', 1000],
  ['command', 1000],
]);
const mayBeEmpty: ReadonlySet<string> = new Set(['tagged', 'command']);

/** From this release on the words of a `Match` line are cut like arguments, with both kinds of quotes. */
const argumentsSince = 909;

/**
 * Reads what stands behind `Match`. While the release is not known, whichever way of cutting words gives a line that can be used is
 * taken. Source: OpenSSH `match_cfg_line`; ssh_config(5), Match.
 */
export function readMatch(rest: string, release: Release): ReadMatch {
  const newer = (): ReadMatch => readCriteria(splitArguments(rest), { release, cutsEquals: true });
  const older = (): ReadMatch => readCriteria(splitMatchWords(rest), { release, cutsEquals: false });
  if (splitArguments(rest) === undefined) return { ok: false, why: 'a quote is not closed' };
  if (release !== undefined) return release >= argumentsSince ? newer() : older();
  const first = newer();
  if (first.ok) return first;
  const second = older();
  return second.ok ? second : first;
}

function readCriteria(
  words: readonly string[] | undefined,
  { release, cutsEquals }: { readonly release: Release; readonly cutsEquals: boolean },
): ReadMatch {
  const bad = (why: string): ReadMatch => ({ ok: false, why });
  if (words === undefined) return bad('a word is empty');
  const criteria: MatchCriterion[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith('#')) break;
    const isNegated = word.startsWith('!');
    const text = isNegated ? word.slice(1) : word;
    const equals = cutsEquals && !/^sessiontype=/i.test(text) ? text.indexOf('=') : -1;
    const kind = asciiLower(equals < 0 ? text : text.slice(0, equals));
    if (withoutArgument.has(kind) && equals < 0) {
      if (kind === 'all' && (at !== words.length - 1 || criteria.length > 1))
        return bad('all stands last, behind one criterion at most');
      criteria.push({ kind, isNegated, argument: '' });
      continue;
    }
    const argument = equals < 0 ? words[++at] : text.slice(equals + 1);
    if (argument === undefined || argument.startsWith('#') || (argument === '' && !mayBeEmpty.has(kind)))
      return bad(`the criterion ${visible(kind)} has no argument`);
    const since = withArgument.get(kind);
    if (since === undefined) return bad(`the criterion ${visible(kind)} is not known`);
    if (!understands(release, since))
      return bad(`the criterion ${visible(kind)} needs OpenSSH ${releaseName(since)}`);
    criteria.push({ kind, isNegated, argument });
  }
  return criteria.length === 0 ? bad('it has no criterion') : { ok: true, criteria };
}

/** A word of a file in a message: short, and without characters that could mislead. */
export function visible(word: string): string {
  const text = word.slice(0, 60).replace(/[^\x21-\x7e]/g, '?');
  return `"${text}"`;
}
