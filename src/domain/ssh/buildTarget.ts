import { expandHome, expandPath, type TokenFacts } from '../config/expandTokens.ts';
import type { HostListing, HostRecord, IdentityRef } from '../host/host.ts';
import type { IdentityCandidate, Target } from './target.ts';

/** Keyword (lower case) to values, as `ssh -G` spells them; `hostname`, `port` and `user` are always there. */
export interface ResolvedValues {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Where a value was set; undefined for a default. */
  readonly origin: (keyword: string) => string | undefined;
}

/** What the surroundings contribute to the paths of a configuration. */
export type LocalFacts = Pick<TokenFacts, 'localUser' | 'localHost' | 'home' | 'userId' | 'environment'>;

export interface TargetSources {
  readonly listing: HostListing;
  /** The vault's record; its own fields override the configuration. Source: decisions 14. */
  readonly record: HostRecord | undefined;
  readonly config: ResolvedValues;
  /** The name that was asked of the configuration. */
  readonly asked: string;
  readonly local: LocalFacts;
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
    keyAlias: alias ?? hostName,
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
    addresses: [hostName, ...(record?.addresses ?? []).slice(1)],
    port,
    user,
    trustName: alias ?? hostName.toLowerCase(),
    trustNameIsAlias: alias !== undefined,
    ...identitiesOf(identity, { config, facts, paths }),
    identityAgent: agentOf(first('identityagent'), facts),
    identity,
    preferredAuthentications:
      config.origin('preferredauthentications') === undefined
        ? undefined
        : first('preferredauthentications')?.split(','),
    userKnownHostsFiles: paths('userknownhostsfile'),
    globalKnownHostsFiles: paths('globalknownhostsfile'),
    strictHostKeyChecking: strictness(first('stricthostkeychecking')),
    connectTimeoutMs: seconds(first('connecttimeout')),
    ...keepalive(config),
    proxyJump: meaningful(first('proxyjump'))?.split(',') ?? [],
    proxyCommand: meaningful(first('proxycommand')),
    environment: (config.values.get('setenv') ?? []).flatMap(environmentEntry),
    origins: originsOf(record, config),
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

/** `SSH_AUTH_SOCK`, `$NAME`, a path, or `none`. Undefined leaves the choice to the search for an agent. Source: ssh.md 2.3. */
function agentOf(value: string | undefined, facts: TokenFacts): string | undefined {
  if (value === undefined || value === '' || value === 'SSH_AUTH_SOCK') return undefined;
  if (value === 'none') return 'none';
  if (value.startsWith('$') && !value.startsWith('${')) return facts.environment[value.slice(1)] ?? 'none';
  return expandPath(value, facts) ?? 'none';
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

function environmentEntry(text: string): readonly { readonly name: string; readonly value: string }[] {
  const cut = text.indexOf('=');
  return cut <= 0 ? [] : [{ name: text.slice(0, cut), value: text.slice(cut + 1) }];
}

function originsOf(record: HostRecord | undefined, config: ResolvedValues): Target['origins'] {
  const own: readonly (readonly [string, boolean])[] = [
    ['hostname', record !== undefined && record.alias === undefined],
    ['port', record?.port !== undefined],
    ['user', record?.user !== undefined],
    ['identityfile', record !== undefined && record.identity.kind !== 'default'],
  ];
  return Object.fromEntries(
    own.map(([keyword, isOwn]) => [keyword, isOwn ? 'host record' : (config.origin(keyword) ?? 'default')]),
  );
}

function meaningful(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value === 'none' ? undefined : value;
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value ?? '');
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

function seconds(value: string | undefined): number | undefined {
  const number = positive(value);
  return number === undefined ? undefined : number * 1000;
}
