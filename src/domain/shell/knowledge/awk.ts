import { refuseContent } from '../contentPath.ts';
import { rule, type ProgramRule } from '../programRule.ts';

/**
 * Words that let a program run others, write, read other files than its operands, or load more code. They are looked for everywhere,
 * also in strings and comments: what awk takes for a string depends on where it sees a regular expression.
 */
const acting =
  /system|getline|close|fflush|ARG[VC]|PROCINFO|ENVIRON|SYMTAB|FUNCTAB|include|load|namespace|[@`\r]|\\\n/;
/** Where one of these stands, what is a bracket and what is text cannot be told apart without awk's own grammar. */
const hidesBrackets = /["/#\\]/;

/** awk with a program that only computes and prints to its output. */
export const awk: readonly ProgramRule[] = [
  rule({
    names: ['awk', 'gawk', 'mawk'],
    table: {
      valued: 'Fv',
      refused: {
        '-f': 'awk -f runs a script of a file.',
        '-i': 'awk -i may change files.',
        '-l': 'awk -l loads code.',
        '-e': 'awk -e runs one more script.',
      },
    },
    operands: (read, machine) => {
      const [program, ...paths] = read.operands;
      if (program === undefined) return 'awk lacks its program.';
      if (program.hasPattern) return 'The program of awk may expand to file names; quote it.';
      const acts = refuseProgram(program.text);
      if (acts !== undefined) return acts;
      if (read.behindOperands.length > 0) return 'awk takes what stands behind its program for a file.';
      for (const path of paths) {
        // name=value sets a variable between files.
        const reason = /^[A-Za-z_]\w*=/.test(path.text)
          ? `awk takes ${path.text} for an assignment.`
          : refuseContent(path, machine);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
  }),
];

function refuseProgram(text: string): string | undefined {
  const word = acting.exec(text)?.[0];
  if (word !== undefined) return `The awk program may do more than print: ${JSON.stringify(word)}.`;
  for (const bars of text.match(/\|+/g) ?? [])
    if (bars.length !== 2) return 'The awk program may write to a program.';
  if (!text.includes('>')) return undefined;
  if (hidesBrackets.test(text)) return 'The awk program may write a file.';
  return redirects(text) ? 'The awk program writes a file.' : undefined;
}

/** Whether a `>` stands where it can be a redirect: inside braces and outside parentheses. */
function redirects(text: string): boolean {
  let braces = 0;
  let parentheses = 0;
  for (const character of text) {
    if (character === '{') braces += 1;
    else if (character === '}') braces -= 1;
    else if (character === '(') parentheses += 1;
    else if (character === ')') parentheses -= 1;
    else if (character === '>' && braces !== 0 && parentheses <= 0) return true;
    if (braces < 0 || parentheses < 0) return true;
  }
  return false;
}
