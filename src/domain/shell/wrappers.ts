import type { ShellWord } from './shellTree.ts';

/**
 * Programs that run what follows them and change nothing but its time or its turn: their own words, as one pattern over the words
 * joined by spaces. Others stay unproven: env (variables), nohup (writes a file), xargs and watch (words and times that are not in the
 * text), sudo, doas and ssh (another person, another machine), sh -c (another reading), stdbuf and setsid (load code, outlive the call).
 */
const wrappers: ReadonlyMap<string, RegExp> = new Map([
  [
    'timeout',
    /^(-s \w{3,7} |--signal=\w{3,7} |-k \d{1,4}[smh]? |--kill-after=\d{1,4}[smh]? )*\d{1,5}(\.\d+)?[smh]? $/,
  ],
  ['nice', /^(-n -?\d{1,2} )?$/],
  ['ionice', /^(-c ?[123] )?(-n ?[0-7] )?$/],
]);

/** The words of the program that a wrapper runs; undefined when `words` begin with none or with one that is told something else. */
export function unwrapped(name: string, args: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const shape = wrappers.get(name);
  if (shape === undefined) return undefined;
  for (let own = 0; own < args.length && own <= 6; own++) {
    const words = args.slice(0, own);
    const text = words.map((word) => `${word.text} `).join('');
    const isPlain = words.every((word) => !word.hasPattern && !/\s/.test(word.text));
    const program = args[own];
    if (isPlain && shape.test(text) && program !== undefined && /^[\w./]/.test(program.text))
      return args.slice(own);
  }
  return undefined;
}

/** Their names, as they are called. */
export const wrapperNames: readonly string[] = [...wrappers.keys()];
