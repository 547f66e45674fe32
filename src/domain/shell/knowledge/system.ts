import { contentOperands } from '../contentPath.ts';
import { noOperands, rule, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Programs that tell about the machine, its people and its processes. */
export const system: readonly ProgramRule[] = [
  rule({ names: ['uptime'], table: { flags: 'ps', long: ['pretty', 'since'] }, operands: noOperands }),
  rule({
    names: ['free'],
    table: {
      flags: 'bkmghtlwv',
      long: ['bytes', 'kibi', 'mebi', 'gibi', 'kilo', 'mega', 'giga', 'human', 'total', 'lohi', 'wide', 'si'],
      refused: { '-s': 'free -s never ends.' },
    },
    operands: noOperands,
  }),
  rule({
    names: ['whoami', 'logname', 'tty', 'arch', 'users'],
    system: 'posix',
    table: {},
    operands: noOperands,
  }),
  rule({
    names: ['id'],
    system: 'posix',
    table: { flags: 'ugGnrzZ', long: ['user', 'group', 'groups', 'name', 'real', 'zero'] },
  }),
  rule({ names: ['groups'], system: 'posix', table: {} }),
  rule({
    names: ['hostname'],
    table: {
      flags: 'fsdiIAy',
      long: ['fqdn', 'long', 'short', 'domain', 'ip-address', 'all-ip-addresses', 'all-fqdns'],
      refused: { '-F': 'hostname -F sets the name.', '-b': 'hostname -b sets the name.' },
    },
    operands: (read) => (read.operands.length === 0 ? undefined : 'hostname with a name sets it.'),
  }),
  rule({
    names: ['uname'],
    system: 'posix',
    table: {
      flags: 'asnrvmpio',
      long: [
        'all',
        'kernel-name',
        'nodename',
        'kernel-release',
        'kernel-version',
        'machine',
        'processor',
        'operating-system',
      ],
    },
    operands: noOperands,
  }),
  rule({
    names: ['date'],
    table: {
      flags: 'uR',
      valued: 'dr',
      optional: 'I',
      long: ['utc', 'universal', 'iso-8601', 'rfc-email', 'rfc-3339'],
      longValued: ['date', 'reference'],
      refused: { '-s': 'date -s sets the clock.', '--set': 'date --set sets the clock.' },
    },
    operands: (read) =>
      read.operands.every((word) => word.text.startsWith('+') && !word.hasPattern)
        ? undefined
        : 'date with a time sets the clock.',
  }),
  rule({ names: ['nproc'], table: { long: ['all'], longValued: ['ignore'] }, operands: noOperands }),
  rule({ names: ['getconf'], system: 'posix', table: { flags: 'a', valued: 'v' } }),
  rule({ names: ['printenv'], system: 'posix', table: { flags: '0', long: ['null'] } }),
  {
    names: ['env'],
    system: 'posix',
    check: (args) =>
      args.every((word) => word.text === '-0' || word.text === '--null') ? undefined : 'env runs a program.',
  },
  rule({
    names: ['getent'],
    table: { valued: 's', longValued: ['service'] },
    // The name of a service is part of the name of a library that is loaded.
    operands: (read) =>
      read.values.every(({ value }) => /^[a-z]+(:[a-z]+)?$/.test(value.text))
        ? undefined
        : 'getent -s may load a library.',
  }),
  {
    names: ['ps'],
    system: 'posix',
    takesOpenWords: true,
    check: (args, machine) =>
      // On other systems an option may name a file that is read.
      plainWords('ps')(machine.isLinux ? args.filter((word) => !word.isOpen) : args, machine),
  },
  rule({
    names: ['pgrep'],
    table: {
      flags: 'acfilnovwx',
      valued: 'uUgGPtsdr',
      long: [
        'full',
        'exact',
        'list-name',
        'list-full',
        'count',
        'newest',
        'oldest',
        'inverse',
        'ignore-case',
      ],
      longValued: ['uid', 'euid', 'group', 'parent', 'session', 'terminal', 'delimiter'],
    },
  }),
  rule({ names: ['pidof'], table: { flags: 'csx', valued: 'o' } }),
  rule({ names: ['pstree'], table: { flags: 'aAcghlnpsStTuUZ', valued: 'HN' } }),
  rule({
    names: ['top'],
    table: { flags: 'bcHiS1', valued: 'nopuUwdeE' },
    operands: (read) =>
      noOperands(read) ??
      (read.given.has('-b') && read.given.has('-n') ? undefined : 'top without -b and -n never ends.'),
  }),
  rule({ names: ['who'], system: 'posix', table: { flags: 'abdHlmpqrstTuw' }, operands: contentOperands }),
  rule({ names: ['w'], table: { flags: 'hsfoiuV', long: ['no-header', 'short', 'from', 'ip-addr'] } }),
  rule({ names: ['last', 'lastb'], table: { flags: 'adFiRwx', valued: 'nstp', numeric: true } }),
  rule({
    names: ['lastlog'],
    table: {
      valued: 'btu',
      longValued: ['before', 'time', 'user'],
      refused: { '-C': 'lastlog -C clears a record.', '-S': 'lastlog -S sets a record.' },
    },
    operands: noOperands,
  }),
  rule({
    names: ['dmesg'],
    table: {
      flags: 'eHkrtTuxJP',
      valued: 'fl',
      optional: 'L',
      long: [
        'color',
        'ctime',
        'human',
        'kernel',
        'raw',
        'reltime',
        'notime',
        'userspace',
        'decode',
        'json',
        'nopager',
      ],
      longValued: ['facility', 'level', 'since', 'until', 'time-format'],
      refused: {
        '-c': 'dmesg -c clears the kernel log.',
        '-C': 'dmesg -C clears the kernel log.',
        '-n': 'dmesg -n changes what the console shows.',
        '-D': 'dmesg -D changes what the console shows.',
        '-E': 'dmesg -E changes what the console shows.',
        '-w': 'dmesg -w never ends.',
      },
    },
    operands: noOperands,
  }),
  rule({
    names: ['vmstat'],
    table: {
      flags: 'adfmnstw',
      valued: 'pS',
      long: ['active', 'disk', 'slabs', 'stats', 'timestamp', 'wide', 'one-header'],
    },
    operands: countedInterval('vmstat'),
  }),
  rule({
    names: ['iostat'],
    table: { flags: 'cdhkmNstxyz', valued: 'jp', long: ['human', 'dec'] },
    operands: (read) =>
      countedInterval('iostat')({
        operands: read.operands.filter((word) => word.hasPattern || !/^[a-z][a-z0-9-]+$/.test(word.text)),
      }),
  }),
  rule({ names: ['mpstat'], table: { flags: 'uA', valued: 'PI' }, operands: countedInterval('mpstat') }),
  rule({
    names: ['crontab'],
    table: {
      flags: 'l',
      valued: 'u',
      refused: { '-e': 'crontab -e edits the table.', '-r': 'crontab -r removes the table.' },
    },
    operands: (read) =>
      read.given.has('-l') && read.operands.length === 0
        ? undefined
        : 'crontab without -l replaces the table.',
  }),
  rule({ names: ['ulimit'], system: 'posix', table: { flags: 'aSHcdfilmnpqrstuvx' }, operands: noOperands }),
  {
    names: ['sleep'],
    system: 'posix',
    check: ([time, ...more]) =>
      time !== undefined && more.length === 0 && /^\d{1,3}(\.\d+)?s?$/.test(time.text)
        ? undefined
        : 'sleep is not given a short time.',
  },
  { names: ['expr'], system: 'posix', check: plainWords('expr') },
  rule({ names: ['umask'], system: 'posix', table: { flags: 'S' }, operands: noOperands }),
];

/** Programs none of whose options act: every word is plain. */
function plainWords(name: string): ProgramRule['check'] {
  return (args: readonly ShellWord[]) =>
    args.every((word) => !word.hasPattern && /^[\w\-+=,.:@/%~ ]*$/.test(word.text))
      ? undefined
      : `${name} is given something unusual.`;
}

/** Without a count behind the interval these never end. */
function countedInterval(name: string) {
  return (read: { readonly operands: readonly ShellWord[] }): string | undefined => {
    const numbers = read.operands.filter((word) => /^\d+$/.test(word.text));
    if (numbers.length !== read.operands.length || numbers.length > 2)
      return `${name} is given something else than an interval and a count.`;
    return numbers.length === 1 ? `${name} with an interval and no count never ends.` : undefined;
  };
}
