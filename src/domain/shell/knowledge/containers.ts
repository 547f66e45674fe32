import { readOptions, type OptionTable, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

const list: OptionTable = {
  flags: 'aqls',
  valued: 'fn',
  long: ['all', 'digests', 'latest', 'no-trunc', 'quiet', 'size'],
  longValued: ['filter', 'format', 'last'],
};
const inspect: OptionTable = { flags: 's', valued: 'f', long: ['size'], longValued: ['format', 'type'] };
const logs: OptionTable = {
  flags: 't',
  valued: 'n',
  long: ['details', 'timestamps'],
  longValued: ['since', 'tail', 'until'],
  refused: { '-f': 'docker logs -f never ends.', '--follow': 'docker logs --follow never ends.' },
};
const plain: OptionTable = { longValued: ['format'], flags: 'q', long: ['quiet', 'no-trunc'] };

/** Verb, or object and verb, to its options. */
const verbs = new Map<string, OptionTable>(
  Object.entries({
    ps: list,
    images: list,
    logs,
    inspect,
    version: plain,
    info: plain,
    port: {},
    diff: {},
    history: { ...plain, flags: 'qH', long: ['human', 'no-trunc', 'quiet'] },
    'container ls': list,
    'container list': list,
    'container ps': list,
    'container inspect': inspect,
    'container logs': logs,
    'container port': {},
    'container diff': {},
    'image ls': list,
    'image inspect': inspect,
    'image history': { ...plain, flags: 'qH' },
    'network ls': list,
    'network inspect': inspect,
    'volume ls': list,
    'volume inspect': inspect,
    top: {},
    'container top': {},
    'context ls': plain,
    'service ls': { flags: 'q', valued: 'f', long: ['quiet'], longValued: ['filter', 'format'] },
    'service ps': { flags: 'q', long: ['no-trunc', 'quiet'], longValued: ['format'] },
    'node ls': { flags: 'q', valued: 'f', longValued: ['filter', 'format'] },
    'stack ls': plain,
    'system df': { flags: 'v', long: ['verbose'], longValued: ['format'] },
    'system info': plain,
  }),
);

/** docker's readers; its own options before the verb (another daemon, another configuration) are not proven. */
export const containers: readonly ProgramRule[] = [
  {
    names: ['docker', 'podman'],
    system: 'linux',
    check: (args: readonly ShellWord[]) => {
      const [first, second] = args;
      if (first === undefined) return undefined;
      if (first.text === '--version')
        return second === undefined ? undefined : 'docker is given something unusual.';
      const pair = `${first.text} ${second?.text ?? ''}`;
      const isPair = verbs.has(pair);
      if (first.text === 'compose') return checkCompose(args.slice(1));
      if (first.text === 'stats') return checkStats(args.slice(1));
      const verb = isPair ? pair : first.text;
      const table = verbs.get(verb);
      if (table === undefined) return `docker ${first.text} is not known to be read-only.`;
      const rest = args.slice(isPair ? 2 : 1);
      // podman runs the ps of the container for words that it does not know itself.
      if (/(^| )top$/.test(verb) && rest.length > 1)
        return `${verb} with words for ps may run a program of the container.`;
      return textOf(readOptions(rest, table));
    },
  },
  { names: ['docker-compose'], system: 'linux', check: checkCompose },
];

const composeVerbs = new Map<string, OptionTable>(
  Object.entries({
    ps: { flags: 'aq', long: ['all', 'quiet', 'services'], longValued: ['format', 'filter', 'status'] },
    ls: { flags: 'aq', long: ['all', 'quiet'], longValued: ['format', 'filter'] },
    images: { flags: 'q', long: ['quiet'], longValued: ['format'] },
    top: {},
    version: {},
    logs: {
      flags: 't',
      valued: 'n',
      long: ['no-color', 'no-log-prefix', 'timestamps'],
      longValued: ['since', 'tail', 'until'],
      refused: {
        '-f': 'docker compose logs -f never ends.',
        '--follow': 'docker compose logs --follow never ends.',
      },
    },
  }),
);

/** A description from elsewhere (`oci://…`, a repository) is fetched: only files of the machine may be named. `config` fetches too. */
function checkCompose(args: readonly ShellWord[]): string | undefined {
  let at = 0;
  while (/^-[fp]$/.test(args[at]?.text ?? '')) {
    const value = args[at + 1];
    if (
      value === undefined ||
      value.hasPattern ||
      !/^[\w./~][\w./-]*$/.test(value.text) ||
      value.text.includes('//')
    )
      return 'docker compose is given something else than a file.';
    at += 2;
  }
  const [verb, ...rest] = args.slice(at);
  const table = composeVerbs.get(verb?.text ?? '');
  if (table === undefined) return `docker compose ${verb?.text ?? ''} is not known to be read-only.`;
  return textOf(readOptions(rest, table));
}

function checkStats(args: readonly ShellWord[]): string | undefined {
  if (args.some((word) => word.text.startsWith('--no-stream=')))
    return 'docker stats without --no-stream never ends.';
  const read = readOptions(args, { ...plain, flags: 'a', long: ['all', 'no-stream', 'no-trunc'] });
  if (typeof read === 'string') return read;
  return read.given.has('--no-stream') ? undefined : 'docker stats without --no-stream never ends.';
}

function textOf(read: unknown): string | undefined {
  return typeof read === 'string' ? read : undefined;
}
