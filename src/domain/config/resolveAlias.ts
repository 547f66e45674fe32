import type { ParsedConfig, Scope, Setting } from './assembleConfig.ts';
import type { MatchCriterion, SourceRef } from './configFile.ts';
import { matchesHostList, matchesPatterns } from './hostPattern.ts';
import { isAccumulating, keywordKind } from './keywords.ts';

/** What is asked of a configuration: a name as typed, and what the command line would add. */
export interface ConfigQuery {
  readonly alias: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
  readonly localUser: string;
}

/** What a configuration says about a name. Keywords are lower case; values are spelled as `ssh -G` spells them. */
export interface OwnResolution {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The lines that gave the value, in order; empty when it came with the question. */
  readonly origins: ReadonlyMap<string, readonly SourceRef[]>;
  /** The resolved host name: `HostName` expanded, else the name itself, lower case and in canonical numeric form. */
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** The `Host` and `Match` lines that hold for the name, in order. */
  readonly blocks: readonly SourceRef[];
  /** Programs that `ssh` would run to decide this; their blocks did not match here. Source: ssh.md 4.3. */
  readonly programs: readonly { readonly at: SourceRef; readonly command: string }[];
  /** `Match` criteria that only `ssh` can decide; their blocks did not match here. */
  readonly undecided: readonly { readonly at: SourceRef; readonly kind: string }[];
}

/**
 * Resolves a name as `ssh` does: first obtained value wins, accumulating keywords collect, `Match final` asks for a second pass in
 * which `Host` sees the resolved name. Runs nothing: `Match exec` is reported and does not match.
 * Source: ssh.md 4.1 to 4.3; ssh_config(5).
 */
export function resolveAlias(config: ParsedConfig, query: ConfigQuery): OwnResolution {
  const pass = new ResolutionPass(query);
  pass.run(config, { host: query.alias, isFinal: false });
  if (config.asksForFinalPass) pass.run(config, { host: pass.hostName(), isFinal: true });
  return pass.result();
}

interface Round {
  /** What `Host` lines are compared with. */
  readonly host: string;
  readonly isFinal: boolean;
}

class ResolutionPass {
  readonly #query: ConfigQuery;
  readonly #values = new Map<string, string[]>();
  readonly #origins = new Map<string, SourceRef[]>();
  readonly #programs = new Map<SourceRef, string>();
  readonly #undecided = new Map<SourceRef, string>();
  readonly #blocks = new Set<SourceRef>();
  #holds = new Map<Scope, boolean>();
  /** The second pass cannot change the name any more that it is about. */
  #isHostNameSettled = false;

  constructor(query: ConfigQuery) {
    this.#query = query;
    if (query.user !== undefined) this.#values.set('user', [query.user]);
    if (query.port !== undefined) this.#values.set('port', [String(query.port)]);
  }

