import type { HostRecord, SignInChoice } from './host.ts';

/** The record with other choices about signing in; `undefined` takes one back. A record without any has no such field. */
export function withSignIn(
  record: HostRecord,
  change: { readonly [K in keyof SignInChoice]?: SignInChoice[K] | undefined },
): HostRecord {
  const { signIn: before, ...rest } = record;
  const kept = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined);
  return kept.length === 0 ? rest : { ...rest, signIn: Object.fromEntries(kept) };
}
