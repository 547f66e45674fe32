import { asciiLower } from './asciiCase.ts';
import { choiceOf, flagChoice, readQos } from './choices.ts';
import { expandEnvironment, type Environment } from './expandTokens.ts';
import { forwardSpec } from './forwardSpec.ts';
import { isDomain, jumpSpec } from './jumpSpec.ts';
import type { KeywordKind } from './keywords.ts';
import type { Release } from './release.ts';
import { readInteger, readPort, readScaled, readSeconds } from './scalars.ts';

/** One value that a line gives. Most lines give one under their keyword. */
export interface SlotValue {
  readonly slot: string;
  readonly values: readonly string[];
}

/** What a line gives, or why OpenSSH would refuse it. Nothing given: the line is fine and leaves the value open. */
export type ReadValue =
  { readonly ok: true; readonly slots: readonly SlotValue[] } | { readonly ok: false; readonly why: string };

/** A line of which a keyword keeps a second value of its own, won by its own first line. */
export const secondSlot = {
  /** The interval of RekeyLimit, in seconds. */
  rekeyInterval: 'rekeylimit interval',
  /** The socket of ForwardAgent. */
  agentSocket: 'forwardagent socket',
} as const;

export interface ValueLine {
  readonly keyword: string;
  readonly kind: KeywordKind;
  /** What stands behind the keyword, verbatim and not empty; and cut into arguments. */
  readonly rest: string;
  readonly words: readonly string[];
  readonly rules: ReadingRules;
}

/** What the reading of a line depends on beside its text. */
export interface ReadingRules {
  /** The release of the `ssh` on this machine. */
  readonly release: Release;
  /** For `${NAME}` in forwards and agent sockets, which OpenSSH replaces or checks while it reads. */
  readonly environment: Environment;
}

const bad = (why: string): ReadValue => ({ ok: false, why });
const nothing: ReadValue = { ok: true, slots: [] };

/**
 * Reads what stands behind a keyword into values in the spelling of `ssh -G`: `yes`/`no` or `true`/`false` as it prints them, times in
 * seconds. Source: ssh.md 4.2; OpenSSH `process_config_line_depth`.
 */
