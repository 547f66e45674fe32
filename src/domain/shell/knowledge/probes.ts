import { exactly, rule, withVerbs, type ProgramRule, type ReadOptions } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** Long enough for names of machines, short for carrying text away. */
const machineName = /^[A-Za-z0-9_](?:[\w.:-]{0,99})$/;

/** Ask the network something and change nothing there. */
export const probes: readonly ProgramRule[] = [
  rule({
    names: ['ping', 'ping6'],
    table: {
      flags: 'nqOD46',
      valued: 'cWwIi',
      refused: {
        '-f': 'ping -f floods.',
        '-l': 'ping -l sends many at once.',
        '-s': 'ping -s sends big packets.',
      },
    },
    operands: (read) => {
      const count = read.values.findLast(({ name }) => name === '-c')?.value.text ?? '';
      return (
        oneMachine('ping', read) ??
        (read.values.some(({ name, value }) => name === '-i' && !/^(0?\.[2-9]|[1-9])\d?$/.test(value.text))
          ? 'ping -i sends faster.'
          : undefined) ??
        (/^[1-9]\d?$/.test(count) ? undefined : 'ping without a small -c never ends.')
      );
    },
  }),
  rule({
    names: ['traceroute', 'traceroute6', 'tracepath'],
    table: { flags: 'nI46', valued: 'mqw' },
    operands: (read) => oneMachine('traceroute', read),
  }),
  rule({
    names: ['mtr'],
    table: {
      flags: 'rwnbz46',
      valued: 'c',
      long: ['report', 'report-wide', 'no-dns'],
      longValued: ['report-cycles'],
      refused: { '-F': 'mtr -F reads a list of machines.' },
    },
    operands: (read) =>
      oneMachine('mtr', read) ??
      (['-r', '-w', '--report', '--report-wide'].some((name) => read.given.has(name))
        ? undefined
        : 'mtr without -r never ends.'),
  }),
  { names: ['dig'], system: 'linux', check: checkDig },
  { names: ['host', 'nslookup'], system: 'linux', check: checkHost },
  {
    names: ['nc', 'ncat', 'netcat'],
    system: 'linux',
    // Only whether somebody answers: with -z nothing is sent.
    check: (args) => {
      const text = args.map((word) => `${word.text} `).join('');
      return args.every((word) => !word.hasPattern && !/\s/.test(word.text)) &&
        /^(?=(\S+ )*-\w*z)(-[46nvz]+ |-[46nvz]*w ?\d{1,2} )+[A-Za-z0-9][\w.:-]{0,99} \d{1,5} $/.test(text)
        ? undefined
        : 'nc without -z sends and listens.';
    },
  },
  { names: ['curl'], system: 'linux', check: checkCurl },
  rule({ names: ['arp'], table: { flags: 'anev', valued: 'i' }, operands: (read) => upToOne('arp', read) }),
  rule({ names: ['route'], table: { flags: 'neFCv46' }, operands: (read) => upToNone('route', read) }),
  { names: ['ifconfig'], system: 'linux', check: checkIfconfig },
  { names: ['ethtool'], system: 'linux', check: checkEthtool },
  exactly(['wg'], ['', 'show', 'show all', 'show interfaces'], 'wg may change a tunnel or tell its keys.'),
  {
    names: ['bridge', 'tc'],
    system: 'linux',
    check: (args) => {
      const rest = args.filter((word) => !/^-(s|d|j|p|c|br|4|6)$/.test(word.text));
      const [object, verb, ...more] = rest;
      const isKnown = /^(link|fdb|vlan|mdb|qdisc|class|filter)$/.test(object?.text ?? '');
      if (!isKnown || (verb !== undefined && !/^(show|ls|list)$/.test(verb.text)))
        return 'Only showing is known to be read-only.';
      return more.every((word) => !word.hasPattern && /^[A-Za-z0-9][\w.:@-]*$/.test(word.text))
        ? undefined
        : 'Something unusual is given.';
    },
  },
  withVerbs({
    names: ['nmcli'],
    verbs: {
      general: {},
      'general status': {},
      'device status': {},
      'dev status': {},
      'device show': {},
      'dev show': {},
      'connection show': { long: ['active'] },
      'con show': { long: ['active'] },
    },
    operands: (verb, read) =>
      verb === 'general' && read.operands.length > 0 ? 'nmcli general may change the system.' : undefined,
  }),
];

function oneMachine(program: string, read: ReadOptions): string | undefined {
  const [machine, ...more] = read.operands;
  return machine !== undefined && more.length === 0 && !machine.hasPattern && machineName.test(machine.text)
    ? undefined
    : `${program} is not given exactly one machine.`;
}

function upToOne(program: string, read: ReadOptions): string | undefined {
  return read.operands.length === 0 ? undefined : oneMachine(program, read);
}

function upToNone(program: string, read: ReadOptions): string | undefined {
  return read.operands.length === 0
    ? undefined
    : `${program} ${read.operands[0]?.text ?? ''} may change the network.`;
}

