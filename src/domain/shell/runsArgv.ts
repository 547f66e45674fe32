import { readShellLine, type ShellWord } from './shellTree.ts';

/** Programs that run what follows among their words: behind one, the words of a rule may begin anywhere. */
const runners: ReadonlySet<string> = new Set([
  ...[
    'sudo',
    'doas',
    'su',
    'runuser',
    'setpriv',
    'env',
    'nice',
    'ionice',
    'timeout',
    'nohup',
    'setsid',
    'stdbuf',
  ],
  ...[
    'xargs',
    'find',
    'watch',
    'time',
    'chroot',
    'unshare',
    'nsenter',
    'flock',
    'chrt',
    'taskset',
    'command',
    'exec',
  ],
  ...[
    'builtin',
    'busybox',
    'toybox',
    'docker',
    'podman',
    'kubectl',
    'systemd-run',
    'ip',
    'numactl',
    'parallel',
    'entr',
  ],
]);

/** Programs that read what they run from a text: which words come of it is not known here. */
const readers: ReadonlySet<string> = new Set([
  ...[
    'sh',
    'bash',
    'dash',
    'zsh',
    'ksh',
    'ash',
    'fish',
    'csh',
    'tcsh',
    'eval',
    'source',
    '.',
    'ssh',
    'script',
    'at',
    'batch',
  ],
  ...[
    'python',
    'python3',
    'perl',
    'ruby',
    'node',
    'php',
    'lua',
    'awk',
    'gawk',
    'mawk',
    'sed',
    'make',
    'expect',
    'tclsh',
  ],
]);

/** `maybe` = the line is not understood completely, or a program in it runs what cannot be seen. */
export type ArgvMatch = 'yes' | 'no' | 'maybe';

/**
 * Whether a command line runs a program with words that begin like `prefix`, word by word. The folder of a program does not count, and
 * programs that run others are looked through. Says `no` only where the line is understood and shows everything that it runs.
 * Source: agent runtime contract, section 11, rules of the user.
 */
export function runsArgv(line: string, prefix: readonly string[]): ArgvMatch {
  const reading = readShellLine(line);
  if (!reading.ok) return 'maybe';
  const matches = reading.commands.map(({ words }) => ofCommand(words, prefix));
  if (matches.includes('yes')) return 'yes';
  return matches.includes('maybe') ? 'maybe' : 'no';
}

function ofCommand(words: readonly ShellWord[], prefix: readonly string[]): ArgvMatch {
  const [program] = words;
  if (program === undefined) return 'no';
  const name = baseName(program.text);
  const starts = runners.has(name) ? words.map((_, at) => at) : [0];
  const matches = starts.map((at) => beginsWith(words.slice(at), prefix));
  if (matches.includes('yes')) return 'yes';
  const hidesWords = words.some((word) => readers.has(baseName(word.text))) || program.hasPattern;
  return matches.includes('maybe') || hidesWords ? 'maybe' : 'no';
}

/** A pattern may become any word, and more than one. */
function beginsWith(words: readonly ShellWord[], prefix: readonly string[]): ArgvMatch {
  for (const [at, expected] of prefix.entries()) {
    const word = words[at];
    if (word === undefined) return 'no';
    if (word.hasPattern) return 'maybe';
    const isEqual = at === 0 ? baseName(word.text) === baseName(expected) : word.text === expected;
    if (!isEqual) return 'no';
  }
  return 'yes';
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
