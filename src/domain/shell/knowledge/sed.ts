import { contentOperands } from '../contentPath.ts';
import type { ProgramRule } from '../programRule.ts';

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

/** sed with one command that prints; every other option and command may write or run. */
export const sed: readonly ProgramRule[] = [
  {
    names: ['sed'],
    system: 'posix',
    check: (args, machine) => {
      let at = 0;
      while (options.has(args[at]?.text ?? '')) at += 1;
      const script = args[at];
      const operands = args.slice(at + 1);
      if (script === undefined || script.hasPattern || !isHarmless(script.text))
        return 'Only one sed command that prints, deletes lines of the output or replaces is known to be read-only.';
      if (operands.some((word) => word.text.startsWith('-') || word.literalPrefix === ''))
        return 'sed has more options than are known to be harmless.';
      return contentOperands({ operands }, machine);
    },
  },
];

function isHarmless(script: string): boolean {
  return oneCommand.test(script) || substitution.test(script);
}
