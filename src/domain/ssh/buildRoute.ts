import { expandPercent, type TokenFacts } from '../config/expandTokens.ts';
import { localFault } from '../fault.ts';
import type { TargetSources } from './buildTarget.ts';
import { parseJumpChain, type JumpElement } from './jumpChain.ts';
import type { Route } from './route.ts';

/** What decides about a way: the record and the configuration. */
export type RouteSources = Pick<TargetSources, 'record' | 'config' | 'asked'>;

/**
 * The jump hosts that a name asks for, in order; empty without any. The record's own word wins, and a program or a direct way of the
 * record voids the chain of the file. Throws `config-error`. Source: ssh.md 1.2.
 */
export function jumpChainOf({ record, config, asked }: RouteSources): readonly JumpElement[] {
  const own = record?.route?.jump;
  if (own === undefined && isSet(record?.route?.command)) return [];
  const value = own ?? config.values.get('proxyjump')?.[0] ?? '';
  if (value === '') return [];
  const chain = parseJumpChain(value);
  if (chain !== undefined) return chain;
  const reason = (place: string): string => `${place}: "${value}" is no chain of jump hosts (for ${asked})`;
  const at = config.origin('proxyjump');
  if (own !== undefined || at === undefined)
    throw localFault('config-error', { reason: reason(own === undefined ? 'ProxyJump' : 'host record') });
  throw localFault('config-error', { reason: reason(at), at });
}

/** Puts the carrier that was found, or else the program of the record or the file, into a route. Throws `config-error`. */
export function buildRoute(sources: TargetSources, facts: TokenFacts): Route {
  const { carrier, record, config } = sources;
  if (carrier !== undefined)
    return 'via' in carrier ? { k: 'jump', via: carrier.via } : { k: 'proxy', proxy: carrier.proxy };
  const own = record?.route?.command ?? (record?.route?.jump === undefined ? undefined : 'none');
  const command = own ?? config.values.get('proxycommand')?.[0];
  if (command === undefined || !isSet(command)) return { k: 'direct' };
  return {
    k: 'program',
    command: expandCommand(command, facts),
    passesDescriptor: config.values.get('proxyusefdpass')?.[0] === 'yes',
    at: own === undefined ? (config.origin('proxycommand') ?? 'ProxyCommand') : 'host record',
  };
}

function isSet(command: string | undefined): boolean {
  return command !== undefined && command !== '' && command.toLowerCase() !== 'none';
}

/** The tokens of ProxyCommand; any other is refused. Source: ssh_config(5), TOKENS. */
const commandTokens = /^[%hknpr]$/;
/** What `ssh` refuses in a host or user name, because a shell reads the command. Source: ssh(1), ProxyCommand. */
const unsafeHost = /^-|['"`$\\;&<>|(){}\s\p{Cc}]/u;
const unsafeUser = /^-|['"`;&<>|(){}\p{Cc}]|\s-|\\$/u;
/** cmd.exe replaces and unescapes within a word, whatever quotes stand around it, so no value with these can be passed on as it is. */
const unsafeForCmd = /[%^!]/;

/** Whether every percent sign of a ProxyCommand begins a token that it has. */
export function knowsTokens(command: string): boolean {
  return [...command.matchAll(/%(.?)/gs)].every(([, letter = '']) => commandTokens.test(letter));
}

/** The whole string at once, quotes and `#` included, as a shell gets it. */
function expandCommand(command: string, facts: TokenFacts): string {
  for (const [, letter = ''] of command.matchAll(/%(.?)/gs)) {
    if (!commandTokens.test(letter)) throw unusable(`ProxyCommand knows no %${letter}`);
    const value = expandPercent(`%${letter}`, facts) ?? '';
    const isUnsafe =
      letter !== '%' &&
      ((letter === 'r' ? unsafeUser : unsafeHost).test(value) ||
        (facts.isWindows === true && unsafeForCmd.test(value)));
    if (isUnsafe) throw unusable(`"${value}" is not safe in the command line of a ProxyCommand`);
  }
  return expandPercent(command, facts) ?? command;
}

function unusable(reason: string): Error {
  return localFault('config-error', { reason });
}
