import { asciiLower } from './asciiCase.ts';
import { expandPath, expandPercent, type TokenFacts } from './expandTokens.ts';
import { lastJumpHost } from './jumpSpec.ts';
import { secondSlot } from './readValue.ts';
import { understands, type Release } from './release.ts';
import type { OwnResolution } from './resolveAlias.ts';

/** What the machine contributes to the final values. */
export interface EffectiveFacts extends Pick<
  TokenFacts,
  'localUser' | 'localHost' | 'home' | 'userId' | 'environment'
> {
  /** The name as typed. */
  readonly alias: string;
  readonly release: Release;
}

export interface EffectiveValues {
  /** Keyword (lower case) to values as `ssh -G` prints them. What no line sets is absent, but for hostname, port and user. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Why `ssh` would refuse this name. */
  readonly refusal: string | undefined;
}

/**
 * What `ssh -G` prints of a resolution: tokens replaced where it replaces them, values that only exist together joined, `none` taken
 * out where it means nothing, and what one value does to another. Source: ssh_config(5); OpenSSH `main` and `dump_client_config`.
 */
export function effectiveValues(own: OwnResolution, facts: EffectiveFacts): EffectiveValues {
  const values = new Map<string, readonly string[]>();
  for (const [slot, value] of own.values) if (value.length > 0) values.set(slot, value);
  let refusal = own.refusal;
  const first = (keyword: string): string | undefined => values.get(keyword)?.[0];
  const change = (keyword: string, replace: (value: string) => string | undefined): void => {
    const before = values.get(keyword);
    if (before === undefined) return;
    values.set(
      keyword,
      before.map((value) => {
        const after = replace(value);
        if (after === undefined) refusal ??= `${keyword} ${value} has a variable or token that is not known`;
        return after ?? value;
      }),
    );
  };
  for (const keyword of clearedByNone) if (first(keyword) === 'none') values.delete(keyword);
  for (const keyword of ['userknownhostsfile', 'globalknownhostsfile'])
    if (asciiLower(first(keyword) ?? '') === 'none') values.set(keyword, ['none']);
  if (asciiLower(first('knownhostscommand') ?? '') === 'none') values.delete('knownhostscommand');
  change('hostkeyalias', asciiLower);
  values.set('hostname', [own.hostName]);
  values.set('port', [String(own.port)]);
  values.set('user', [own.user]);
  const tokens = tokenFacts(own, { facts, first });
  if (understands(facts.release, 1001) && facts.release !== undefined && own.origins.has('user'))
    change('user', (user) => expandPercentAndEnvironment(user, tokens));
  joinSlots(values, first);
  change('remotecommand', (value) => expandPercent(value, tokens));
  for (const keyword of ['controlpath', 'identityagent', 'forwardagent', 'userknownhostsfile'])
    change(keyword, (value) =>
      value.startsWith('~') && !/^~(?:\/|$)/.test(value) ? value : expandPath(value, tokens),
    );
  for (const keyword of ['localforward', 'remoteforward'])
    change(keyword, (value) =>
      value
        .split(' ')
        .map((end) => (end.includes('/') ? (expandPercent(end, tokens) ?? end) : end))
        .join(' '),
    );
  obeyEachOther(values, first);
  const isTrustTheDefault = (first('verifyhostkeydns') ?? 'false') === 'false' && hasDefaultTrust(own);
  if (first('updatehostkeys') === undefined && !isTrustTheDefault) values.set('updatehostkeys', ['false']);
  return { values, refusal };
}

/** Where `none` is the same as nothing. Source: OpenSSH `fill_default_options`. */
const clearedByNone = [
  'canonicalizepermittedcnames',
  'controlpath',
  'localcommand',
  'pkcs11provider',
  'proxycommand',
  'proxyjump',
  'remotecommand',
  'revokedhostkeys',
  'securitykeyprovider',
] as const;

type First = (keyword: string) => string | undefined;

function tokenFacts(
  own: OwnResolution,
  { facts, first }: { readonly facts: EffectiveFacts; readonly first: First },
): TokenFacts {
  const jump = first('proxyjump');
  const knowsJump = understands(facts.release, 906);
  return {
    ...facts,
    typedName: facts.alias,
    hostName: own.hostName,
    port: own.port,
    remoteUser: own.user,
    keyAlias: first('hostkeyalias') ?? facts.alias,
    proxyJump: jump === undefined || !knowsJump ? '' : lastJumpHost(jump),
  };
}

function expandPercentAndEnvironment(text: string, tokens: TokenFacts): string | undefined {
  return text.startsWith('~') ? expandPath(`./${text}`, tokens)?.slice(2) : expandPath(text, tokens);
}

/** Values that keep a second slot are printed as one. */
function joinSlots(values: Map<string, readonly string[]>, first: First): void {
  const socket = values.get(secondSlot.agentSocket);
  if (socket !== undefined) values.set('forwardagent', socket);
  values.delete(secondSlot.agentSocket);
  const interval = first(secondSlot.rekeyInterval);
  const limit = first('rekeylimit');
  if (limit !== undefined || interval !== undefined)
    values.set('rekeylimit', [limit ?? '0', interval ?? '0']);
  values.delete(secondSlot.rekeyInterval);
}

const quietLevels: ReadonlySet<string> = new Set(['SILENT', 'FATAL', 'ERROR']);

/** Values that change others. */
function obeyEachOther(values: Map<string, readonly string[]>, first: First): void {
  if (first('clearallforwardings') === 'yes') {
    for (const keyword of ['localforward', 'remoteforward', 'dynamicforward']) values.delete(keyword);
    if (values.has('tunnel')) values.set('tunnel', ['false']);
  }
  if (first('proxyjump') !== undefined) {
    values.delete('proxycommand');
    if (values.has('proxyusefdpass')) values.set('proxyusefdpass', ['no']);
  }
  const isPersistent = (first('controlpersist') ?? 'no') !== 'no' && first('controlpath') !== undefined;
  const isCommand = first('remotecommand') !== undefined || first('requesttty') === 'false';
  const isAsking = first('updatehostkeys') === 'ask';
  if (isAsking && (isPersistent || isCommand || quietLevels.has(first('loglevel') ?? '')))
    values.set('updatehostkeys', ['false']);
}

/** Keys are not learned by default where the person named files of their own. */
function hasDefaultTrust(own: OwnResolution): boolean {
  const [file, ...more] = own.values.get('userknownhostsfile') ?? [];
  return file === undefined || (file === '~/.ssh/known_hosts' && more.length === 0);
}
