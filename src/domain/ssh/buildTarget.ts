import { expandHome, expandPath, type TokenFacts } from '../config/expandTokens.ts';
import { matchesPattern } from '../config/hostPattern.ts';
import type { HostListing, HostRecord, IdentityRef, ProxyServer } from '../host/host.ts';
import { passwordPlaceOf } from '../host/passwordPlace.ts';
import { algorithmKeywords, chooseAlgorithms } from './algorithmChoice.ts';
import { buildRoute } from './buildRoute.ts';
import { legacyInForce } from './legacyAlgorithms.ts';
import type { SystemDestination } from './systemSsh.ts';
import type { AgentForwarding, IdentityCandidate, Target } from './target.ts';

/** Keyword (lower case) to values, as `ssh -G` spells them; `hostname`, `port` and `user` are always there. */
export interface ResolvedValues {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Where a value was set; undefined for a default. */
  readonly origin: (keyword: string) => string | undefined;
  /** The value as its line has it, before `ssh` applies it to lists of its own; undefined for a default. */
  readonly asWritten: (keyword: string) => string | undefined;
}

/** What the surroundings contribute to the paths of a configuration. */
export type LocalFacts = Pick<
  TokenFacts,
  'localUser' | 'localHost' | 'home' | 'userId' | 'environment' | 'isWindows'
>;

export interface TargetSources {
  readonly listing: HostListing;
  /** The vault's record; its own fields override the configuration. Source: decisions 14. */
  readonly record: HostRecord | undefined;
  readonly config: ResolvedValues;
  /** The name that was asked of the configuration. */
  readonly asked: string;
  readonly local: LocalFacts;
  /** The agent a person chose for all hosts, spelled as IdentityAgent; a host's own IdentityAgent wins. */
  readonly chosenAgent: string | undefined;
  /** What carries the connection besides a program of its own: the last jump host, else a network proxy. */
  readonly carrier?: { readonly via: Target } | { readonly proxy: ProxyServer };
}

/** The file names that OpenSSH tries when none is configured. Source: ssh_config(5), IdentityFile. */
const defaultKeyNames = ['id_rsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk'];

/** Puts a record and what the configuration says about its name together. Pure; says where each value came from. */
export function buildTarget(sources: TargetSources): Target {
  const { listing, record, config, local } = sources;
  const first = (keyword: string): string | undefined => config.values.get(keyword)?.[0];
  const hostName = first('hostname') ?? listing.address;
  const port = record?.port ?? positive(first('port')) ?? 22;
  const user = record?.user ?? first('user') ?? local.localUser;
  const alias = meaningful(first('hostkeyalias'));
  const facts: TokenFacts = {
    ...local,
    typedName: sources.asked,
    hostName,
    port,
    remoteUser: user,
    keyAlias: alias ?? sources.asked,
    proxyJump: meaningful(first('proxyjump')) ?? '',
  };
  const paths = (keyword: string): readonly string[] =>
    (config.values.get(keyword) ?? []).flatMap((value) =>
      value === 'none' ? [] : (expandPath(value, facts) ?? []),
    );
  const identity: IdentityRef = record?.identity ?? { kind: 'default' };
  return {
    hostId: listing.id,
    label: listing.label,
    tier: listing.tier,
    addresses: addressesOf(record, hostName),
    port,
    user,
    trustName: alias ?? hostName.toLowerCase(),
    trustNameIsAlias: alias !== undefined,
    ...identitiesOf(identity, { config, facts, paths }),
    certificateFiles: identity.kind === 'password' ? [] : paths('certificatefile'),
    identityAgent: agentOf(
      config.origin('identityagent') === undefined
        ? (sources.chosenAgent ?? first('identityagent'))
        : first('identityagent'),
      facts,
    ),
    identity,
    // What is kept for one user and port of a machine is for no other.
    ...(record?.id === listing.id ? { passwordPlace: passwordPlaceOf(record) } : {}),
    preferredAuthentications: methodsOf(config),
    passwordPrompts: positive(first('numberofpasswordprompts')) ?? 3,
    attemptLimit: record?.signIn?.attemptLimit ?? usualAttemptLimit,
    agentForwarding: forwardingOf(record, first('forwardagent'), facts),
    // Printed with its tokens replaced: a percent sign that is left belongs to the name.
    userKnownHostsFiles: (config.values.get('userknownhostsfile') ?? []).filter((file) => file !== 'none'),
    globalKnownHostsFiles: paths('globalknownhostsfile'),
    revokedHostKeys: paths('revokedhostkeys')[0],
    strictHostKeyChecking: strictness(first('stricthostkeychecking')),
    updateHostKeys: keyUpdates(first('updatehostkeys')),
    connectTimeoutMs: seconds(first('connecttimeout')),
    ...keepalive(config),
    addressFamily: familyOf(first('addressfamily')),
    bindAddress: meaningful(first('bindaddress')),
    bindInterface: meaningful(first('bindinterface')),
    tcpKeepAlive: !['no', 'false'].includes(first('tcpkeepalive') ?? 'yes'),
    ...(record?.useSystemSsh === true
      ? { route: { k: 'direct' }, systemSsh: systemDestination(record, sources.asked) }
      : { route: buildRoute(sources, facts) }),
    algorithms: chooseAlgorithms({
      written: config.asWritten,
      wantsCompression: first('compression') === 'yes',
      legacy: legacyInForce(record?.legacy, listing.tier),
    }),
    environment: environmentOf(config, local.environment),
    origins: originsOf(record, config),
  };
}

