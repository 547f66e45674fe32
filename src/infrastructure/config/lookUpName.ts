import dns from 'node:dns/promises';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';
import type { NameLookup } from '../../domain/config/canonicalName.ts';

const limitMs = 5_000;
const deepestAlias = 8;
const notFound: NameLookup = { isFound: false, alias: undefined };

export interface LookUpOptions {
  /** 0 for both. */
  readonly family: 0 | 4 | 6;
  /** Also asks for the name it is an alias of. */
  readonly followsAliases: boolean;
  readonly clock: ClockPort;
}

/**
 * Asks the resolver of this machine about a name with a dot behind it, for CanonicalizeHostname without an `ssh`. No answer within five
 * seconds counts as not found. Rejects only on abort.
 */
export function lookUpName(
  name: string,
  { family, followsAliases, clock }: LookUpOptions,
  signal: AbortSignal,
): Promise<NameLookup> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const limit = clock.after(limitMs, () => settle(notFound));
    const onAbort = (): void => {
      limit.dispose();
      reject(abortReason(signal));
    };
    const settle = (lookup: NameLookup): void => {
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      resolve(lookup);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    dns
      .lookup(name, { family })
      .then(async () => ({ isFound: true, alias: followsAliases ? await aliasOf(name) : undefined }))
      .then(settle, () => settle(notFound));
  });
}

async function aliasOf(name: string): Promise<string | undefined> {
  let alias: string | undefined;
  for (let depth = 0; depth < deepestAlias; depth++) {
    const [next] = await dns.resolveCname(alias ?? name.replace(/\.$/, '')).catch(() => []);
    if (next === undefined) break;
    alias = next.replace(/\.$/, '').toLowerCase();
  }
  return alias;
}
