import type { ParsedConfig } from './assembleConfig.ts';
import type { SourceRef } from './configFile.ts';
import { resolveAlias } from './resolveAlias.ts';

const keyword = 'stricthostkeychecking';
const offValues: ReadonlySet<string> = new Set(['no', 'off', 'false']);

/**
 * Which of these names have `StrictHostKeyChecking no` or `off`, each with the line that says so, by our own reading. Nothing is run and
 * nothing is looked up. Source: ssh.md 3.1.
 */
export function uncheckedNames(
  config: ParsedConfig,
  { names, localUser }: { readonly names: Iterable<string>; readonly localUser: string },
): ReadonlyMap<string, SourceRef> {
  const unchecked = new Map<string, SourceRef>();
  const isAny = config.segments.some(({ settings }) =>
    settings.some((setting) => setting.keyword === keyword),
  );
  if (!isAny) return unchecked;
  for (const alias of new Set(names)) {
    const { values, origins } = resolveAlias(config, { alias, localUser });
    const [at] = origins.get(keyword) ?? [];
    if (at !== undefined && offValues.has(values.get(keyword)?.[0]?.toLowerCase() ?? ''))
      unchecked.set(alias, at);
  }
  return unchecked;
}
