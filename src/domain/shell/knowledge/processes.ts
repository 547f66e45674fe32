import { exactly, isPlain, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Programs about processes that read their words in ways of their own: each word is in one of the known shapes, or not proven. */
export const processes: readonly ProgramRule[] = [
  { names: ['lsof'], system: 'linux', check: checkLsof },
  {
    names: ['fuser'],
    system: 'linux',
    check: shaped([/^-[vmu46]+$/], 'fuser may end processes or is given something unusual.'),
  },
  { names: ['sysctl'], system: 'linux', check: checkSysctl },
  {
    names: ['sar'],
    system: 'linux',
    check: (args) => counted(args, { name: 'sar', flags: /^-[AbBdFHqrRSuvwWyz]+$/, valued: /^-[nPf]$/ }),
  },
  {
    names: ['pidstat'],
    system: 'linux',
    check: (args) => counted(args, { name: 'pidstat', flags: /^-[dhIlrRsuvw]+$/, valued: /^-[pCU]$/ }),
  },
  exactly(
    ['iotop'],
    ['-b -n 1', '-bn1', '-b -n1', '-bn 1', '-b -n 1 -o', '-bon1', '-o -b -n 1', '-b -o -n 1'],
    'iotop without -b and -n never ends.',
  ),
  {
    names: ['pwdx', 'pmap'],
    system: 'linux',
    check: shaped([/^-[xXpqd]+$/], 'Only processes are looked at.'),
  },
  exactly(['slabtop'], ['-o', '--once'], 'slabtop without -o never ends.'),
  exactly(['numactl'], ['--hardware', '-H', '--show', '-s'], 'numactl runs a program.'),
];

/** lsof: no `-r` (never ends), no `-D` and `+m` (write files), no `-k` and `-m` (other memory). */
const lsofWords = [
  /^-[nPltRUabwV]+$/,
  /^-[nPltRUabwV]*i([46]?(TCP|UDP|tcp|udp)?(@[\w.-]+)?(:[\w,-]+)?)$/,
  /^-s(TCP|UDP):\^?\w+$/,
  /^-[pucdg][\w,^.-]+$/,
  /^-F[a-zA-Z0]*$/,
  /^\+L\d*$/,
];
const lsofValued = /^(-[nPltRUabwV]*[pucdg]|\+[dD])$/;

function checkLsof(args: readonly ShellWord[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.hasPattern) return `${word.text} may expand to an option.`;
    if (!/^[-+]/.test(word.text)) continue;
    if (lsofWords.some((shape) => shape.test(word.text))) continue;
    if (!lsofValued.test(word.text)) return `lsof ${word.text} is not known to be harmless.`;
    const value = args[at + 1];
    if (value === undefined || value.hasPattern || /^[-+]/.test(value.text))
      return `lsof ${word.text} lacks its value.`;
    at += 1;
  }
  return undefined;
}

/** Only names: `=` sets a value, and `-p`, `-w` and `--system` set many. */
function checkSysctl(args: readonly ShellWord[]): string | undefined {
  const odd = args.find(
    (word) =>
      word.hasPattern ||
      !/^(-a|-n|-e|-N|-an|-na|-ne|-en|--all|--values|--names|[A-Za-z0-9_][\w./-]*)$/.test(word.text),
  );
  return odd === undefined ? undefined : `sysctl ${odd.text} may set a value.`;
}

/** Every word is in one of the shapes or a plain name. */
function shaped(shapes: readonly RegExp[], otherwise: string): ProgramRule['check'] {
  return (args) =>
    args.every((word) =>
      word.text.startsWith('-')
        ? !word.hasPattern && shapes.some((shape) => shape.test(word.text))
        : isPlain(word),
    )
      ? undefined
      : otherwise;
}

/** Reports with an interval need a count, or they never end. */
function counted(
  args: readonly ShellWord[],
  { name, flags, valued }: { readonly name: string; readonly flags: RegExp; readonly valued: RegExp },
): string | undefined {
  const numbers: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.hasPattern) return `${word.text} may expand to an option.`;
    if (flags.test(word.text)) continue;
    if (/^\d+$/.test(word.text)) numbers.push(word.text);
    else if (valued.test(word.text)) {
      const value = args[at + 1];
      if (
        value === undefined ||
        value.hasPattern ||
        !/^([\w,]+|\/var\/log\/[\w/.-]+)$/.test(value.text) ||
        value.text.includes('..')
      )
        return `${name} ${word.text} lacks its value.`;
      at += 1;
    } else return `${name} ${word.text} is not known to be harmless.`;
  }
  if (numbers.length > 2) return `${name} is given something else than an interval and a count.`;
  return numbers.length === 1 ? `${name} with an interval and no count never ends.` : undefined;
}
