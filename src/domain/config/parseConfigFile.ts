import type { ConfigFile, ConfigProblem, MatchCriterion, SourceRef, Statement } from './configFile.ts';
import { matchesPattern } from './hostPattern.ts';
import { canonicalKeyword, keywordKind } from './keywords.ts';
import { readValue } from './readValue.ts';
import { splitArguments, splitLine, splitMatchWords, type SplitLine } from './splitLine.ts';

/**
 * Reads one file of an OpenSSH client configuration. Never throws: a line that cannot be used becomes a problem with its number, and
 * everything behind it is read as if it were not there. A byte order mark is skipped and reported, because `ssh` refuses the whole file.
 * Source: ssh.md 4.2 and 4.4.
 */
export function parseConfigFile(path: string, text: string): ConfigFile {
  const statements: Statement[] = [];
  const problems: ConfigProblem[] = [];
  const ignoreUnknown: string[] = [];
  const hasMark = text.startsWith('\uFEFF');
  if (hasMark)
    problems.push({ path, line: 1, message: 'ssh refuses this file: it begins with a byte order mark' });

  const lines = (hasMark ? text.slice(1) : text).split('\n');
  for (const [index, line] of lines.entries()) {
    const split = splitLine(line);
    if (split === undefined) continue;
    const at: SourceRef = { path, line: index + 1 };
    const result = readStatement(split, at);
    if (typeof result !== 'string') {
      statements.push(result);
      if (result.k === 'set' && result.keyword === 'ignoreunknown') ignoreUnknown.push(...result.values);
      continue;
    }
    if (split.keyword === 'host' || split.keyword === 'match') statements.push({ k: 'nobody', at });
    const isSilenced =
      keywordKind(canonicalKeyword(split.keyword)) === undefined &&
      !isStructure(split.keyword) &&
      ignoreUnknown.some((list) =>
        list.split(',').some((pattern) => matchesPattern(split.keyword, pattern.toLowerCase())),
      );
    if (!isSilenced) problems.push({ ...at, message: result });
  }
  return { path, statements, problems };
}

function isStructure(keyword: string): boolean {
  return keyword === 'host' || keyword === 'match' || keyword === 'include';
}

/** The statement, or why the line is not used. */
function readStatement(split: SplitLine, at: SourceRef): Statement | string {
  if (split.keyword === 'match') {
    const criteria = readCriteria(split.rest);
    return typeof criteria === 'string' ? criteria : { k: 'match', at, criteria };
  }
  if (isStructure(split.keyword)) {
    const words = splitArguments(split.rest);
    if (words === undefined) return `a quote is not closed behind ${split.keyword}`;
    if (words.length === 0 || words.includes('')) return `${split.keyword} has no argument`;
    return { k: split.keyword === 'host' ? 'host' : 'include', at, patterns: words };
  }
  const keyword = canonicalKeyword(split.keyword);
  const kind = keywordKind(keyword);
  if (kind === undefined) return `the keyword ${visibleKeyword(split.keyword)} is not known`;
  const read = readValue(kind, split.rest);
  return read.ok ? { k: 'set', at, keyword, values: read.values } : `${keyword} is not used: ${read.why}`;
}

const withoutArgument: ReadonlySet<string> = new Set(['all', 'canonical', 'final']);

/** The criteria of a `Match` line, or why it cannot be read. Unknown criteria are kept. Source: OpenSSH `match_cfg_line`. */
function readCriteria(rest: string): readonly MatchCriterion[] | string {
  const words = splitMatchWords(rest);
  const criteria: MatchCriterion[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const isNegated = word.startsWith('!');
    const kind = (isNegated ? word.slice(1) : word).toLowerCase();
    if (withoutArgument.has(kind)) {
      if (kind === 'all' && at !== words.length - 1) return 'all stands last on a match line';
      criteria.push({ kind, isNegated, argument: '' });
      continue;
    }
    const argument = words[++at];
    if (argument === undefined) return `the match criterion ${visibleKeyword(kind)} has no argument`;
    criteria.push({ kind, isNegated, argument });
  }
  return criteria.length === 0 ? 'match has no criterion' : criteria;
}

/** A keyword of a file in a message: short, and without characters that could mislead. */
function visibleKeyword(keyword: string): string {
  const text = keyword.slice(0, 60).replace(/[^\x21-\x7e]/g, '?');
  return `"${text}"`;
}
