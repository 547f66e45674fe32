import { matchesHostList } from './hostPattern.ts';

/** What the resolver of this machine says about a name. */
export interface NameLookup {
  readonly isFound: boolean;
  /** The name it is an alias of, without a dot behind it; undefined when it is none. */
  readonly alias: string | undefined;
}

export interface CanonicalRules {
  /** `true` or `always`. */
  readonly mode: string;
  /** No proxy or jump host interprets the name. */
  readonly isDirect: boolean;
  readonly domains: readonly string[];
  readonly mostDots: number;
  readonly fallsBack: boolean;
  /** `source:target` pattern lists. */
  readonly cnames: readonly string[];
  /** By the name with a dot behind it. What is missing counts as not found and is wanted. */
  readonly lookups: ReadonlyMap<string, NameLookup>;
}

export interface CanonicalName {
  readonly name: string;
  /** The first name whose look-up is missing. */
  readonly wanted: string | undefined;
  /** Nothing was found and CanonicalizeFallbackLocal forbids to go on. */
  readonly isRefused: boolean;
}

/**
 * The name that CanonicalizeHostname makes of a lower-case name. Names that a proxy interprets are left alone unless the mode is
 * `always`. Source: ssh_config(5), CanonicalizeHostname; OpenSSH `resolve_canonicalize`.
 */
export function canonicalName(name: string, rules: CanonicalRules): CanonicalName {
  const isAnchored = name.endsWith('.');
  const unchanged: CanonicalName = { name, wanted: undefined, isRefused: false };
  if (!rules.isDirect && rules.mode !== 'always') return unchanged;
  if (!isAnchored && name.split('.').length - 1 > rules.mostDots) return unchanged;
  const candidates = isAnchored ? [name] : rules.domains.map((domain) => `${name}.${domain}.`);
  let wanted: string | undefined;
  for (const candidate of candidates) {
    if (candidate === `${name}.none.`) break;
    const lookup = rules.lookups.get(candidate);
    if (lookup === undefined) wanted ??= candidate;
    if (lookup?.isFound !== true) continue;
    const found = candidate.slice(0, -1);
    return { name: followed(found, lookup.alias, rules.cnames), wanted, isRefused: false };
  }
  return { name, wanted, isRefused: !rules.fallsBack && wanted === undefined };
}

/** The alias a name stands for, where a rule permits to follow it. */
function followed(name: string, alias: string | undefined, cnames: readonly string[]): string {
  if (alias === undefined || alias === name) return name;
  const isPermitted = cnames.some((rule) => {
    const cut = rule.indexOf(':');
    return matchesHostList(name, rule.slice(0, cut)) && matchesHostList(alias, rule.slice(cut + 1));
  });
  return isPermitted ? alias : name;
}
