import { contentOperands, refuseContent } from '../contentPath.ts';
import { couldBeOption, isPlain, rule, type Machine, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Compressed files and archives, read and listed. */
export const archives: readonly ProgramRule[] = [
  rule({
    names: ['zcat', 'bzcat', 'xzcat', 'lzcat', 'zstdcat'],
    table: { flags: 'fq' },
    operands: contentOperands,
  }),
  rule({
    names: ['zgrep', 'zegrep', 'zfgrep'],
    table: {
      flags: 'EFGinvwcohHlqs',
      valued: 'mABC',
      refused: { '-f': 'zgrep -f opens one more file.', '-e': 'zgrep -e is not read like that of grep.' },
    },
    // zgrep is a script: older ones run what the name of a file holds, and take the value of an option for the pattern.
    operands: (read, machine) => {
      const odd = read.operands.slice(1).find((word) => !isPlain(word));
      return odd === undefined
        ? contentOperands({ operands: [...read.operands, ...read.values.map(({ value }) => value)] }, machine)
        : `zgrep may run what the name ${odd.text} holds.`;
    },
  }),
  {
    names: ['gzip'],
    system: 'linux',
    check: ([mode, ...paths], machine) =>
      mode !== undefined && /^(-l|-lv|-vl|--list|-t|-tv|--test)$/.test(mode.text)
        ? plainPaths(paths, machine)
        : 'gzip without -l replaces files.',
  },
  { names: ['tar'], system: 'linux', check: checkTar },
  {
    names: ['unzip'],
    system: 'linux',
    check: ([mode, ...paths], machine) =>
      mode?.text === '-l' || mode?.text === '-v'
        ? plainPaths(paths, machine)
        : 'unzip without -l writes files.',
  },
  {
    names: ['xxd'],
    system: 'linux',
    // xxd reads only the first letters of an option, and writes its second operand.
    check: (args, machine) => {
      const operands: ShellWord[] = [];
      for (let at = 0; at < args.length; at++) {
        const word = args[at];
        if (word === undefined) break;
        if (operands.length > 0) return 'The second file of xxd is written.';
        if (/^-[lscg]$/.test(word.text)) {
          at += 1;
          if (!/^\d+$/.test(args[at]?.text ?? '')) return `xxd ${word.text} lacks its number.`;
        } else if (word.text.startsWith('-')) {
          if (!/^-[bupe]$/.test(word.text)) return `xxd ${word.text} is not known to be harmless.`;
        } else operands.push(word);
      }
      const [file] = operands;
      if (file?.hasPattern === true) return 'The second file of xxd is written.';
      return file === undefined ? undefined : refuseContent(file, machine);
    },
  },
];

function plainPaths(paths: readonly ShellWord[], machine: Machine): string | undefined {
  for (const path of paths) {
    if (path.text.startsWith('-') || (path.hasPattern && couldBeOption(path)))
      return `${path.text} may be an option.`;
    const reason = refuseContent(path, machine);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Lists only: `t` and `f` in one first word, then the archive. A colon in its name would make tar connect to another machine. */
function checkTar([mode, archive, ...members]: readonly ShellWord[], machine: Machine): string | undefined {
  if (mode === undefined || !/^-?[vzjJ]*t[vzjJ]*f$/.test(mode.text))
    return 'Only tar -t with a file is known to be read-only.';
  if (
    archive === undefined ||
    archive.hasPattern ||
    archive.text.includes(':') ||
    archive.text.startsWith('-')
  )
    return 'tar is not given exactly one archive of this machine.';
  const odd = members.find((word) => word.hasPattern || word.text.startsWith('-'));
  if (odd !== undefined) return `tar ${odd.text} is not known to be harmless.`;
  return refuseContent(archive, machine);
}
