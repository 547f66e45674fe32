import { contentOperands } from '../contentPath.ts';
import type { ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/**
 * A regular expression up to its delimiter. Some read a delimiter inside of brackets as text and some do not, so that such a script is
 * two different ones: brackets are closed, and hold none.
 */
const expression = (delimiter: string): string => {
  const text = String.raw`(?!${delimiter})[^\\\n\[]|\\[^\n]`;
  const inBrackets = String.raw`(?!${delimiter})[^\\\n\[\]]|\[:\w+:\]|\[(?![:.=])`;
  return String.raw`(?:${text}|\[\^?(?:\]|${inBrackets})(?:${inBrackets})*\])*`;
};
const line = String.raw`(?:\d+|\$|/${expression('/')}/)`;
/** Prints, deletes, numbers or ends at an address. */
const oneCommand = new RegExp(String.raw`^(?:${line}(?:,${line})?)?!?[pdq=]$`);
/** Replaces; the flags `e` (runs) and `w` (writes) are not among those that follow. */
const substitution = new RegExp(
  String.raw`^(?:${line}(?:,${line})?)?s([/|#,:@])${expression(String.raw`\1`)}\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI0-9]*$`,
);
const options = new Set(['-n', '-E', '-r', '-nE', '-En', '-nr', '-rn']);

/** sed with commands that print; every other option and command may write or run. */
export const sed: readonly ProgramRule[] = [
  {
    names: ['sed'],
    system: 'posix',
    check: (args, machine) => {
      let at = 0;
      const scripts: (ShellWord | undefined)[] = [];
      for (; options.has(args[at]?.text ?? '') || args[at]?.text === '-e'; at++)
        if (args[at]?.text === '-e') scripts.push(args[(at += 1)]);
      if (scripts.length === 0) {
        scripts.push(args[at]);
        at += 1;
      }
      const operands = args.slice(at);
      if (!scripts.every((script) => script !== undefined && !script.hasPattern && isHarmless(script.text)))
        return 'Only sed commands that print, delete lines of the output or replace are known to be read-only.';
      if (operands.some((word) => word.text.startsWith('-') || word.literalPrefix === ''))
        return 'sed has more options than are known to be harmless.';
      return contentOperands({ operands }, machine);
    },
  },
];

/** Where every part between semicolons is a whole command, sed reads the script so too. */
function isHarmless(script: string): boolean {
  const isCommand = (text: string): boolean => oneCommand.test(text) || substitution.test(text);
  return isCommand(script) || script.split(/; ?/).every(isCommand);
}
