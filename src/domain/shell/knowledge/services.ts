import { readOptions, type OptionTable, type ProgramRule, type ReadOptions } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const systemctlTable: OptionTable = {
  flags: 'alqrv',
  valued: 'tnop',
  long: [
    'all',
    'failed',
    'full',
    'no-pager',
    'no-legend',
    'plain',
    'quiet',
    'system',
    'user',
    'value',
    'recursive',
    'reverse',
    'after',
    'before',
    'show-types',
    'version',
  ],
  longValued: ['type', 'state', 'lines', 'output', 'property', 'timestamp'],
  refused: { '-H': 'systemctl -H connects to another machine.', '-M': 'systemctl -M enters a container.' },
};
const systemctlVerbs = new Set([
  'status',
  'show',
  'cat',
  'is-active',
  'is-enabled',
  'is-failed',
  'is-system-running',
  'list-units',
  'list-unit-files',
  'list-timers',
  'list-sockets',
  'list-dependencies',
  'list-jobs',
  'list-machines',
  'get-default',
  'list-paths',
  'list-automounts',
  'show-environment',
]);

const journalctlTable: OptionTable = {
  flags: 'aeklmNqrx',
  valued: 'cFgnopStuU',
  optional: 'b',
  long: [
    'all',
    'boot',
    'catalog',
    'disk-usage',
    'dmesg',
    'fields',
    'full',
    'header',
    'list-boots',
    'merge',
    'no-full',
    'no-hostname',
    'no-pager',
    'no-tail',
    'pager-end',
    'quiet',
    'reverse',
    'system',
    'user',
    'utc',
    'truncate-newline',
    'verify',
  ],
  longValued: [
    'after-cursor',
    'case-sensitive',
    'cursor',
    'facility',
    'field',
    'grep',
    'identifier',
    'lines',
    'output',
    'output-fields',
    'priority',
    'since',
    'unit',
    'until',
    'user-unit',
  ],
  numeric: true,
  refused: {
    '-f': 'journalctl -f never ends.',
    '--follow': 'journalctl --follow never ends.',
    '--cursor-file': 'journalctl --cursor-file writes a file.',
    '--flush': 'journalctl --flush moves the journal.',
    '--relinquish-var': 'journalctl --relinquish-var moves the journal.',
    '--rotate': 'journalctl --rotate rotates the journal.',
    '--sync': 'journalctl --sync writes the journal.',
    '--update-catalog': 'journalctl --update-catalog writes the catalogue.',
    '--vacuum-files': 'journalctl --vacuum-files deletes journals.',
    '--vacuum-size': 'journalctl --vacuum-size deletes journals.',
    '--vacuum-time': 'journalctl --vacuum-time deletes journals.',
  },
};

const plainReads = new Set([
  'list',
  'list-sessions',
  'list-users',
  'list-seats',
  'statistics',
  'timesync-status',
  'show',
]);
/** Verbs that are told what to show: a session, a name to look up. */
const namedReads = new Set(['status', 'show-session', 'session-status', 'show-user', 'user-status', 'query']);

/** systemd's readers. Without a terminal they start no pager. */
export const services: readonly ProgramRule[] = [
  {
    names: ['systemctl'],
    system: 'linux',
    check: (args) =>
      withOperands(readOptions(args, systemctlTable), (operands) => {
        const verb = operands[0];
        if (verb === undefined) return undefined;
        return systemctlVerbs.has(verb.text) ? undefined : `systemctl ${verb.text} changes services.`;
      }),
  },
  {
    names: ['journalctl'],
    system: 'linux',
    check: (args) => withOperands(readOptions(args, journalctlTable), () => undefined),
  },
  {
    names: ['timedatectl', 'hostnamectl', 'localectl', 'loginctl', 'resolvectl', 'networkctl'],
    system: 'linux',
    check: (args) => {
      const [verb, ...names] = args.filter(
        (word) =>
          !/^(--no-pager|--value|--all|--property=\w+|--static|--transient|--pretty)$/.test(word.text),
      );
      if (verb === undefined) return undefined;
      const takesNames = namedReads.has(verb.text);
      if (verb.hasPattern || !(takesNames || plainReads.has(verb.text)))
        return `${verb.text} may change the system.`;
      return names.every(
        (word) => takesNames && !word.hasPattern && /^[A-Za-z0-9_][\w.:-]{0,99}$/.test(word.text),
      )
        ? undefined
        : `${verb.text} is given something unusual.`;
    },
  },
];

function withOperands(
  read: ReadOptions | string,
  check: (operands: readonly ShellWord[]) => string | undefined,
): string | undefined {
  return typeof read === 'string' ? read : check(read.operands);
}
