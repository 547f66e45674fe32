import type { ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Builtins and small programs that only speak or test. */
export const shellWords: readonly ProgramRule[] = [
  { names: ['echo', 'true', 'false', ':'], system: 'posix', check: () => undefined },
  {
    names: ['printf'],
    system: 'posix',
    check: (args) =>
      args[0]?.text.startsWith('-') === true || args[0]?.hasPattern === true
        ? 'printf -v sets a variable.'
        : undefined,
  },
  { names: ['test', '['], system: 'posix', check: checkTest },
  {
    names: ['type', 'which'],
    system: 'posix',
    check: (args) =>
      args.every((word) => /^(-a|[\w./+-]+)$/.test(word.text) && !word.hasPattern)
        ? undefined
        : 'Only names are looked up.',
  },
  {
    names: ['command'],
    system: 'posix',
    check: ([mode, ...names]) =>
      (mode?.text === '-v' || mode?.text === '-V') && names.every((word) => /^[\w./+-]+$/.test(word.text))
        ? undefined
        : 'command runs a program.',
  },
];

/** bash evaluates what stands in brackets behind -v and its kin: such words are not proven. */
function checkTest(args: readonly ShellWord[]): string | undefined {
  for (const word of args) {
    if (word.text === ']' || word.text === '[') continue;
    if (/[[$`]/.test(word.text)) return `test may evaluate ${word.text}.`;
    if (word.text === '-v' || word.text === '-R') return `test ${word.text} evaluates a name.`;
  }
  return undefined;
}
