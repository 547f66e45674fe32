import { exactly, isPlain, rule, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const versionOnly = 'Only asking for the version is known to be read-only.';

/** Programs of which one glance is proven: a version, a check of the configuration, a list. */
export const glances: readonly ProgramRule[] = [
  exactly(['python3', 'python'], ['--version', '-V'], `${versionOnly} It runs a script.`),
  exactly(['node'], ['--version', '-v'], versionOnly),
  exactly(['go'], [], 'go fetches the version of itself that a folder asks for, whatever it is asked.'),
  exactly(['gcc', 'g++', 'make', 'cmake'], ['--version'], versionOnly),
  exactly(['bash'], ['--version'], 'bash runs a script.'),
  exactly(['ssh'], ['-V'], 'ssh runs a program on another machine.'),
  exactly(['strace', 'tmux'], ['-V'], versionOnly),
  exactly(['haproxy'], ['-v', '-vv'], 'haproxy starts a service.'),
  exactly(
    ['rabbitmqctl'],
    [
      'status',
      'cluster_status',
      'list_queues',
      'list_exchanges',
      'list_connections',
      'list_channels',
      'list_consumers',
      'list_users',
      'list_vhosts',
    ],
    'rabbitmqctl may change the broker.',
  ),
  exactly(['exportfs'], ['', '-v', '-s'], 'exportfs changes what is exported.'),
  exactly(['nfsstat'], ['', '-c', '-s', '-m', '-n', '-r'], 'nfsstat -z resets counters.'),
  named(['showmount'], '-e', 'Only what a machine exports is asked for.'),
  exactly(['npm'], [], 'npm makes its folder of logs, whatever it is asked.'),
  exactly(['java'], ['-version', '--version'], versionOnly),
  exactly(['ruby'], ['--version', '-v'], versionOnly),
  exactly(['perl'], ['--version', '-v'], `${versionOnly} It runs a script.`),
  exactly(['php'], ['--version', '-v', '-m', '-i', '--ini'], 'php runs a script.'),
  exactly(['php-fpm'], ['-v', '-i', '-m'], 'php-fpm starts a service, and a test makes its log files.'),
  exactly(['nginx'], ['-v', '-V'], 'nginx starts or signals the service, and a test makes its log files.'),
  exactly(['apachectl', 'apache2ctl'], [], 'apachectl runs a script of the system, which makes folders.'),
  exactly(['sshd'], ['-t', '-T'], 'sshd starts a service.'),
  exactly(['varnishstat'], ['-1'], 'varnishstat without -1 never ends.'),
  rule({
    names: ['postconf'],
    table: { flags: 'ndhH', refused: { '-e': 'postconf -e changes a setting.' } },
    operands: (read) =>
      read.operands.every((word) => !word.hasPattern && /^\w+$/.test(word.text))
        ? undefined
        : 'postconf with = changes a setting.',
  }),
  exactly(['mailq'], [''], 'mailq is given something unusual.'),
  exactly(['postqueue'], ['-p', '-j'], 'postqueue sends what waits.'),
  exactly(
    ['chronyc'],
    ['tracking', 'sources', 'sources -v', 'sourcestats', 'activity', '-n sources', '-n tracking'],
    'chronyc may change the clock.',
  ),
  exactly(['ntpq'], ['-p', '-pn', '-np', '-n -p', '-p -n'], 'ntpq may change the service.'),
  exactly(
    ['systemd-analyze'],
    [
      '',
      'time',
      'blame',
      'critical-chain',
      'blame --no-pager',
      'critical-chain --no-pager',
      'security',
      'security --no-pager',
      'unit-paths',
    ],
    'systemd-analyze may change the level of the log or run generators.',
  ),
  exactly(['systemd-detect-virt'], ['', '-v', '-c'], 'systemd-detect-virt is given something unusual.'),
  exactly(['systemd-cgls'], ['', '--no-pager'], 'systemd-cgls is given something unusual.'),
  exactly(
    ['systemd-cgtop'],
    ['-b -n 1', '-bn1', '-n 1 -b', '-b -n1', '--batch -n 1'],
    'systemd-cgtop without -b and -n never ends.',
  ),
  named(['supervisorctl'], 'status', 'supervisorctl may change services.'),
  exactly(['atq'], [''], 'atq is given something unusual.'),
  exactly(['at'], ['-l'], 'at plans a command.'),
  exactly(['locale'], ['', '-a'], 'locale is given something unusual.'),
  exactly(['lslogins'], ['', '-u'], 'lslogins is given something unusual.'),
  named(['chage'], '-l', 'chage changes when a password ends.'),
  named(['faillock'], '--user', 'faillock --reset forgets what failed.'),
  rule({ names: ['cal', 'ncal'], table: { flags: '13my' }, operands: digits }),
  exactly(
    ['lsb_release'],
    ['-a', '-d', '-r', '-c', '-i', '-s', '-cs', '-rs', '-is', '-ds', '-sc', '-sr'],
    'lsb_release is given something unusual.',
  ),
  rule({
    names: ['whereis'],
    table: { flags: 'bms' },
    operands: (read) => (read.operands.every(isPlain) ? undefined : 'whereis is given something unusual.'),
  }),
  named(['update-alternatives', 'alternatives'], '--display', 'update-alternatives changes links.'),
  rule({
    names: ['getfacl'],
    table: { flags: 'acdeEnpstLP', long: ['absolute-names', 'numeric', 'omit-header'] },
  }),
  rule({ names: ['lsattr'], table: { flags: 'adlpv' } }),
  { names: ['tree'], system: 'linux', check: checkTree },
  { names: ['git'], system: 'linux', check: checkGit },
];

/** One fixed word, then plain names. */
function named(names: readonly string[], mode: string, otherwise: string): ProgramRule {
  return {
    names,
    system: 'linux',
    check: ([first, ...rest]) =>
      first?.text === mode && rest.every((word) => isPlain(word) && /^[\w.:-]+$/.test(word.text))
        ? undefined
        : otherwise,
  };
}

function digits(read: { readonly operands: readonly ShellWord[] }): string | undefined {
  return read.operands.every((word) => /^\d{1,4}$/.test(word.text))
    ? undefined
    : 'cal is given something unusual.';
}

/** tree reads clusters in a way of its own, where `-o` writes a file and `-R` with `-H` many. */
function checkTree(args: readonly ShellWord[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (/^-[adfpstuDghFxnNqsC]*[LPI]$/.test(word.text)) {
      const value = args[at + 1];
      if (value === undefined || value.hasPattern || value.text.startsWith('-'))
        return `tree ${word.text} lacks its value.`;
      at += 1;
    } else if (word.text.startsWith('-') || word.literalPrefix === '') {
      if (word.hasPattern || !/^(-[adfpstuDghFxnNqsC]+|--(du|dirsfirst|noreport))$/.test(word.text))
        return `tree ${word.text} is not known to be harmless.`;
    }
  }
  return undefined;
}

/**
 * A repository names programs that git runs: fsmonitor for `status` and `diff`, gpg for `log` with signatures, text converters, and the
 * connection that fetches an object which is missing. Only what reads no object and no file of the work tree is proven.
 */
const gitReads = new Set([
  'rev-parse HEAD',
  'rev-parse --short HEAD',
  'rev-parse --abbrev-ref HEAD',
  'rev-parse --show-toplevel',
  'branch --show-current',
  'remote',
  'remote -v',
  '--version',
]);

function checkGit(args: readonly ShellWord[]): string | undefined {
  const [first, folder, ...rest] = args;
  const words = first?.text === '-C' && folder !== undefined && isPlain(folder) ? rest : args;
  return words.every((word) => !word.hasPattern && !/\s/.test(word.text)) &&
    gitReads.has(words.map((word) => word.text).join(' '))
    ? undefined
    : 'The settings of the repository may make git run programs.';
}