/** Not `-f` (a file of questions), `-k` and `-y` (keys). */
function checkDig(args: readonly ShellWord[]): string | undefined {
  const isKnown = (text: string): boolean =>
    /^(-x|-t|-4|-6)$/.test(text) ||
    /^@[A-Za-z0-9][\w.:-]{0,99}$/.test(text) ||
    /^\+(no)?(short|trace|all|answer|authority|additional|comments|stats|question|cmd|tcp|dnssec|recurse|multiline|nssearch|ttlid|identify)$/.test(
      text,
    ) ||
    /^\+(time|tries|timeout|retry)=\d{1,2}$/.test(text) ||
    machineName.test(text);
  const odd = args.find((word) => word.hasPattern || !isKnown(word.text));
  return odd === undefined ? undefined : `dig ${odd.text} is not known to be harmless.`;
}

/** nslookup without a name, or with `-`, takes commands from its input. */
function checkHost(args: readonly ShellWord[]): string | undefined {
  const odd = args.find(
    (word) =>
      word.hasPattern ||
      !(
        /^(-[ta46v]|-(type|query|q)=\w+|-(debug|timeout=\d+))$/.test(word.text) || machineName.test(word.text)
      ),
  );
  if (odd !== undefined) return `${odd.text} is not known to be harmless.`;
  return args.some((word) => !word.text.startsWith('-')) ? undefined : 'No name is looked up.';
}

/** A page that tells how a service is; any other address may do anything, and what it holds leaves the machine. */
const statusPage =
  /^(https?:\/\/)?[A-Za-z0-9][A-Za-z0-9.-]{0,99}(:\d{1,5})?(\/(health|healthz|health-check|livez?|readyz?|ready|ping|metrics|nginx_status|stub_status|server-status|-\/healthy|-\/ready|_cluster\/health|api\/health|actuator\/(health|info|metrics)|status|version|robots\.txt|_cat\/(health|nodes|indices|shards|allocation|master|recovery|thread_pool|count)|_cluster\/(stats|settings|state)|_nodes(\/stats)?|api\/v1\/(targets|alerts|rules|status\/\w+)|v1\/(health|agent\/members|status\/(leader|peers)|sys\/health))?(\?(pretty|v|format=json|pretty=true)(&(pretty|v|format=json))?)?)?$/;
const curlFlags = /^-[sSfIvik46]+$/;
const curlLong = /^--(silent|show-error|fail|head|verbose|include|ipv4|ipv6|insecure)$/;

/**
 * curl that only reads a status page. Not proven: `-L` (the answer decides what is asked next), `-H` (a header may change what the
 * request does), `-d`, `-F`, `-T`, `-X` (send), `-o` to a file, `-O`, `-K`, `-c` (write or read files), other protocols.
 */
function checkCurl(args: readonly ShellWord[]): string | undefined {
  let pages = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.hasPattern) return `${word.text} may expand to something else; quote it.`;
    if (curlFlags.test(word.text) || curlLong.test(word.text)) continue;
    const value = args[at + 1]?.text ?? '';
    if (/^(-[sSfIvik46]*m|--max-time|--connect-timeout)$/.test(word.text)) {
      if (!/^\d{1,3}$/.test(value)) return `curl ${word.text} lacks its number.`;
      at += 1;
    } else if (/^(-[sSfIvik46]*o|--output)$/.test(word.text)) {
      if (value !== '/dev/null') return `curl ${word.text} writes a file.`;
      at += 1;
    } else if (/^(-w|--write-out)$/.test(word.text)) {
      if (
        !/^(%\{(http_code|response_code|time_\w+|remote_ip|size_download|ssl_verify_result)\}|\\[nt]|[\w :,.=-])+$/.test(
          value,
        )
      )
        return `curl ${word.text} may write a file.`;
      at += 1;
    } else if (statusPage.test(word.text)) pages += 1;
    else if (word.text.startsWith('-')) return `curl ${word.text} is not known to be harmless.`;
    else return `What asking for ${word.text} does is not known.`;
  }
  return pages === 1 ? undefined : 'curl is not given exactly one page.';
}

function checkIfconfig([name, ...more]: readonly ShellWord[]): string | undefined {
  if (name === undefined) return undefined;
  return more.length === 0 &&
    !name.hasPattern &&
    (name.text === '-a' || /^[A-Za-z0-9][\w.:@-]*$/.test(name.text))
    ? undefined
    : 'ifconfig with more than a name changes the network.';
}

/** Not `-d`, `-e` and `-m`, which read registers, nor `-t` and `-p`, which act. */
function checkEthtool(args: readonly ShellWord[]): string | undefined {
  const mode = args.length === 2 ? args[0]?.text : undefined;
  const device = args.at(-1);
  const isRead = args.length === 1 || (mode !== undefined && /^-[iSkgcalTP]$/.test(mode));
  return isRead && device !== undefined && !device.hasPattern && /^[A-Za-z0-9][\w.:@-]*$/.test(device.text)
    ? undefined
    : 'ethtool may change the device.';
}
