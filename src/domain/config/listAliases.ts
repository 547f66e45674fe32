import type { ParsedConfig } from './assembleConfig.ts';
import type { ConfigProblem, SourceRef } from './configFile.ts';
import { isLiteralPattern } from './hostPattern.ts';
import { resolveAlias } from './resolveAlias.ts';

/** A name a person may type, from a `Host` line without wildcard or negation. */
export interface AliasListing {
  readonly alias: string;
  readonly at: SourceRef;
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** Lines whose programs decide about it; their blocks did not match here. */
  readonly programs: readonly SourceRef[];
}

/**
 * The names of a configuration in the order of their first `Host` line, each resolved by our own reading. A name inside an included
 * file counts only where the enclosing block holds for it, as it would for `ssh`. Nothing is run and nothing is looked up.
 * Source: ssh.md 4.1, CFG-13 and CFG-27.
 */
export function listAliases(
  config: ParsedConfig,
  localUser: string,
): { readonly aliases: readonly AliasListing[]; readonly problems: readonly ConfigProblem[] } {
  const aliases: AliasListing[] = [];
  const problems: ConfigProblem[] = [];
  const seen = new Set<string>();
  for (const { scope } of config.segments) {
    if (scope.test.k !== 'host') continue;
    for (const pattern of scope.test.patterns) {
      if (!isLiteralPattern(pattern) || seen.has(pattern)) continue;
      const why = unreachable(pattern);
      if (why !== undefined) {
        problems.push({ ...scope.at, message: why, isRefusedBySsh: false });
        seen.add(pattern);
        continue;
      }
      const resolution = resolveAlias(config, { alias: pattern, localUser, isListing: true });
      if (!resolution.blocks.includes(scope.at)) continue;
      seen.add(pattern);
      const { hostName, port, user } = resolution;
      const programs = resolution.programs.map(({ at }) => at);
      aliases.push({ alias: pattern, at: scope.at, hostName, port, user, programs });
    }
  }
  return { aliases, problems };
}

/** Why nobody can ask `ssh` for this name. */
function unreachable(name: string): string | undefined {
  if (name.startsWith('-')) return 'a name that begins with - is refused by ssh';
  if (name.includes('@') || name.startsWith('ssh://')) return 'ssh reads this name as a user and a host';
  return undefined;
}
