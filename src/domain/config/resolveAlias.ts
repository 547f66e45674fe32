import { canonicalAddress, isInNetworks, looksLikeAddress } from './addresses.ts';
import { asciiLower } from './asciiCase.ts';
import type { ParsedConfig, Scope, Segment, Setting } from './assembleConfig.ts';
import { canonicalName, type NameLookup } from './canonicalName.ts';
import type { MatchCriterion, SourceRef } from './configFile.ts';
import { expandPercent, type TokenFacts } from './expandTokens.ts';
import { matchesHostList, matchesPattern, matchesPatterns } from './hostPattern.ts';
import { lastJumpHost } from './jumpSpec.ts';
import { keywordKind, type KeywordKind } from './keywords.ts';

/** What is asked of a configuration: a name as typed, and what the command line would add. */
export interface ConfigQuery {
  readonly alias: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly localUser: string;
  /** What the rules cannot know by themselves. Absent while a list is drawn. */
  readonly findings?: Findings | undefined;
  /** Only address, port, user, blocks and programs are wanted; other values are left out. */
  readonly isListing?: boolean;
}

/** What was found out outside of the files. */
export interface Findings {
  readonly local: Pick<TokenFacts, 'localHost' | 'home' | 'userId' | 'environment'>;
  /** Whether a program of `Match exec` ended with status 0, by `programKey`. */
  readonly programs: ReadonlyMap<string, boolean>;
  /** Names that were looked up for CanonicalizeHostname, with a dot behind them. */
  readonly names: ReadonlyMap<string, NameLookup>;
  /** Addresses of this machine, for `Match localnetwork`. */
  readonly interfaces: readonly string[];
  /** What `ssh` calls itself, `OpenSSH_10.2p1`, for `Match version`. */
  readonly version: string | undefined;
}

/** A program that `ssh` would run to decide about a block. */
export interface WantedProgram {
  readonly at: SourceRef;
  /** As written. */
  readonly command: string;
  /** With its tokens replaced, as it would be run; undefined while the findings are missing or a token is not known. */
  readonly expanded: string | undefined;
}

/** Equal for programs with one outcome: the same command in the same file, since consent belongs to a file. */
export function programKey({ at, command, expanded }: WantedProgram): string {
  return `${at.path}\n${expanded ?? command}`;
}

/** What the files of a configuration say about a name. Keywords are lower case; values are as read, before tokens are replaced. */
export interface OwnResolution {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The lines that gave the value, in order; empty when it came with the question. */
  readonly origins: ReadonlyMap<string, readonly SourceRef[]>;
  /** Lines that hold for the name and came too late to count, in order. */
  readonly losers: ReadonlyMap<string, readonly SourceRef[]>;
  /** The resolved host name: `HostName` expanded, else the name itself, lower case and in canonical form. */
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** The `Host` and `Match` lines that hold for the name, in order. */
  readonly blocks: readonly SourceRef[];
  /** Programs whose outcome is not known; their blocks did not match here. Source: ssh.md 4.3. */
  readonly programs: readonly WantedProgram[];
  /** A name whose look-up would decide; it counts as not found here. */
  readonly wantedName: string | undefined;
  /** `Match` criteria that only `ssh` can decide; their blocks did not match here. */
  readonly undecided: readonly { readonly at: SourceRef; readonly kind: string }[];
  /** Why `ssh` would refuse this name although the files can be read. */
  readonly refusal: string | undefined;
}

/**
 * Resolves a name as `ssh` does: first obtained value wins, accumulating keywords collect, `Match final` and canonicalisation ask for a
 * second pass in which `Host` sees the resolved name. Runs nothing and looks nothing up: what is missing in the findings is reported and
 * counts as no. Source: ssh.md 4.1 to 4.3; ssh_config(5).
 */
export function resolveAlias(config: ParsedConfig, query: ConfigQuery): OwnResolution {
  const resolution = new Resolution(query);
  resolution.run(config, { host: query.alias, isFinal: false });
  const wantsMore = resolution.settleName();
  if (config.asksForFinalPass || wantsMore)
    resolution.run(config, { host: resolution.hostName, isFinal: true });
  resolution.takeUnscoped(config.unscoped);
  return resolution.result();
}

interface Round {
  /** What `Host` lines are compared with. */
  readonly host: string;
  readonly isFinal: boolean;
}

