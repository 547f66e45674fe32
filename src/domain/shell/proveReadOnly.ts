import { place, refuseContent } from './contentPath.ts';
import { changes, rules } from './knowledge/index.ts';
import type { Machine } from './programRule.ts';
import { readShellLine, type ShellWord, type SimpleCommand } from './shellTree.ts';
import { unwrapped } from './wrappers.ts';
import { notProven, type ProvenCommand, type Verdict } from './verdict.ts';

export interface CommandQuestion {
  readonly command: string;
  /** Absolute; undefined = the login folder. */
  readonly cwd: string | undefined;
  /** Variables are set for the command: they may change what any program does. */
  readonly hasEnvironment: boolean;
  /** The command is given input or a secret. */
  readonly hasInput: boolean;
  /** Base name of the login shell, once an answer of the host told it. */
  readonly loginShell: string | undefined;
  /** `os` of the facts of the host, once an answer told it. */
  readonly os: string | undefined;
}

const systemFolders = /^\/(usr\/)?s?bin\//;

/**
 * Proves that a command line changes nothing, or says the first thing that is not proven. Pure and synchronous. Proven is only a
 * complete parse into known programs whose every word is known to be read-only, under a login shell that reads the line as the
 * parser does. Source: agent runtime contract, section 11, "Command proof".
 */
export function proveReadOnly(question: CommandQuestion): Verdict {
  const machine = machineOf(question);
  if (typeof machine === 'string') return notProven(machine);
  if (question.cwd !== undefined && !isPlainFolder(question.cwd))
    return notProven('Where the folder of the call is, is not known.');
  if (question.hasEnvironment) return notProven('Variables are set for the command.');
  if (question.hasInput) return notProven('The command is given input.');
  const reading = readShellLine(question.command, machine.shell);
  if (!reading.ok) return notProven(reading.reason);
  const proven: ProvenCommand[] = [];
  let here: Machine = machine;
  for (const command of reading.commands) {
    const reason = refuse(command, here);
    if (reason !== undefined) return notProven(reason);
    const [program, ...args] = command.words;
    if (program === undefined) continue;
    here = afterwards(here, command);
    proven.push({ program: program.text, arguments: args.map((word) => word.text) });
  }
  return proven.length === 0
    ? notProven('The command runs no program.')
    : { proof: 'readOnly', commands: proven };
}

/** The kernel follows links before `..`, so such a folder may be anywhere. */
function isPlainFolder(cwd: string): boolean {
  return /^(\/|~(\/|$))/.test(cwd) && !cwd.split('/').includes('..');
}

function machineOf(question: CommandQuestion): Machine | string {
  const { loginShell, os, cwd } = question;
  switch (loginShell) {
    case 'sh':
    case 'bash':
    case 'dash':
      return { shell: loginShell, isLinux: os === 'Linux', folders: [cwd ?? '~'] };
    case undefined:
      return 'The login shell of this host is not known yet.';
    default:
      return `The login shell ${loginShell} may read the command differently.`;
  }
}

function refuse(command: SimpleCommand, machine: Machine): string | undefined {
  for (const input of command.inputs) {
    const reason = refuseContent(input, machine);
    if (reason !== undefined) return reason;
  }
  return command.words.length === 0
    ? undefined
    : refuseWords(command.words, { ...machine, hasEmptyInput: command.hasEmptyInput });
}

function refuseWords(words: readonly ShellWord[], machine: Machine): string | undefined {
  const [program, ...args] = words;
  if (program === undefined) return 'A part runs no program.';
  if (program.isOpen) return openReason(program);
  if (program.hasPattern) return `${program.text} is a pattern where a program stands.`;
  const name = program.text.replace(systemFolders, '');
  if (name === '' || name.includes('/')) return `${program.text} is not a system program.`;
  const inner = machine.isLinux ? unwrapped(name, args) : undefined;
  if (inner !== undefined) return refuseWords(inner, machine);
  const known = rules.get(name);
  if (known === undefined) {
    const effect = changes.get(name);
    return effect === undefined ? `${name} is not known to be read-only.` : `${name} ${effect}.`;
  }
  if (known.system === 'linux' && !machine.isLinux) return `What ${name} does on this system is not known.`;
  const open = known.takesOpenWords === true ? undefined : args.find((word) => word.isOpen);
  return open === undefined ? known.check(args, machine) : openReason(open);
}

function openReason(word: ShellWord): string {
  return `What ${word.text} becomes is not known before it runs.`;
}

/**
 * A `cd` may fail, or hold for its own part of the line only: what follows runs in the new folder or in any of those before. The
 * folders that it is given were checked to lead nowhere dangerous.
 */
function afterwards(machine: Machine, command: SimpleCommand): Machine {
  const [program, ...args] = command.words;
  if (program?.text !== 'cd') return machine;
  const isFolder = (word: ShellWord): boolean => !/^-([LP]*|-)$/.test(word.text);
  const target = args.find(isFolder)?.text ?? '~';
  const moved = machine.folders.map((folder) => place(target, folder)).filter((path) => path !== undefined);
  return { ...machine, folders: [...new Set([...machine.folders, ...moved])] };
}
