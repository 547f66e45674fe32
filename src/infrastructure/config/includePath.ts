import type { ConfigProblem } from '../../domain/config/configFile.ts';
import type { ReadingRules } from '../../domain/config/readValue.ts';
import { understands } from '../../domain/config/release.ts';

export interface IncludeOptions {
  readonly home: string;
  readonly rules: ReadingRules;
  /** `~` is not allowed in the files of the system. */
  readonly isSystem: boolean;
}

export type IncludePath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly problem: Pick<ConfigProblem, 'message' | 'isRefusedBySsh'> };

/** Since this release `${NAME}` and percent tokens are replaced in the path of an include. */
const tokensSince = 909;

/** The path or pattern that an Include argument means, or why it means none that can be listed. Source: ssh_config(5), Include. */
export function includePath(pattern: string, { home, rules, isSystem }: IncludeOptions): IncludePath {
  const bad = (message: string, isRefusedBySsh: boolean): IncludePath => ({
    ok: false,
    problem: { message, isRefusedBySsh },
  });
  if (isSystem && pattern.startsWith('~'))
    return bad('an include of a system file cannot begin with ~', true);
  if (!understands(rules.release, tokensSince) || !/[%$]/.test(pattern)) return { ok: true, path: pattern };
  let problem: IncludePath | undefined;
  const path = pattern.replace(/\$\{([^}]*)\}|%(.)/gs, (whole, name: string | undefined, token: string) => {
    if (name !== undefined) {
      const value = rules.environment[name];
      if (value === undefined) problem ??= bad(`the variable ${name} is not set`, false);
      return value ?? '';
    }
    if (token === '%') return '%';
    if (token === 'd') return home;
    problem ??= bad('the included file depends on the host, so only ssh reads it', false);
    return whole;
  });
  return problem ?? { ok: true, path };
}
