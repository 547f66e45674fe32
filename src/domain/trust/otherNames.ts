import { isSameBlob, type PresentedKey } from './hostKey.ts';
import { isKeptFor, type TrustRecord, type TrustSource } from './trustRecord.ts';

/** The names that a key is kept for besides `name`, without repeats; a hashed name stands as its line. Source: ssh.md 3.1. */
export function otherNamesOf(
  key: PresentedKey,
  name: string,
  sources: readonly TrustSource[],
): readonly string[] {
  const names = sources
    .flatMap(({ records }) => records)
    .filter((record) => record.marker === 'key' && isSameBlob(record.blob, key.blob))
    .filter((record) => !isKeptFor(record, name))
    .map(wordsOf);
  return [...new Set(names)];
}

function wordsOf({ names, source, line }: TrustRecord): string {
  switch (names.k) {
    case 'list':
      return names.patterns;
    case 'exact':
      return names.name;
    case 'hashed':
    case 'any':
      return line === undefined ? source : `${source}:${String(line)}`;
  }
}