export function readValue(line: ValueLine): ReadValue {
  const { words } = line;
  const give = (...values: readonly string[]): ReadValue => ({
    ok: true,
    slots: [{ slot: line.keyword, values }],
  });
  switch (line.kind) {
    case 'ignored':
      return nothing;
    case 'verbatim':
      return give(line.rest.replace(/^[ \t\r\n=]+/, ''));
    case 'jump': {
      const chain = jumpSpec(line.rest);
      return chain === undefined ? bad('it is not a chain of hosts') : give(chain);
    }
    case 'addendum':
      return give(line.rest.replace(/#.*$/s, '').trimEnd());
    default:
      return readWords(line, { words, give });
  }
}

interface Words {
  readonly words: readonly string[];
  readonly give: (...values: readonly string[]) => ReadValue;
}

/** Keywords with several arguments; the rest has exactly one. */
function readWords(line: ValueLine, { words, give }: Words): ReadValue {
  const [first] = words;
  switch (line.kind) {
    case 'words':
      return readList(words, { give, empty: true });
    case 'channelTimeout':
      return words.length === 0 || !words.every((word) => /^none$|^[^=]+=/i.test(word))
        ? bad('it is not a list of type=time')
        : readList(words, { give, empty: false });
    case 'domains':
      return readDomains(words, give);
    case 'cnames':
      return readCnames(words, give);
    case 'remoteOpens':
      return readRemoteOpens(words, give);
    case 'sendEnv':
      return words.some((word) => word === '' || word.includes('='))
        ? bad('it is not a list of variable names')
        : give(...words);
    case 'setEnv':
      return words.some((word) => !word.includes('='))
        ? bad('it is not a list of NAME=value')
        : give(...words);
    case 'localForward':
    case 'remoteForward':
    case 'dynamicForward': {
      const most = line.kind === 'dynamicForward' ? 1 : 2;
      const spec = words.length > most ? undefined : forwardSpec(line.kind, words, line.rules.environment);
      return spec === undefined ? bad('it is not a forwarding specification') : give(spec);
    }
    case 'qos':
      return readPair(words, { give, release: line.rules.release });
    case 'rekeyLimit':
      return readRekeyLimit(words);
    case 'addKeys':
      return readAddKeys(words, give);
    default:
      if (first === undefined || first === '') return bad('it has no argument');
      return words.length > 1 ? bad('it has more than one argument') : readWord(line, { word: first, give });
  }
}

/** Keywords with exactly one argument. */
function readWord(
  { keyword, kind, rules: { environment } }: ValueLine,
  { word, give }: { readonly word: string; readonly give: Words['give'] },
): ReadValue {
  const number = (value: number | undefined, why: string): ReadValue =>
    value === undefined ? bad(why) : give(String(value));
  switch (kind) {
    case 'choice':
    case 'flag': {
      const printed = (choiceOf(keyword) ?? flagChoice).get(asciiLower(word));
      return printed === undefined
        ? bad(kind === 'flag' ? 'it is neither yes nor no' : 'it is not a known word')
        : give(printed);
    }
    case 'number':
      return number(readInteger(word, 0, 2 ** 31 - 1), 'it is not a number');
    case 'time':
      return word === 'none' ? nothing : number(readSeconds(word), 'it is not a time');
    case 'port': {
      const port = readPort(word);
      return number(port === 0 ? undefined : port, 'it is not a port');
    }
    case 'mask': {
      const digits = /^[ \t]*\+?(0*[0-7]{1,3})(?![0-7])/.exec(word)?.[1];
      return digits === undefined
        ? bad('it is not an octal mask')
        : give(`0${parseInt(digits, 8).toString(8)}`);
    }
    case 'escapeChar':
      return readEscape(word, give);
    case 'controlPersist':
      return readPersist(word, give);
    case 'tunnelDevice':
      return readTunnelDevice(word, give);
    case 'keystrokes':
      return /^(?:yes|no|true|false|interval:\d{1,4})$/.test(word)
        ? give(word)
        : bad('it is not a known word');
    case 'agentForward':
      return readAgentForward(word, { give, environment });
    case 'agentPath':
      return isAgentPath(word, environment) ? give(word) : bad('its variable is not set or not a name');
    default:
      return give(word);
  }
}

function readList(
  words: readonly string[],
  { give, empty }: Pick<Words, 'give'> & { readonly empty: boolean },
): ReadValue {
  if (words.includes('')) return bad('an argument is empty');
  if (words.length === 0) return empty ? nothing : bad('it has no argument');
  return words.length > 1 && words.some((word) => asciiLower(word) === 'none')
    ? bad('none stands alone')
    : give(...words);
}

function readDomains(words: readonly string[], give: Words['give']): ReadValue {
  if (words.some((word) => !isDomain(word))) return bad('it is not a list of domains');
  return readList(
    words.map((word) => asciiLower(word).replace(/\.$/, '')),
    { give, empty: true },
  );
}

function readCnames(words: readonly string[], give: Words['give']): ReadValue {
  if (words.length === 1 && asciiLower(words[0] ?? '') === 'none') return give('none');
  if (words.some((word) => word !== '*' && !/^[^:]*:./s.test(word)))
    return bad('it is not a list of source:target');
  return words.length === 0
    ? nothing
    : give(...words.map((word) => (word === '*' ? '*:*' : asciiLower(word))));
}

function readRemoteOpens(words: readonly string[], give: Words['give']): ReadValue {
  const [first] = words;
  if (first === undefined) return bad('it has no argument');
  if (words.length === 1 && /^(?:none|any)$/i.test(first)) return give(first);
  const isOpen = (word: string): boolean => {
    const [, port = ''] = /^(?:\[[^\]]*\]|[^[:/]*)[:/](.*)$/s.exec(word) ?? [];
    return port === '*' || (readPort(port) ?? 0) > 0;
  };
  return words.every(isOpen) ? give(...words) : bad('it is not a list of host:port');
}

function readPair(
  words: readonly string[],
  { give, release }: Pick<Words, 'give'> & { readonly release: Release },
): ReadValue {
  const [first, second = first, ...more] = words.map((word) => readQos(word, release));
  return first === undefined || second === undefined || more.length > 0
    ? bad('it is not a quality of service')
    : give(first, second);
}

function readRekeyLimit(words: readonly string[]): ReadValue {
  const [size = '', interval, ...more] = words;
  if (more.length > 0) return bad('it has more than two arguments');
  const bytes = size === 'default' ? 0n : readScaled(size);
  if (bytes === undefined || bytes < 0n || (bytes > 0n && bytes < 16n))
    return bad('it is not an amount of data');
  const limit: SlotValue = { slot: 'rekeylimit', values: [String(bytes)] };
  if (interval === undefined || interval === 'none') return { ok: true, slots: [limit] };
  const seconds = readSeconds(interval);
  if (seconds === undefined) return bad('it is not a time');
  return { ok: true, slots: [limit, { slot: secondSlot.rekeyInterval, values: [String(seconds)] }] };
}

function readAddKeys(words: readonly string[], give: Words['give']): ReadValue {
  const [word = '', time, ...more] = words;
  const known = new Map([...(choiceOf('updatehostkeys') ?? []), ['confirm', 'confirm']]).get(
    asciiLower(word),
  );
  if (more.length > 0 || (time !== undefined && known !== 'confirm')) return bad('it has too many arguments');
  if (time === undefined && known !== undefined) return give(known);
  const seconds = readSeconds(time ?? word);
  if (seconds === undefined) return bad('it is not a known word or a time');
  if (seconds === 0) return give(known ?? 'true');
  return give(known === undefined ? String(seconds) : `confirm ${String(seconds)}`);
}

function readPersist(word: string, give: Words['give']): ReadValue {
  if (word === 'yes' || word === 'true') return give('yes');
  if (word === 'no' || word === 'false') return give('no');
  const seconds = readSeconds(word);
  if (seconds === undefined) return bad('it is not yes, no or a time');
  return give(seconds === 0 ? 'yes' : String(seconds));
}

function readEscape(word: string, give: Words['give']): ReadValue {
  if (word === 'none') return give(word);
  if (word.length === 1) return give(word === '\\' ? '\\\\' : word);
  return /^\^[@-~]$/.test(word)
    ? give(`\\^${String.fromCharCode((word.charCodeAt(1) & 31) | 64)}`)
    : bad('it is not one character');
}

function readTunnelDevice(word: string, give: Words['give']): ReadValue {
  const unit = (text: string): string | undefined =>
    asciiLower(text) === 'any' ? 'any' : readInteger(text, 0, 0x7fff_fffe)?.toString();
  const cut = word.indexOf(':');
  const local = unit(cut < 0 ? word : word.slice(0, cut));
  const remote = cut < 0 ? 'any' : unit(word.slice(cut + 1));
  return local === undefined || remote === undefined
    ? bad('it is not a tunnel device')
    : give(`${local}:${remote}`);
}

/** A flag, or the socket of the agent to forward; both are kept apart, and a socket counts beside an earlier flag. */
function readAgentForward(
  word: string,
  { give, environment }: Pick<Words, 'give'> & { readonly environment: Environment },
): ReadValue {
  const flag = flagChoice.get(asciiLower(word));
  if (flag !== undefined) return give(flag);
  if (!isAgentPath(word, environment)) return bad('its variable is not set or not a name');
  return {
    ok: true,
    slots: [
      { slot: 'forwardagent', values: ['yes'] },
      { slot: secondSlot.agentSocket, values: [word] },
    ],
  };
}

function isAgentPath(word: string, environment: Environment): boolean {
  if (expandEnvironment(word, environment) === undefined) return false;
  return !word.startsWith('$') || word.startsWith('${') || /^\$[A-Za-z0-9_]+$/.test(word);
}