class Resolution {
  hostName: string;
  readonly #query: ConfigQuery;
  readonly #values = new Map<string, string[]>();
  readonly #origins = new Map<string, SourceRef[]>();
  readonly #losers = new Map<string, SourceRef[]>();
  /** Key files with the root they came from, which OpenSSH counts apart. */
  readonly #appended = new Set<string>();
  readonly #programs = new Map<string, WantedProgram>();
  readonly #undecided = new Map<SourceRef, string>();
  readonly #blocks = new Set<SourceRef>();
  #holds = new Map<Scope, boolean>();
  #wantedName: string | undefined;
  #refusal: string | undefined;
  /** The second pass cannot change the name any more that it is about. */
  #isHostNameSettled = false;

  constructor(query: ConfigQuery) {
    this.#query = query;
    this.hostName = query.alias;
    if (query.user !== undefined) this.#values.set('user', [query.user]);
    if (query.port !== undefined) this.#values.set('port', [String(query.port)]);
  }

  run(config: ParsedConfig, round: Round): void {
    this.#holds = new Map();
    this.#isHostNameSettled = round.isFinal;
    for (const index of segmentsFor(config, round.host)) {
      const segment = config.segments[index];
      if (segment === undefined || !this.#scopeHolds(segment.scope, round)) continue;
      for (const setting of segment.settings) this.#apply(setting, segment);
    }
  }

  /** Settles the host name between the passes. True when canonicalisation asks for the second one. */
  settleName(): boolean {
    const written = this.#values.get('hostname')?.[0];
    const name = written === undefined ? this.#query.alias : this.#expandHostName(written);
    const first = (keyword: string): string | undefined => this.#values.get(keyword)?.[0];
    const family = first('addressfamily');
    const address = canonicalAddress(name, family);
    const mode = first('canonicalizehostname') ?? 'false';
    if (address !== undefined) this.hostName = address;
    else if (looksLikeAddress(name)) this.hostName = name;
    else if (mode === 'false') this.hostName = asciiLower(name);
    else {
      const found = canonicalName(asciiLower(name), {
        mode,
        isDirect: this.#isDirect(),
        domains: this.#values.get('canonicaldomains') ?? [],
        mostDots: Number(first('canonicalizemaxdots') ?? 1),
        fallsBack: first('canonicalizefallbacklocal') !== 'no',
        cnames: this.#values.get('canonicalizepermittedcnames') ?? [],
        lookups: this.#query.findings?.names ?? new Map(),
      });
      this.hostName = found.name;
      this.#wantedName = found.wanted;
      if (found.isRefused) this.#refusal ??= `the name ${name} is found in none of the canonical domains`;
    }
    return mode !== 'false';
  }

  takeUnscoped(settings: readonly Setting[]): void {
    for (const [keyword, setting] of [
      ['streamlocalbindmask', settings.findLast(({ keyword: name }) => name === 'streamlocalbindmask')],
      ['syslogfacility', settings.find(({ keyword: name }) => name === 'syslogfacility')],
    ] as const) {
      if (setting === undefined) continue;
      this.#values.set(keyword, [...setting.values]);
      this.#origins.set(keyword, [setting.at]);
    }
  }

  result(): OwnResolution {
    return {
      values: this.#values,
      origins: this.#origins,
      losers: this.#losers,
      hostName: this.hostName,
      port: Number(this.#values.get('port')?.[0] ?? 22),
      user: this.#user(),
      blocks: [...this.#blocks],
      programs: [...this.#programs.values()],
      wantedName: this.#wantedName,
      undecided: [...this.#undecided].map(([at, kind]) => ({ at, kind })),
      refusal: this.#refusal,
    };
  }

  #user(): string {
    return this.#values.get('user')?.[0] ?? this.#query.localUser;
  }

  /** No proxy interprets the name. */
  #isDirect(): boolean {
    const isUnset = (keyword: string): boolean => (this.#values.get(keyword)?.[0] ?? 'none') === 'none';
    return isUnset('proxycommand') && !this.#values.has('proxyjump');
  }

  #scopeHolds(scope: Scope, round: Round): boolean {
    const known = this.#holds.get(scope);
    if (known !== undefined) return known;
    // OpenSSH reads the criteria of a block, and runs its programs, even where the block around it does not hold.
    const isEnclosed = scope.enclosing === undefined || this.#scopeHolds(scope.enclosing, round);
    const holds = this.#testHolds(scope, round) && isEnclosed;
    this.#holds.set(scope, holds);
    if (holds && scope.test.k !== 'always') this.#blocks.add(scope.at);
    return holds;
  }

  #testHolds(scope: Scope, round: Round): boolean {
    switch (scope.test.k) {
      case 'always':
        return true;
      case 'never':
        return false;
      case 'host':
        return matchesPatterns(round.host, scope.test.patterns);
      case 'match':
        return this.#criteriaHold(scope.test.criteria, { at: scope.at, round });
    }
  }

  /** Criteria are asked in order; like `ssh`, a program is only reached when everything before it holds. */
  #criteriaHold(
    criteria: readonly MatchCriterion[],
    where: { readonly at: SourceRef; readonly round: Round },
  ): boolean {
    let holds = true;
    for (const criterion of criteria) {
      if (!holds) continue;
      const answer = this.#criterionHolds(criterion, where);
      holds = answer !== undefined && answer !== criterion.isNegated;
    }
    return holds;
  }

  /** Undefined: cannot be decided here, so the block does not match, negated or not. */
  #criterionHolds(
    criterion: MatchCriterion,
    { at, round }: { readonly at: SourceRef; readonly round: Round },
  ): boolean | undefined {
    const { argument } = criterion;
    const { findings, localUser, alias } = this.#query;
    const list = (text: string): boolean =>
      text === '' ? argument === '' : matchesPatterns(text, argument.split(','));
    switch (criterion.kind) {
      case 'all':
        return true;
      case 'final':
      case 'canonical':
        return round.isFinal;
      case 'host':
        return matchesHostList(this.#hostSoFar(round), argument);
      case 'originalhost':
        return matchesHostList(alias, argument);
      case 'user':
        return list(this.#user());
      case 'localuser':
        return list(localUser);
      case 'tagged':
        return list(this.#values.get('tag')?.[0] ?? '');
      case 'command':
        return list('');
      case 'sessiontype': {
        const type = this.#values.get('sessiontype')?.[0] ?? 'default';
        return list(type === 'default' ? 'shell' : type);
      }
      case 'exec':
        return this.#program({ at, command: argument, round });
      case 'localnetwork':
        if (findings !== undefined) return isInNetworks(findings.interfaces, argument);
        break;
      case 'version':
        if (findings?.version !== undefined) return list(findings.version);
        break;
    }
    this.#undecided.set(at, criterion.kind);
    return undefined;
  }

  #program({
    at,
    command,
    round,
  }: {
    readonly at: SourceRef;
    readonly command: string;
    readonly round: Round;
  }): boolean | undefined {
    const { findings } = this.#query;
    const facts = findings === undefined ? undefined : this.#facts(this.#hostSoFar(round), findings);
    const expanded = facts === undefined ? undefined : expandPercent(command, facts);
    const known = findings?.programs.get(programKey({ at, command, expanded }));
    if (known === undefined)
      this.#programs.set(programKey({ at, command, expanded }), { at, command, expanded });
    return known;
  }

  #facts(host: string, findings: Findings): TokenFacts {
    const jump = this.#values.get('proxyjump')?.[0] ?? 'none';
    return {
      ...findings.local,
      localUser: this.#query.localUser,
      typedName: this.#query.alias,
      hostName: host,
      port: Number(this.#values.get('port')?.[0] ?? 22),
      remoteUser: this.#user(),
      keyAlias: this.#values.get('hostkeyalias')?.[0] ?? host,
      proxyJump: lastJumpHost(jump),
    };
  }

  #hostSoFar(round: Round): string {
    if (round.isFinal) return round.host;
    const written = this.#values.get('hostname')?.[0];
    return written === undefined ? this.#query.alias : this.#expandHostName(written);
  }