  run(config: ParsedConfig, round: Round): void {
    this.#holds = new Map();
    this.#isHostNameSettled = round.isFinal;
    for (const index of segmentsFor(config, round.host)) {
      const segment = config.segments[index];
      if (segment === undefined || !this.#scopeHolds(segment.scope, round)) continue;
      for (const setting of segment.settings) this.#apply(setting);
    }
  }

  hostName(): string {
    const written = this.#values.get('hostname')?.[0];
    const name = written === undefined ? this.#query.alias : expandHostName(written, this.#query.alias);
    return name.includes('%') ? name : canonicalAddress(name.toLowerCase()); // a zone keeps its spelling
  }

  result(): OwnResolution {
    const toList = (map: ReadonlyMap<SourceRef, string>): readonly (readonly [SourceRef, string])[] => [
      ...map,
    ];
    return {
      values: this.#values,
      origins: this.#origins,
      hostName: this.hostName(),
      port: Number(this.#values.get('port')?.[0] ?? 22),
      user: this.#values.get('user')?.[0] ?? this.#query.localUser,
      blocks: [...this.#blocks],
      programs: toList(this.#programs).map(([at, command]) => ({ at, command })),
      undecided: toList(this.#undecided).map(([at, kind]) => ({ at, kind })),
    };
  }

  #scopeHolds(scope: Scope, round: Round): boolean {
    const known = this.#holds.get(scope);
    if (known !== undefined) return known;
    const holds =
      (scope.enclosing === undefined || this.#scopeHolds(scope.enclosing, round)) &&
      this.#testHolds(scope, round);
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
    switch (criterion.kind) {
      case 'all':
        return true;
      case 'final':
        return round.isFinal;
      case 'canonical':
        return round.isFinal;
      case 'host':
        return matchesHostList(this.#hostSoFar(round), argument);
      case 'originalhost':
        return matchesHostList(this.#query.alias, argument);
      case 'user':
        return matchesPatterns(this.#values.get('user')?.[0] ?? this.#query.localUser, argument.split(','));
      case 'localuser':
        return matchesPatterns(this.#query.localUser, argument.split(','));
      case 'exec':
        this.#programs.set(at, argument);
        return undefined;
      default:
        this.#undecided.set(at, criterion.kind);
        return undefined;
    }
  }

  #hostSoFar(round: Round): string {
    if (round.isFinal) return round.host;
    const written = this.#values.get('hostname')?.[0];
    return written === undefined ? this.#query.alias : expandHostName(written, this.#query.alias);
  }

  #apply(setting: Setting): void {
    const { keyword } = setting;
    const kind = keywordKind(keyword);
    if (kind === undefined || kind === 'ignored' || keyword === 'ignoreunknown') return;
    const known = this.#values.get(keyword);
    if (known === undefined) {
      if (this.#isVoid(keyword) || (keyword === 'hostname' && this.#isHostNameSettled)) return;
      const values =
        keyword === 'hostkeyalias' ? setting.values.map((name) => name.toLowerCase()) : setting.values;
      this.#values.set(keyword, [...values]);
      this.#origins.set(keyword, [setting.at]);
      return;
    }
    if (!isAccumulating(kind)) return;
    const fresh =
      kind === 'appendAll' ? setting.values : setting.values.filter((value) => !known.includes(value));
    known.push(...fresh);
    this.#origins.get(keyword)?.push(setting.at);
  }

  /** Of ProxyJump and ProxyCommand the one that is set first counts; a jump of `none` leaves the command open. */
  #isVoid(keyword: string): boolean {
    if (keyword === 'proxyjump') return this.#values.has('proxycommand');
    if (keyword !== 'proxycommand') return false;
    const jump = this.#values.get('proxyjump')?.[0];
    return jump !== undefined && jump.toLowerCase() !== 'none';
  }
}

function segmentsFor(config: ParsedConfig, name: string): readonly number[] {
  const own = config.byName.get(name);
  if (own === undefined) return config.forAnyName;
  return [...own, ...config.forAnyName].sort((a, b) => a - b);
}

/** `%h` and `%%` are the only tokens of HostName; anything else is left for `ssh` to refuse. */
function expandHostName(written: string, alias: string): string {
  return written.replace(/%([h%])/g, (_, token: string) => (token === 'h' ? alias : '%'));
}

/**
 * Numeric addresses in the form that `ssh` prints: `127.1` is `127.0.0.1`, `::0001` is `::1`. Names come back unchanged. An IPv4 address
 * inside an IPv6 one keeps its dotted spelling.
 */
export function canonicalAddress(name: string): string {
  if (name.includes(':')) {
    if (name.includes('%') || name.includes('.') || !URL.canParse(`http://[${name}]/`)) return name;
    return new URL(`http://[${name}]/`).hostname.slice(1, -1);
  }
  if (/^(?:[1-9]\d{0,2}|0)(?:\.(?:[1-9]\d{0,2}|0)){3}$/.test(name)) return name;
  if (!/^[0-9a-fx.]+$/.test(name) || !/^(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+))*$/.test(name))
    return name;
  return URL.canParse(`http://${name}/`) ? new URL(`http://${name}/`).hostname : name;
}
