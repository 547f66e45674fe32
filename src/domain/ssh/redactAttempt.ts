import type { Fault } from '../fault.ts';
import type { TraceEvent, TraceFact } from './trace.ts';

/** An attempt as it leaves the machine: the name of the host, its fault and what happened on each server. */
export interface AttemptRecord {
  readonly label: string;
  readonly fault: Fault | undefined;
  readonly traces: readonly {
    /** Milliseconds UTC. */
    readonly startedAt: number;
    readonly events: readonly TraceEvent[];
  }[];
}

/** What a person wants left out. Fingerprints, algorithms and times always stay. Source: ssh.md 1.10. */
export interface Redaction {
  readonly users: boolean;
  /** Names and addresses of hosts, and commands that lead to them. */
  readonly hosts: boolean;
  /** Comments and files of keys. */
  readonly comments: boolean;
}

/**
 * The same attempt with names replaced, each by the same number everywhere: `user-1`, `host-2`, `key-1`. Names that the attempt knows are
 * replaced wherever they stand alone; in texts of servers and programs everything that looks like an address or a domain goes as well.
 */
export function redactAttempt(attempt: AttemptRecord, what: Redaction): AttemptRecord {
  const replace = replacer(namesOf(attempt), what);
  const fact = (of: TraceFact): TraceFact => redactFact(of, replace, what);
  const { fault } = attempt;
  return {
    label: replace(attempt.label),
    fault:
      fault === undefined
        ? undefined
        : {
            ...fault,
            ...(fault.hop === undefined ? {} : { hop: replace(fault.hop) }),
            facts: Object.fromEntries(
              Object.entries(fault.facts).map(([name, text]) => [name, replace(text)]),
            ),
          },
    traces: attempt.traces.map(({ startedAt, events }) => ({
      startedAt,
      events: events.map((event) => ({ ...event, hop: replace(event.hop), fact: fact(event.fact) })),
    })),
  };
}

interface Names {
  readonly users: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  readonly comments: ReadonlySet<string>;
}

function namesOf({ label, fault, traces }: AttemptRecord): Names {
  const users = new Set<string>();
  const hosts = new Set<string>([label]);
  const comments = new Set<string>();
  const events = traces.flatMap((trace) => trace.events);
  const hops = [...events.map(({ hop }) => hop), fault?.hop ?? '', fault?.facts['from'] ?? ''];
  for (const hop of new Set(hops)) {
    const [, who = hop, via = ''] = /^(.*) \(hop \d+ of \d+(?:, via (.*))?\)$/.exec(hop) ?? [];
    const at = who.lastIndexOf('@');
    if (at > 0) users.add(who.slice(0, at));
    hosts.add(who.slice(at + 1));
    for (const name of via.split(', ')) hosts.add(name);
  }
  for (const name of ['address', 'name', 'from']) hosts.add(fault?.facts[name] ?? '');
  for (const { fact } of events) {
    if (fact.k === 'address') hosts.add(fact.address);
    if (fact.k === 'carrier' && (fact.kind === 'socks' || fact.kind === 'http'))
      hosts.add((fact.via ?? '').replace(/:\d+$/, ''));
    if (fact.k === 'identity') comments.add(fact.label);
  }
  return { users, hosts, comments };
}

type Replace = (text: string) => string;

function replacer(names: Names, what: Redaction): Replace {
  const known = [
    ...(what.comments ? numbered(names.comments, 'key') : []),
    ...(what.hosts ? numbered(names.hosts, 'host') : []),
    ...(what.users ? numbered(names.users, 'user') : []),
  ].sort(([a], [b]) => b.length - a.length);
  const patterns = known.map(([name, instead]) => [standingAlone(name), instead] as const);
  return (text) => {
    let result = text;
    for (const [pattern, instead] of patterns) result = result.replace(pattern, instead);
    if (what.users) result = result.replace(homes, '$1user');
    if (what.hosts) for (const pattern of places) result = result.replace(pattern, '[address]');
    return result;
  };
}

function numbered(names: ReadonlySet<string>, kind: string): readonly (readonly [string, string])[] {
  return [...names]
    .filter((name) => name !== '')
    .map((name, index) => [name, `${kind}-${String(index + 1)}`]);
}

/** A short name, such as `op`, must not be found inside of words. */
function standingAlone(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'gu');
}

const homes = /((?:\/home\/|\/Users\/|\\Users\\))[^/\\:\s]+/g;

/** Addresses of both families, and domains except those that belong to names of algorithms. */
const places: readonly RegExp[] = [
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g,
  /(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?)(?:%\w+)?(?![\w:])/gi,
  /(?<![\w./@-]|@(?=openssh\.com|libssh\.org))(?:[a-z0-9-]+\.)+[a-z]{2,}(?![\w/-])/gi,
  /(?<=@)(?!openssh\.com\b|libssh\.org\b)(?:[a-z0-9-]+\.)+[a-z]{2,}(?![\w/-])/gi,
];

function redactFact(fact: TraceFact, replace: Replace, what: Redaction): TraceFact {
  switch (fact.k) {
    case 'carrier': {
      const isCommand = fact.kind === 'program' && (what.hosts || what.users);
      return { ...fact, via: isCommand ? '[command]' : replaceOptional(fact.via, replace) };
    }
    case 'address':
      return { ...fact, address: replace(fact.address), reason: replaceOptional(fact.reason, replace) };
    case 'hostKey':
      return { ...fact, decision: replace(fact.decision), at: replaceOptional(fact.at, replace) };
    case 'agent':
      return { ...fact, endpoint: replace(fact.endpoint), result: replace(fact.result) };
    case 'identity':
      return { ...fact, label: replace(fact.label), result: replace(fact.result) };
    case 'identification':
    case 'channelRefused':
    case 'output':
    case 'banner':
    case 'laterError':
      return { ...fact, text: replace(fact.text) };
    case 'signedIn':
      return { ...fact, by: replace(fact.by) };
    case 'ended':
      return { ...fact, reason: replace(fact.reason) };
    case 'alreadyConnected':
    case 'offered':
    case 'agreed':
    case 'leftOut':
    case 'methods':
    case 'asked':
      return fact;
  }
}

function replaceOptional(text: string | undefined, replace: Replace): string | undefined {
  return text === undefined ? undefined : replace(text);
}
