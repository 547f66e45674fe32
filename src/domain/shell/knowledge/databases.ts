import { exactly, isPlain, rule, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** A function may change anything, so that of SQL only what names none is proven, on the views of PostgreSQL itself. */
const psqlCommand =
  /^(\\(l|d|dt|du|dn|di|dv|dx|df|db|ds|conninfo)\+?( [\w.*]+)?|show \w[\w.]*;?|select (\*|count\(\*\)|\w+(, ?\w+)*) from (pg_stat_activity|pg_stat_replication|pg_stat_database|pg_stat_user_tables|pg_stat_user_indexes|pg_locks|pg_database|pg_roles|pg_settings|pg_tables|pg_indexes)( limit \d+)?;?|select version\(\);?)$/i;
const mysqlStatement =
  /^show (full )?(processlist|databases|tables|open tables|status|variables|global status|global variables|engines|plugins|engine innodb status|slave status|replica status|master status|binary logs|grants|warnings)( from \w+)?( like '[\w%]+')?(;|\\G)?$/i;
/** Read commands by name; not `keys` (stops the server for as long as it takes) and none that can store. */
const redisCommands = [
  /^(ping|dbsize|time|lastsave|role|info)$/,
  /^info \w+$/,
  /^(client list|slowlog len|cluster info|cluster nodes|memory stats|memory doctor|latency latest|command count)$/,
  /^slowlog get( \d{1,4})?$/,
  /^config get [\w*-]+$/,
  /^memory usage [\w:.-]+$/,
  /^(get|type|ttl|pttl|exists|strlen|llen|scard|zcard|hlen) [\w:.-]+$/,
  /^hget [\w:.-]+ [\w:.-]+$/,
  /^lrange [\w:.-]+ -?\d+ -?\d+$/,
];

/** Clients of databases with statements of a known shape. Without one they read statements from their input, and are not proven. */
export const databases: readonly ProgramRule[] = [
  rule({
    names: ['psql'],
    table: {
      flags: 'lAtxqXw',
      valued: 'cUhpd',
      long: ['list', 'no-psqlrc', 'version'],
      refused: { '-f': 'psql -f runs a script.', '-o': 'psql -o writes a file.' },
    },
    operands: (read) => {
      const commands = read.values.filter(({ name }) => name === '-c').map(({ value }) => value.text);
      const odd = commands.find((text) => !psqlCommand.test(text));
      if (odd !== undefined) return `What ${odd} does in the database is not known.`;
      if (!plainSettings(read, 'UhpdW')) return 'psql is given an unusual place.';
      return commands.length > 0 || ['-l', '--list', '--version'].some((name) => read.given.has(name))
        ? undefined
        : 'psql takes what it runs from its input.';
    },
  }),
  rule({
    names: ['mysql', 'mariadb'],
    table: { flags: 'NBt', valued: 'euhP', refused: { '-p': 'mysql -p shows or asks for a password.' } },
    operands: (read) => {
      const commands = read.values.filter(({ name }) => name === '-e').map(({ value }) => value.text);
      const odd = commands.find((text) => !mysqlStatement.test(text));
      if (odd !== undefined) return `What ${odd} does in the database is not known.`;
      if (!plainSettings(read, 'uhP')) return 'mysql is given an unusual place.';
      return commands.length > 0 ? undefined : 'mysql takes what it runs from its input.';
    },
  }),
  exactly(
    ['mysqladmin', 'mariadb-admin'],
    ['status', 'ping', 'version', 'processlist', 'extended-status', 'variables'],
    'mysqladmin may change the server.',
  ),
  rule({
    names: ['pg_isready'],
    table: { flags: 'q', valued: 'hpdUt' },
    operands: (read) =>
      read.operands.length === 0 && plainSettings(read, 'hpdUt')
        ? undefined
        : 'pg_isready is given an unusual place.',
  }),
  exactly(['pg_lsclusters'], [''], 'pg_lsclusters is given something unusual.'),
  { names: ['redis-cli'], system: 'linux', check: checkRedis },
];

/** No connection texts, which may set anything: only plain names. */
function plainSettings(
  read: {
    readonly operands: readonly ShellWord[];
    readonly values: readonly { name: string; value: ShellWord }[];
  },
  letters: string,
): boolean {
  return (
    read.operands.length <= 1 &&
    [
      ...read.operands,
      ...read.values.filter(({ name }) => letters.includes(name.slice(1))).map(({ value }) => value),
    ].every((word) => isPlain(word) && /^[\w./-]+$/.test(word.text))
  );
}

function checkRedis(args: readonly ShellWord[]): string | undefined {
  let at = 0;
  while (/^-[hpn]$/.test(args[at]?.text ?? '')) {
    const value = args[at + 1];
    if (value === undefined || value.hasPattern || !/^[A-Za-z0-9][\w.-]*$/.test(value.text))
      return 'redis-cli is given an unusual place.';
    at += 2;
  }
  const words = args.slice(at);
  const text = words.map((word) => word.text).join(' ');
  const isRead =
    words.every((word) => !word.hasPattern && !/\s/.test(word.text)) &&
    redisCommands.some((shape) => shape.test(text.toLowerCase()));
  return isRead ? undefined : 'What redis-cli is told is not known to be read-only.';
}
