import { noOperands, rule, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const ipObjects = new Set([
  'address',
  'addr',
  'a',
  'link',
  'l',
  'route',
  'r',
  'rule',
  'ru',
  'neighbour',
  'neigh',
  'n',
  'maddress',
  'maddr',
  'tunnel',
  'netns',
]);
const ipVerbs = new Set(['show', 'list', 'ls', 'lst']);

/** Programs that tell about addresses, routes and sockets of the machine itself. */
export const network: readonly ProgramRule[] = [
  rule({
    names: ['ss'],
    table: {
      flags: 'aeHiblmnoOpsStuwxz046',
      valued: 'fA',
      long: [
        'all',
        'listening',
        'numeric',
        'processes',
        'tcp',
        'udp',
        'unix',
        'raw',
        'summary',
        'extended',
        'memory',
        'info',
        'options',
        'ipv4',
        'ipv6',
        'no-header',
        'oneline',
      ],
      longValued: ['family', 'query'],
      refused: {
        '-K': 'ss -K closes sockets.',
        '--kill': 'ss --kill closes sockets.',
        '-D': 'ss -D writes a file.',
        '-E': 'ss -E never ends.',
        '-N': 'ss -N enters another network namespace.',
      },
    },
  }),
  rule({
    names: ['netstat'],
    table: {
      flags: 'aeglnoprstuvwxW46FCMiN',
      long: [
        'all',
        'listening',
        'numeric',
        'program',
        'tcp',
        'udp',
        'route',
        'interfaces',
        'statistics',
        'wide',
        'extend',
      ],
      refused: { '-c': 'netstat -c never ends.' },
    },
    operands: noOperands,
  }),
  { names: ['ip'], system: 'linux', check: checkIp },
];

function checkIp(args: readonly ShellWord[]): string | undefined {
  let at = 0;
  while (
    /^-(4|6|s|d|o|j|p|h|br|brief|stats|statistics|details|oneline|json|pretty|human|c|color|color=never|r|resolve|N|Numeric|t|ts|iec)$/.test(
      args[at]?.text ?? '',
    )
  )
    at += 1;
  const [object, verb, ...rest] = args.slice(at);
  if (object === undefined || !ipObjects.has(object.text))
    return `ip ${object?.text ?? ''} is not known to be read-only.`;
  if (verb === undefined) return undefined;
  const isShort =
    verb.text === 's' && /^(address|addr|a|route|r|rule|ru|neighbour|neigh|n)$/.test(object.text);
  const isGet = ['route', 'r'].includes(object.text) && verb.text === 'get';
  if (!ipVerbs.has(verb.text) && !isGet && !isShort)
    return `ip ${object.text} ${verb.text} may change the network.`;
  return rest.every(
    (word) => !word.hasPattern && /^[\w.:/@%-]+$/.test(word.text) && !word.text.startsWith('-'),
  )
    ? undefined
    : `ip ${object.text} ${verb.text} is given something unusual.`;
}
