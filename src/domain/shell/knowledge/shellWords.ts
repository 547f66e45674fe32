import type { ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Literal text and conversions that only print; `%n` sets a variable. */
const plainFormat = /^([^%]|%[-+ #0]*(\d+|\*)?(\.(\d+|\*))?[bcdeEfgGiosuxXq%])*$/s;
/** A format whose values are all printed as text. */
const isText = /^([^%]|%[-+ #0]*\d*(\.\d+)?[bcqs%])*$/s;

/** Builtins and small programs that only speak or test. */
export const shellWords: readonly ProgramRule[] = [
  { names: ['echo', 'true', 'false', ':'], system: 'posix', takesOpenWords: true, check: () => undefined },
  {
    names: ['printf'],
    system: 'posix',
    takesOpenWords: true,
    check: ([format, ...values]) => {
      if (format === undefined) return undefined;
      if (format.text.startsWith('-') || format.hasPattern) return 'printf -v sets a variable.';
      if (!plainFormat.test(format.text)) return `printf ${format.text} may set a variable.`;
      // Some shells evaluate a number, and what stands in brackets may run a program.
      const evaluated = isText.test(format.text) ? undefined : values.find((word) => /[[$`]/.test(word.text));
      return evaluated === undefined ? undefined : `printf may evaluate ${evaluated.text}.`;
    },
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
    if (word.hasPattern) return `${word.text} may become anything; quote it.`;
    if (word.text === ']' || word.text === '[') continue;
    if (/[[$`]/.test(word.text)) return `test may evaluate ${word.text}.`;
    if (word.text === '-v' || word.text === '-R') return `test ${word.text} evaluates a name.`;
  }
  return undefined;
}
