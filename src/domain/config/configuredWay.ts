import type { ParsedConfig } from './assembleConfig.ts';
import { resolveAlias, type ConfigQuery } from './resolveAlias.ts';

/** Where a name leads and by what way, as the files have it: tokens are not replaced but in the host name. */
export interface ConfiguredWay {
  readonly hostName: string;
  readonly port: number;
  readonly user: string;
  /** ProxyJump; undefined where no line sets it. */
  readonly jump: string | undefined;
  /** ProxyCommand; undefined where no line sets it. */
  readonly command: string | undefined;
}

/** By our own reading: nothing is run and nothing is looked up. */
export function configuredWay(
  config: ParsedConfig,
  query: Pick<ConfigQuery, 'alias' | 'user' | 'port' | 'localUser'>,
): ConfiguredWay {
  const { hostName, port, user, values } = resolveAlias(config, { ...query, isListing: true });
  return {
    hostName,
    port,
    user,
    jump: values.get('proxyjump')?.[0],
    command: values.get('proxycommand')?.[0],
  };
}
