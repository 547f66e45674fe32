import type { ParsedConfig } from './assembleConfig.ts';
import { resolveAlias } from './resolveAlias.ts';

const keywords: ReadonlySet<string> = new Set(['localforward', 'remoteforward', 'dynamicforward']);

/** Which of these names have forwards, by our own reading. Nothing is run and nothing is looked up. Source: ssh.md 4.1 and 6. */
export function aliasesWithForwards(
  config: ParsedConfig,
  { aliases, localUser }: { readonly aliases: Iterable<string>; readonly localUser: string },
): ReadonlySet<string> {
  const isAny = config.segments.some(({ settings }) => settings.some(({ keyword }) => keywords.has(keyword)));
  if (!isAny) return new Set();
  return new Set(
    [...aliases].filter((alias) => {
      const { values } = resolveAlias(config, { alias, localUser });
      return [...keywords].some((keyword) => values.has(keyword));
    }),
  );
}
