import { AgentError } from '../../agentError.ts';
import type { ClockPort } from '../../clock.ts';
import { looseMatches } from './looseMatches.ts';
import { parsePattern, PatternRunner, type PatternMatch } from './patternRunner.ts';
import type { TextEdit } from './textFile.ts';

const mostMatches = 10_000;

/** One entry of `replacements`. */
export interface Replacement {
  readonly old_text: string;
  readonly new_text: string;
  readonly regex?: boolean | undefined;
  /** Absent: exactly one match. 0: all. n: the first n. */
  readonly count?: number | undefined;
}

/**
 * The edits of all entries, in order of place. Each entry matches the text as it was; regions must not overlap. Throws
 * `invalidArguments` naming the entry. Source: tool contract, `scratch_replace`.
 */
export async function replacementEdits(
  text: string,
  replacements: readonly Replacement[],
  options: { readonly clock: ClockPort; readonly signal: AbortSignal },
): Promise<readonly TextEdit[]> {
  const edits: (TextEdit & { entry: number })[] = [];
  for (const [entry, replacement] of replacements.entries()) {
    const found = await matchesOf(text, withLineFeeds(replacement), { ...options, entry });
    edits.push(...found.map((edit) => ({ ...edit, entry })));
  }
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [index, edit] of edits.entries()) {
    const before = edits[index - 1];
    if (before !== undefined && edit.start < before.end)
      throw problem(edit.entry, `changes a place that replacements[${before.entry}] changes too`);
  }
  return edits;
}

interface EntryOptions {
  readonly clock: ClockPort;
  readonly signal: AbortSignal;
  readonly entry: number;
}

async function matchesOf(
  text: string,
  replacement: Replacement,
  options: EntryOptions,
): Promise<readonly TextEdit[]> {
  const { count, regex = false, new_text: replacementText } = replacement;
  const edits = regex
    ? await patternEdits(text, replacement, options)
    : literalMatches(text, replacement.old_text).map((match) => ({ ...match, replacement: replacementText }));
  return counted(edits, count, options.entry);
}

function counted(edits: readonly TextEdit[], count: number | undefined, entry: number): readonly TextEdit[] {
  if (edits.length === 0) throw problem(entry, 'old_text does not occur in the file');
  if (count === undefined) {
    if (edits.length > 1)
      throw problem(entry, `old_text occurs ${edits.length} times; add surrounding lines or set count`);
    return edits;
  }
  if (count === 0) {
    if (edits.length > mostMatches) throw problem(entry, `old_text occurs more than ${mostMatches} times`);
    return edits;
  }
  if (edits.length < count) throw problem(entry, `old_text occurs ${edits.length} times, not ${count}`);
  return edits.slice(0, count);
}

function literalMatches(text: string, old: string): readonly { start: number; end: number }[] {
  const matches: { start: number; end: number }[] = [];
  for (
    let at = text.indexOf(old);
    at >= 0 && matches.length <= mostMatches;
    at = text.indexOf(old, at + old.length)
  )
    matches.push({ start: at, end: at + old.length });
  return matches.length > 0 ? matches : looseMatches(text, old);
}

async function patternEdits(
  text: string,
  replacement: Replacement,
  { clock, signal, entry }: EntryOptions,
): Promise<readonly TextEdit[]> {
  const pattern = parsePattern(replacement.old_text, true);
  if (pattern === undefined) throw problem(entry, 'old_text is not a regular expression');
  const runner = new PatternRunner(pattern, clock);
  try {
    const matches = await runner.run({ text, most: mostMatches + 1, perLine: false }, signal);
    if (matches.some(({ start, end }) => start === end))
      throw problem(entry, 'old_text matches an empty text');
    return matches.map((match) => ({
      start: match.start,
      end: match.end,
      replacement: expand(replacement.new_text, match, entry),
    }));
  } finally {
    runner.dispose();
  }
}

/** `$1` inserts a group, `\$` is a dollar; everything else stands for itself. */
function expand(template: string, match: PatternMatch, entry: number): string {
  return template.replace(/\\\$|\$(\d{1,2})/g, (whole, digits: string | undefined) => {
    if (digits === undefined) return '$';
    const group = Number(digits);
    if (group === 0 || group > match.groups.length) throw problem(entry, `old_text has no group ${whole}`);
    return match.groups[group - 1] ?? '';
  });
}

function withLineFeeds(replacement: Replacement): Replacement {
  const { old_text, new_text } = replacement;
  return {
    ...replacement,
    old_text: old_text.replaceAll('\r\n', '\n'),
    new_text: new_text.replaceAll('\r\n', '\n'),
  };
}

function problem(entry: number, what: string): AgentError {
  return new AgentError('invalidArguments', { problem: `replacements[${entry}]: ${what}` });
}
