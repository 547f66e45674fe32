import { exactly, isPlain, readOptions, rule, type OptionTable, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const dpkgQueries = new Set([
  '-l',
  '--list',
  '-L',
  '--listfiles',
  '-s',
  '--status',
  '-S',
  '--search',
  '--get-selections',
  '--print-architecture',
  '-W',
  '--show',
]);

/** Package databases, read through the tools that never write a cache. */
export const packages: readonly ProgramRule[] = [
  {
    names: ['dpkg', 'dpkg-query'],
    system: 'linux',
    check: ([query, ...names]) =>
      query !== undefined &&
      dpkgQueries.has(query.text) &&
      names.every((word) => isName(word) || (!word.hasPattern && /^(-f=|--showformat=|-f$)/.test(word.text)))
        ? undefined
        : 'Only listing and searching packages is known to be read-only.',
  },
  {
    names: ['rpm'],
    system: 'linux',
    check: ([query, ...names]) =>
      query !== undefined &&
      /^-q[acdfilR]*$/.test(query.text) &&
      names.every(
        (word) =>
          (isName(word) && !word.text.includes('%')) ||
          /^--(last|changelog|scripts|requires|provides|whatprovides)$/.test(word.text),
      )
        ? undefined
        : 'Only plain rpm -q queries are known to be read-only.',
  },
  { names: ['apt', 'apt-cache'], system: 'linux', check: checkApt },
  exactly(['apt-mark'], ['showhold', 'showmanual', 'showauto'], 'apt-mark changes how packages are kept.'),
  // These forms ask no repository, so that no cache is written.
  exactly(
    ['dnf'],
    ['list installed', 'list --installed', 'history', 'history list', 'repolist', 'repolist all'],
    'dnf may install, remove or fetch.',
  ),
  exactly(['yum'], ['list installed', 'history', 'history list'], 'yum may install, remove or fetch.'),
  {
    names: ['apk'],
    system: 'linux',
    check: ([verb, ...rest]) =>
      /^(info|list|policy)$/.test(verb?.text ?? '') &&
      rest.every((word) => /^-(v|vv|a|e|I|L)$/.test(word.text) || isPlain(word))
        ? undefined
        : 'apk changes packages.',
  },
  {
    names: ['pacman'],
    system: 'linux',
    check: ([query, ...names]) =>
      /^-Q[iklosqetdmnu]*$/.test(query?.text ?? '') && names.every(isPlain)
        ? undefined
        : 'pacman changes packages.',
  },
  exactly(['snap'], ['list', 'version', 'services', 'changes'], 'snap changes packages.'),
  exactly(['flatpak'], ['list'], 'flatpak changes packages.'),
  rule({
    names: ['pip', 'pip3'],
    table: { long: ['version'], longValued: ['format'] },
    operands: (read) => {
      const [verb, ...names] = read.operands;
      if (verb === undefined) return undefined;
      return (verb.text === 'show' || (verb.text === 'list' && names.length === 0)) && names.every(isPlain)
        ? undefined
        : `pip ${verb.text} is not known to be read-only.`;
    },
  }),
];

const aptTable: OptionTable = {
  flags: 'an',
  long: ['installed', 'upgradable', 'all-versions', 'names-only', 'manual-installed', 'full'],
  refused: {
    '-o': 'apt -o sets anything, also programs that it runs.',
    '-c': 'apt -c reads another configuration.',
  },
};
const aptVerbs = new Set([
  'list',
  'show',
  'policy',
  'search',
  'depends',
  'rdepends',
  'showpkg',
  'madison',
  'stats',
]);

function checkApt(args: readonly ShellWord[]): string | undefined {
  const read = readOptions(args, aptTable);
  if (typeof read === 'string') return read;
  const [verb, ...names] = read.operands;
  if (verb === undefined || verb.hasPattern || !aptVerbs.has(verb.text))
    return `apt ${verb?.text ?? ''} may install or remove packages.`;
  const odd = names.find((word) => word.hasPattern || !/^[A-Za-z0-9][\w.+:*-]*$/.test(word.text));
  return odd === undefined ? undefined : `apt ${verb.text} is given something unusual: ${odd.text}.`;
}

function isName(word: ShellWord): boolean {
  return !word.hasPattern && !word.text.startsWith('-');
}
