import type { ConfigFile, ConfigProblem, SourceRef, Statement } from './configFile.ts';
import { canonicalKeyword, keywordOf } from './keywords.ts';
import { readMatch, visible } from './matchLine.ts';
import { readValue, type ReadingRules } from './readValue.ts';
import { releaseName, understands } from './release.ts';
import { splitArguments, splitLine, type SplitLine } from './splitLine.ts';

const anyRelease: ReadingRules = { release: undefined, environment: {} };

/**
 * Reads one file of an OpenSSH client configuration. Never throws: a line that cannot be used becomes a problem with its number, and
 * everything behind it is read as if it were not there. A byte order mark is skipped and reported, because `ssh` refuses the whole file.
 * Source: ssh.md 4.2 and 4.4.
 */
export function parseConfigFile(path: string, text: string, rules: ReadingRules = anyRelease): ConfigFile {
  const statements: Statement[] = [];
  const problems: ConfigProblem[] = [];
  const hasMark = text.startsWith('\uFEFF');
  if (hasMark)
    problems.push({
      path,
      line: 1,
      message: 'ssh refuses this file: it begins with a byte order mark',
      isRefusedBySsh: true,
    });

  const lines = (hasMark ? text.slice(1) : text).split('\n');
  for (const [index, line] of lines.entries()) {
    const split = splitLine(line);
    if (split === undefined) continue;
    const at: SourceRef = { path, line: index + 1 };
    const read = readStatements(split, { at, rules });
    if (typeof read !== 'string') {
      statements.push(...read);
      continue;
    }
    if (split.keyword === 'host' || split.keyword === 'match') statements.push({ k: 'nobody', at });
    problems.push({ ...at, message: read, isRefusedBySsh: true });
  }
  return { path, statements, problems };
}

interface Reading {
  readonly at: SourceRef;
  readonly rules: ReadingRules;
}

/** What the line says, or why it is not used. */
function readStatements(split: SplitLine, { at, rules }: Reading): readonly Statement[] | string {
  const { keyword: written, rest } = split;
  if (rest === '') return `${visible(written)} has no argument`;
  const words = splitArguments(rest);
  if (words === undefined) return `a quote is not closed behind ${visible(written)}`;
  switch (written) {
    case 'match': {
      const match = readMatch(rest, rules.release);
      return match.ok ? [{ k: 'match', at, criteria: match.criteria }] : `match is not used: ${match.why}`;
    }
    case 'host':
    case 'include':
      return words.includes('') ? `${written} has an empty argument` : [{ k: written, at, patterns: words }];
    default:
      return readSetting({ ...split, words }, { at, rules });
  }
}

function readSetting(
  split: SplitLine & { readonly words: readonly string[] },
  { at, rules }: Reading,
): readonly Statement[] | string {
  const keyword = canonicalKeyword(split.keyword);
  const known = keywordOf(keyword);
  if (known === undefined || !understands(rules.release, known.since)) {
    const why = known === undefined ? 'is not known' : `needs OpenSSH ${releaseName(known.since)}`;
    const message = `the keyword ${visible(split.keyword)} ${why}`;
    return [{ k: 'unknown', at, keyword: split.keyword, message }];
  }
  const read = readValue({ keyword, kind: known.kind, rest: split.rest, words: split.words, rules });
  if (!read.ok) return `${keyword} is not used: ${read.why}`;
  return read.slots.map(({ slot, values }) => ({ k: 'set', at, keyword: slot, values }));
}
