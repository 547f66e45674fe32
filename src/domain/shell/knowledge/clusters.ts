import { isPlain, readOptions, withVerbs, type OptionTable, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/**
 * Options of kubectl's readers. Not proven: `--raw` (asks any address of the server), `--kubeconfig`, `--server`, `--token`, `--as`
 * (another cluster or another person), `-f` (a file, or an end that never comes), `--watch`, plugins.
 */
const kubectlTable: OptionTable = {
  flags: 'Ap',
  valued: 'nolcL',
  long: [
    'all-namespaces',
    'show-labels',
    'no-headers',
    'previous',
    'all-containers',
    'timestamps',
    'prefix',
    'client',
    'containers',
    'minify',
  ],
  longValued: [
    'namespace',
    'output',
    'selector',
    'container',
    'context',
    'sort-by',
    'field-selector',
    'tail',
    'since',
    'since-time',
    'api-group',
    'revision',
    'limit-bytes',
  ],
  refused: {
    '-f': 'kubectl -f reads a file or never ends.',
    '-w': 'kubectl -w never ends.',
    '--raw': 'kubectl --raw asks any address of the server.',
  },
};
/** Forms that read no file: of the others each has one that does. */
const outputForm =
  /^(wide|name|json|yaml|(jsonpath|jsonpath-as-json|go-template|template|custom-columns)=[^]*)$/;
const kubectlVerbs = new Set([
  'get',
  'describe',
  'logs',
  'version',
  'explain',
  'api-resources',
  'api-versions',
  'events',
]);
const kubectlPairs = new Set([
  'top node',
  'top nodes',
  'top pod',
  'top pods',
  'config current-context',
  'config get-contexts',
  'config view',
  'rollout status',
  'rollout history',
  'auth can-i',
  'auth whoami',
]);

const helmTable: OptionTable = {
  flags: 'aA',
  valued: 'no',
  long: ['all', 'all-namespaces', 'short'],
  longValued: ['namespace', 'output', 'revision', 'max', 'kube-context'],
};

/** What clusters tell, as the person that the machine is set up for. */
export const clusters: readonly ProgramRule[] = [
  { names: ['kubectl'], system: 'linux', check: checkKubectl },
  withVerbs({
    names: ['helm'],
    verbs: {
      list: helmTable,
      ls: helmTable,
      status: helmTable,
      history: helmTable,
      'get values': helmTable,
      'get manifest': helmTable,
      'get notes': helmTable,
      version: {},
    },
  }),
  withVerbs({
    names: ['crictl'],
    verbs: {
      ps: { flags: 'aq', valued: 'o' },
      pods: { flags: 'q', valued: 'o' },
      images: { flags: 'qv', valued: 'o' },
      info: {},
      version: {},
      inspect: {},
      logs: { longValued: ['tail', 'since'], long: ['timestamps'] },
      stats: {},
    },
  }),
];

function checkKubectl(args: readonly ShellWord[]): string | undefined {
  const read = readOptions(args, kubectlTable);
  if (typeof read === 'string') return read;
  const [verb, second, ...rest] = read.operands;
  if (verb === undefined) return undefined;
  const odd = read.operands.find((word) => !isPlain(word));
  if (odd !== undefined) return `kubectl is given something unusual: ${odd.text}.`;
  const output = read.values.find(
    ({ name, value }) =>
      (name === '-o' || name === '--output') && !outputForm.test(value.text.replace(/^=/, '')),
  );
  if (output !== undefined) return `kubectl -o ${output.value.text} may open a file.`;
  if (verb.text === 'cluster-info' && second === undefined) return undefined;
  if (kubectlVerbs.has(verb.text)) return undefined;
  const pair = `${verb.text} ${second?.text ?? ''}`;
  if (!kubectlPairs.has(pair)) return `kubectl ${pair.trim()} is not known to be read-only.`;
  return verb.text === 'config' && rest.length > 1 ? 'kubectl config may change its settings.' : undefined;
}
