import type { ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const alone = new Set([
  '-empty',
  '-executable',
  '-readable',
  '-writable',
  '-nouser',
  '-nogroup',
  '-true',
  '-false',
  '-daystart',
  '-depth',
  '-xdev',
  '-mount',
  '-noleaf',
  '-prune',
  '-quit',
  '-print',
  '-print0',
  '-ls',
  '-a',
  '-and',
  '-o',
  '-or',
  '-not',
  '-ignore_readdir_race',
]);
const withValue = new Set([
  '-name',
  '-iname',
  '-path',
  '-ipath',
  '-wholename',
  '-iwholename',
  '-lname',
  '-ilname',
  '-regex',
  '-iregex',
  '-regextype',
  '-type',
  '-xtype',
  '-size',
  '-mtime',
  '-mmin',
  '-atime',
  '-amin',
  '-ctime',
  '-cmin',
  '-newer',
  '-anewer',
  '-cnewer',
  '-newermt',
  '-newerct',
  '-newerat',
  '-perm',
  '-user',
  '-group',
  '-uid',
  '-gid',
  '-maxdepth',
  '-mindepth',
  '-links',
  '-inum',
  '-samefile',
  '-fstype',
  '-used',
  '-printf',
]);
const refused: Readonly<Record<string, string>> = {
  '-delete': 'find -delete deletes files.',
  '-exec': 'find -exec runs a program.',
  '-execdir': 'find -execdir runs a program.',
  '-ok': 'find -ok runs a program.',
  '-okdir': 'find -okdir runs a program.',
  '-fprint': 'find -fprint writes a file.',
  '-fprint0': 'find -fprint0 writes a file.',
  '-fprintf': 'find -fprintf writes a file.',
  '-fls': 'find -fls writes a file.',
};
const leading = new Set(['-H', '-L', '-P']);

/** find has an expression, not options: every word of it is a known test, its value, or an operator. */
export const find: readonly ProgramRule[] = [{ names: ['find'], system: 'linux', check: checkFind }];

function checkFind(args: readonly ShellWord[]): string | undefined {
  let at = 0;
  while (leading.has(args[at]?.text ?? '')) at += 1;
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || startsExpression(word.text)) break;
    if (word.hasPattern && /^([-(!,]|$)/.test(word.literalPrefix))
      return `${word.text} may expand to an expression.`;
  }
  for (; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.hasPattern) return `${word.text} is a pattern where a test stands; quote it.`;
    if (word.text === '(' || word.text === ')' || word.text === '!' || word.text === ',') continue;
    if (alone.has(word.text)) continue;
    if (!withValue.has(word.text))
      return refused[word.text] ?? `find ${word.text} is not known to be harmless.`;
    const value = args[at + 1];
    if (value === undefined) return `find ${word.text} lacks its value.`;
    if (value.hasPattern) return `${value.text} is a pattern that the shell may expand; quote it.`;
    at += 1;
  }
  return undefined;
}

function startsExpression(text: string): boolean {
  return text.startsWith('-') || text === '(' || text === '!' || text === ',' || text === ')';
}