/** What `ssh` is asked for: the name that its configuration knows, and what the record sets beside it. */
function systemDestination(record: HostRecord, name: string): SystemDestination {
  return {
    name,
    ...(record.user === undefined ? {} : { user: record.user }),
    ...(record.port === undefined ? {} : { port: record.port }),
  };
}

function identitiesOf(
  identity: IdentityRef,
  source: {
    readonly config: ResolvedValues;
    readonly facts: TokenFacts;
    readonly paths: (keyword: string) => readonly string[];
  },
): { readonly identities: readonly IdentityCandidate[]; readonly identitiesOnly: boolean } {
  const { config, facts, paths } = source;
  const agent: IdentityCandidate = { kind: 'agent' };
  switch (identity.kind) {
    case 'agent':
      return { identities: [agent], identitiesOnly: false };
    case 'password':
      return { identities: [], identitiesOnly: true };
    case 'keyFile': {
      const path = expandHome(identity.path, facts.home) ?? identity.path;
      return { identities: [agent, { kind: 'keyFile', path, configured: true }], identitiesOnly: true };
    }
    case 'default': {
      const configured = config.origin('identityfile') !== undefined;
      const files = configured
        ? paths('identityfile')
        : defaultKeyNames.map((name) => `${facts.home}/.ssh/${name}`);
      return {
        identities: [
          agent,
          ...files.map((path): IdentityCandidate => ({ kind: 'keyFile', path, configured })),
        ],
        identitiesOnly: config.values.get('identitiesonly')?.[0] === 'yes',
      };
    }
  }
}

/** OpenSSH's own default; most servers allow as many. Source: ssh.md 2.1. */
const usualAttemptLimit = 6;

/** `SSH_AUTH_SOCK`, `$NAME`, a path, or `none`. Undefined leaves the choice to the search for an agent. Source: ssh.md 2.3. */
function agentOf(value: string | undefined, facts: TokenFacts): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'none' || value === 'SSH_AUTH_SOCK') return value;
  if (value.startsWith('$') && !value.startsWith('${')) return facts.environment[value.slice(1)] ?? 'none';
  return expandPath(value, facts) ?? 'none';
}

/** The record's own word wins; `ForwardAgent` is `yes`, `no`, a path or a variable with one. Source: ssh.md 2.3; ssh_config(5). */
function forwardingOf(
  record: HostRecord | undefined,
  value: string | undefined,
  facts: TokenFacts,
): AgentForwarding | undefined {
  const own = record?.signIn?.agentForwarding;
  if (own?.isOn === false) return undefined;
  const isConfigured = value !== undefined && value !== '' && value !== 'no' && value !== 'false';
  if (own === undefined && !isConfigured) return undefined;
  const isNamed = isConfigured && value !== 'yes' && value !== 'true';
  return {
    agent: isNamed ? agentOf(value, facts) : undefined,
    keys: own?.keys,
    confirm: own?.confirm ?? false,
  };
}

/** A printed default zero is not a choice; a zero that a file sets switches the keepalive off. Source: ssh.md 1.6 and 4.1. */
function keepalive(config: ResolvedValues): Pick<Target, 'serverAliveIntervalMs' | 'serverAliveCountMax'> {
  const isSet = config.origin('serveraliveinterval') !== undefined;
  const interval = Number(config.values.get('serveraliveinterval')?.[0] ?? '');
  const count = Number(config.values.get('serveralivecountmax')?.[0] ?? '');
  return {
    serverAliveIntervalMs: Number.isFinite(interval) && (isSet || interval > 0) ? interval * 1000 : undefined,
    serverAliveCountMax: config.origin('serveralivecountmax') !== undefined && count > 0 ? count : undefined,
  };
}

