import { fallbackName, isKeptFor, searchedName, type TrustName, type TrustSource } from './trustRecord.ts';

/**
 * The host key algorithms to offer, each part in the order of `supported`: certificates when an authority is kept for the host, then
 * those whose key type the host has a record for, then the rest; certificates last when there is no authority, so that a server with
 * nothing else still connects. A known host therefore never looks new because its server has another key type as well.
 * Source: ssh.md 3.4, TRAP-5, KH-3.
 */
export function serverHostKeyOrder(
  trust: TrustName,
  sources: readonly TrustSource[],
  supported: readonly string[],
): readonly string[] {
  const known = knownTypes(sources, searchedName(trust));
  const fallback = fallbackName(trust);
  if (known.size === 0 && fallback !== undefined)
    for (const type of knownTypes(sources, fallback)) known.add(type);
  const hasAuthority = sources.some(({ records }) =>
    records.some(
      (record) =>
        record.marker === 'cert-authority' &&
        (isKeptFor(record, searchedName(trust)) || (fallback !== undefined && isKeptFor(record, fallback))),
    ),
  );
  const rank = (algorithm: string): number => {
    if (algorithm.endsWith('-cert-v01@openssh.com')) return hasAuthority ? 0 : 3;
    return known.has(keyTypeOfAlgorithm(algorithm)) ? 1 : 2;
  };
  return supported.toSorted((a, b) => rank(a) - rank(b));
}

function knownTypes(sources: readonly TrustSource[], name: string): Set<string> {
  return new Set(
    sources.flatMap(({ records }) =>
      records
        .filter((record) => record.marker === 'key' && isKeptFor(record, name))
        .map((record) => record.keyType),
    ),
  );
}

/** Both SHA-2 signature names stand for an `ssh-rsa` key. Source: RFC 8332 section 3. */
function keyTypeOfAlgorithm(algorithm: string): string {
  return algorithm === 'rsa-sha2-512' || algorithm === 'rsa-sha2-256' ? 'ssh-rsa' : algorithm;
}
