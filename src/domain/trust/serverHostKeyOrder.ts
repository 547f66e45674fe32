import { fallbackName, isKeptFor, searchedName, type TrustName, type TrustSource } from './trustRecord.ts';

/**
 * The host key algorithms to offer: those whose key type the host has a record for first, then the rest, each in the order of
 * `supported`. A known host therefore never looks new because its server has another key type as well.
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
  const isKnown = (algorithm: string): boolean => known.has(keyTypeOfAlgorithm(algorithm));
  return [...supported.filter(isKnown), ...supported.filter((algorithm) => !isKnown(algorithm))];
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