function strictness(value: string | undefined): Target['strictHostKeyChecking'] {
  switch (value) {
    case 'yes':
    case 'true':
      return 'yes';
    case 'accept-new':
      return 'accept-new';
    case 'no':
    case 'off':
    case 'false':
      return 'off';
    default:
      return 'ask';
  }
}

/** Unset is `yes`, as for `ssh` with its usual files. */
function keyUpdates(value: string | undefined): Target['updateHostKeys'] {
  if (value === 'ask') return 'ask';
  return value === 'no' || value === 'false' ? 'no' : 'yes';
}

/** A record that is linked to an alias keeps the alias's address unless it names its own. */
function addressesOf(record: HostRecord | undefined, hostName: string): readonly string[] {
  const own = record?.addresses ?? [];
  return record?.alias !== undefined && own.length > 0 ? own : [hostName, ...own.slice(1)];
}

/** Each method with the switch that turns it off, in OpenSSH's own order. Source: ssh_config(5), PreferredAuthentications. */
const methodSwitches = [
  ['publickey', 'pubkeyauthentication'],
  ['keyboard-interactive', 'kbdinteractiveauthentication'],
  ['password', 'passwordauthentication'],
] as const;

/** The methods in the order wanted, without those that are switched off; undefined when nothing was chosen. */
function methodsOf(config: ResolvedValues): readonly string[] | undefined {
  const off = new Set<string>(
    methodSwitches
      .filter(([, keyword]) => ['no', 'false'].includes(config.values.get(keyword)?.[0] ?? ''))
      .map(([method]) => method),
  );
  const isChosen = config.origin('preferredauthentications') !== undefined;
  const chosen = isChosen ? config.values.get('preferredauthentications')?.[0]?.split(',') : undefined;
  if (chosen === undefined && off.size === 0) return undefined;
  return (chosen ?? methodSwitches.map(([method]) => method)).filter((method) => !off.has(method));
}

/** What SendEnv takes from here, `-` taking away again, and what SetEnv says, which wins. Source: ssh_config(5). */
function environmentOf(
  config: ResolvedValues,
  local: LocalFacts['environment'],
): readonly { readonly name: string; readonly value: string }[] {
  let patterns: readonly string[] = [];
  for (const word of config.values.get('sendenv') ?? [])
    patterns = word.startsWith('-')
      ? patterns.filter((pattern) => !matchesPattern(pattern, word.slice(1)))
      : [...patterns, word];
  const environment = new Map<string, string>();
  for (const [name, value] of Object.entries(local))
    if (value !== undefined && patterns.some((pattern) => matchesPattern(name, pattern)))
      environment.set(name, value);
  for (const entry of config.values.get('setenv') ?? []) {
    const cut = entry.indexOf('=');
    if (cut > 0) environment.set(entry.slice(0, cut), entry.slice(cut + 1));
  }
  return [...environment].map(([name, value]) => ({ name, value }));
}

function originsOf(record: HostRecord | undefined, config: ResolvedValues): Target['origins'] {
  const own: readonly (readonly [string, boolean])[] = [
    ['hostname', record !== undefined && record.alias === undefined],
    ['port', record?.port !== undefined],
    ['user', record?.user !== undefined],
    ['identityfile', record !== undefined && record.identity.kind !== 'default'],
    ['proxyjump', record?.route?.jump !== undefined],
    ['proxycommand', record?.route?.command !== undefined],
  ];
  const set = algorithmKeywords.filter((keyword) => config.origin(keyword) !== undefined);
  return Object.fromEntries(
    [...own, ...set.map((keyword) => [keyword, false] as const)].map(([keyword, isOwn]) => [
      keyword,
      isOwn ? 'host record' : (config.origin(keyword) ?? 'default'),
    ]),
  );
}

function meaningful(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value === 'none' ? undefined : value;
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value ?? '');
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function familyOf(value: string | undefined): Target['addressFamily'] {
  return value === 'inet' || value === 'inet6' ? value : 'any';
}

function seconds(value: string | undefined): number | undefined {
  const number = positive(value);
  return number === undefined ? undefined : number * 1000;
}