  /** `%h` and `%%` are the only tokens of HostName. */
  #expandHostName(written: string): string {
    if (/%(?![h%])/.test(written.replaceAll('%%', '')))
      this.#refusal ??= `HostName ${written} has a token that is not known`;
    return written.replace(/%([h%])/g, (_, token: string) => (token === 'h' ? this.#query.alias : '%'));
  }

  #apply(setting: Setting, { root }: Segment): void {
    const { keyword, values } = setting;
    const kind = keywordKind(keyword) ?? 'word';
    if (this.#query.isListing === true && !decidesAddress.has(keyword)) return;
    if (keyword === 'streamlocalbindmask' || keyword === 'syslogfacility') return;
    if (kind === 'refusal') this.#refusal ??= values[0];
    const known = this.#values.get(keyword);
    if (known === undefined || this.#adds(kind)) {
      const fresh = this.#fresh({ ...setting, kind, root, known: known ?? [] });
      if (fresh === undefined) return this.#lose(setting);
      this.#values.set(keyword, fresh);
      const origins = this.#origins.get(keyword) ?? [];
      if (!origins.includes(setting.at)) origins.push(setting.at);
      this.#origins.set(keyword, origins);
    } else this.#lose(setting);
  }

  #lose({ keyword, at }: Setting): void {
    if (this.#origins.get(keyword)?.includes(at) === true) return;
    const losers = this.#losers.get(keyword) ?? [];
    if (!losers.includes(at)) losers.push(at);
    this.#losers.set(keyword, losers);
  }

  #adds(kind: KeywordKind): boolean {
    return (
      kind === 'append' ||
      kind === 'sendEnv' ||
      kind === 'localForward' ||
      kind === 'remoteForward' ||
      kind === 'dynamicForward'
    );
  }

