import { createHash } from 'node:crypto';

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What percent tokens, `~` and `${NAME}` stand for. */
export interface TokenFacts {
  /** The name as typed, `%n`. */
  readonly typedName: string;
  /** The resolved host name, `%h`. */
  readonly hostName: string;
  readonly port: number;
  readonly remoteUser: string;
  readonly localUser: string;
  /** The name of this machine. */
  readonly localHost: string;
  readonly home: string;
  /** Numeric user id, `%i`; undefined where there is none. */
  readonly userId: number | undefined;
  /** HostKeyAlias where set, else the name as typed, `%k`. */
  readonly keyAlias: string;
  readonly proxyJump: string;
  readonly environment: Environment;
  /** Commands are read by cmd.exe. Absent: by a POSIX shell. */
  readonly isWindows?: boolean;
}

/**
 * Replaces percent tokens; undefined when one is not known, which OpenSSH refuses. Source: ssh_config(5), TOKENS.
 */
export function expandPercent(text: string, facts: TokenFacts): string | undefined {
  return replaceAllOrNone(text, /%(.?)/gs, ([, letter = '']) => tokenValue(letter, facts));
}

/** Replaces `${NAME}`; undefined when a name is empty, not closed or not set, which OpenSSH refuses. */
export function expandEnvironment(text: string, environment: Environment): string | undefined {
  return replaceAllOrNone(text, environmentReference, ([, name]) => valueOf(name, environment));
}

const environmentReference = /\$\{(?:([^}]*)\})?/g;

/** Replaces every match; undefined when one of them has no value. */
function replaceAllOrNone(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpMatchArray) => string | undefined,
): string | undefined {
  const values = [...text.matchAll(pattern)].map(replace);
  if (values.includes(undefined)) return undefined;
  let next = 0;
  return text.replace(pattern, () => values[next++] ?? '');
}

function valueOf(name: string | undefined, environment: Environment): string | undefined {
  return name === undefined || name === '' ? undefined : environment[name];
}

function tokenValue(letter: string, facts: TokenFacts): string | undefined {
  switch (letter) {
    case '%':
      return '%';
    case 'C':
      return createHash('sha1')
        .update(facts.localHost + facts.hostName + String(facts.port) + facts.remoteUser + facts.proxyJump)
        .digest('hex');
    case 'd':
      return facts.home;
    case 'h':
      return facts.hostName;
    case 'i':
      return facts.userId === undefined ? undefined : String(facts.userId);
    case 'j':
      return facts.proxyJump;
    case 'k':
      return facts.keyAlias;
    case 'L':
      return facts.localHost.split('.')[0];
    case 'l':
      return facts.localHost;
    case 'n':
      return facts.typedName;
    case 'p':
      return String(facts.port);
    case 'r':
      return facts.remoteUser;
    case 'u':
      return facts.localUser;
    default:
      return undefined;
  }
}

/**
 * A path of the configuration as OpenSSH opens it: `~/`, then environment and percent tokens in one go, so that neither is replaced in the
 * value of the other. Undefined when a variable is not set, a token is not known or another user's home is meant, none of which can be
 * opened.
 */
export function expandPath(text: string, facts: TokenFacts): string | undefined {
  const absolute = expandHome(text, facts.home);
  if (absolute === undefined) return undefined;
  return replaceAllOrNone(absolute, /\$\{(?:([^}]*)\})?|%(.?)/gs, ([whole, name, letter]) =>
    whole.startsWith('%') ? tokenValue(letter ?? '', facts) : valueOf(name, facts.environment),
  );
}

/** `~` and `~/…` of the own user. Undefined for `~other`. */
export function expandHome(path: string, home: string): string | undefined {
  if (!path.startsWith('~')) return path;
  if (!/^~(?:[\\/]|$)/.test(path)) return undefined;
  const rest = path.slice(1).replace(/^[\\/]+/, '');
  return rest === '' ? home : `${home.replace(/[\\/]$/, '')}/${rest}`;
}
