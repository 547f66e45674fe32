import type { LegacyChoice, Tier } from '../host/host.ts';
import { algorithmKinds, optionOf, type AlgorithmKind } from './algorithms.ts';
import type { AlgorithmLists } from './trace.ts';

/**
 * Weak algorithms that a person can switch on for one host, by exact name and never as a bundle, each list best first.
 * Source: ssh.md 5.3.
 */
const legacy: Readonly<Record<AlgorithmKind, readonly string[]>> = {
  kex: ['diffie-hellman-group14-sha1', 'diffie-hellman-group-exchange-sha1', 'diffie-hellman-group1-sha1'],
  hostKey: ['ssh-rsa', 'ssh-dss'],
  cipher: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'],
  mac: ['hmac-sha1-96', 'hmac-md5', 'hmac-md5-96', 'hmac-ripemd160'],
  compression: [],
};

/** Every name that the switch can add. */
export const legacyAlgorithms: readonly string[] = algorithmKinds.flatMap((kind) => legacy[kind]);

/**
 * What is in force of a host's choice. On a production host nothing is without a reason, wherever the choice came from.
 * Source: ssh.md 5.3, 10.3.
 */
export function legacyInForce(choice: LegacyChoice | undefined, tier: Tier | undefined): readonly string[] {
  if (choice === undefined || (tier === 'prod' && (choice.reason ?? '').trim() === '')) return [];
  return choice.algorithms;
}

/** The lines of `ssh_config` that allow these legacy algorithms. */
export function legacyConfigLines(names: readonly string[]): readonly string[] {
  return algorithmKinds.flatMap((kind) => {
    const found = legacyOf(kind, names);
    return found.length === 0 ? [] : [`${optionOf[kind]} +${found.join(',')}`];
  });
}

/** Those of `names` that the switch can add to a list of this kind. */
export function legacyOf(kind: AlgorithmKind, names: readonly string[]): readonly string[] {
  return legacy[kind].filter((name) => names.includes(name));
}

/** Ciphers that authenticate by themselves need no MAC. */
const authenticating = /^(aes\d+-gcm|chacha20-poly1305)@openssh\.com$/;

/** The first name of `ours` that the server knows too, which is what is agreed on; undefined when there is none. Source: RFC 4253 section 7.1. */
function agreed(kind: AlgorithmKind, ours: AlgorithmLists, theirs: AlgorithmLists): string | undefined {
  return ours[kind].find((name) => theirs[kind].includes(name));
}

/** The kinds for which the two sides have nothing in common. */
export function withoutCommon(ours: AlgorithmLists, theirs: AlgorithmLists): readonly AlgorithmKind[] {
  return algorithmKinds.filter((kind) => {
    if (kind === 'mac' && authenticating.test(agreed('cipher', ours, theirs) ?? '')) return false;
    return agreed(kind, ours, theirs) === undefined;
  });
}

/**
 * Exactly the legacy algorithms that would make the exchange of keys succeed: one for each kind that lacks a common one, the best that
 * the server knows among `usable`. Undefined when they would not be enough.
 */
export function legacyThatHelps(
  ours: AlgorithmLists,
  theirs: AlgorithmLists,
  isUsable: (kind: AlgorithmKind, name: string) => boolean,
): readonly string[] | undefined {
  const missing = withoutCommon(ours, theirs);
  const found = missing.map((kind) => legacyOf(kind, theirs[kind]).find((name) => isUsable(kind, name)));
  const names = found.filter((name) => name !== undefined);
  return names.length === missing.length && names.length > 0 ? names : undefined;
}
