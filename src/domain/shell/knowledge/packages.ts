import type { ProgramRule } from '../programRule.ts';
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
]);

/** Package databases, read through the tools that never write a cache. */
export const packages: readonly ProgramRule[] = [
  {
    names: ['dpkg', 'dpkg-query'],
    system: 'linux',
    check: ([query, ...names]) =>
      query !== undefined && dpkgQueries.has(query.text) && names.every(isName)
        ? undefined
        : 'Only listing and searching packages is known to be read-only.',
  },
  {
    names: ['rpm'],
    system: 'linux',
    check: ([query, ...names]) =>
      query !== undefined &&
      /^-q[acdfilR]*$/.test(query.text) &&
      names.every((word) => isName(word) && !word.text.includes('%'))
        ? undefined
        : 'Only plain rpm -q queries are known to be read-only.',
  },
];

function isName(word: ShellWord): boolean {
  return !word.hasPattern && !word.text.startsWith('-');
}