  /** The value with this line; undefined when the line adds nothing. */
  #fresh(
    line: Setting & { readonly kind: KeywordKind; readonly root: number; readonly known: readonly string[] },
  ): string[] | undefined {
    const { keyword, kind, values, known, root } = line;
    const [first = ''] = values;
    switch (kind) {
      case 'append': {
        const key = `${String(root)} ${keyword} ${first}`;
        if (this.#appended.has(key)) return undefined;
        this.#appended.add(key);
        return [...known, ...values];
      }
      case 'localForward':
      case 'remoteForward':
      case 'dynamicForward':
        return known.includes(first) ? undefined : [...known, ...values];
      case 'sendEnv':
        return sentNames(known, values);
      case 'setEnv': {
        const name = (entry: string): string => entry.slice(0, entry.indexOf('='));
        return values.filter(
          (entry, index) => values.findIndex((other) => name(other) === name(entry)) === index,
        );
      }
      default:
        return this.#isVoid(keyword, first) ? undefined : [...values];
    }
  }

  /** Of ProxyJump and ProxyCommand the one that is set first counts; a jump of `none` leaves the command open. */
  #isVoid(keyword: string, value: string): boolean {
    if (keyword === 'proxyjump') return value !== 'none' && this.#values.has('proxycommand');
    if (keyword === 'proxycommand') return (this.#values.get('proxyjump')?.[0] ?? 'none') !== 'none';
    return this.#isHostNameSettled && settledWithName.has(keyword);
  }
}

/** What address, port, user and the blocks that hold depend on. */
const decidesAddress: ReadonlySet<string> = new Set([
  'addressfamily',
  'canonicaldomains',
  'canonicalizefallbacklocal',
  'canonicalizehostname',
  'canonicalizemaxdots',
  'hostname',
  'port',
  'proxycommand',
  'proxyjump',
  'sessiontype',
  'tag',
  'user',
]);

/** What the second pass finds decided, by its default where no line of the first one did. */
const settledWithName: ReadonlySet<string> = new Set([
  'canonicalizefallbacklocal',
  'canonicalizehostname',
  'canonicalizemaxdots',
  'hostname',
]);

/** A name with `-` before it takes away what was there before. Source: ssh_config(5), SendEnv. */
function sentNames(known: readonly string[], words: readonly string[]): string[] {
  let names = [...known];
  for (const word of words)
    if (word.startsWith('-')) names = names.filter((name) => !matchesPattern(name, word.slice(1)));
    else names.push(word);
  return names;
}

function segmentsFor(config: ParsedConfig, name: string): readonly number[] {
  const own = config.byName.get(name);
  if (own === undefined) return config.forAnyName;
  return merged(own, config.forAnyName);
}

/** Two ascending lists as one. */
function merged(one: readonly number[], other: readonly number[]): readonly number[] {
  const all: number[] = [];
  let at = 0;
  for (const index of one) {
    for (let next = other[at]; next !== undefined && next < index; next = other[++at]) all.push(next);
    all.push(index);
  }
  for (; at < other.length; at++) all.push(other[at] ?? NaN);
  return all;
}
