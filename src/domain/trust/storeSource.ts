import { authorityRecord, namesProblem } from './authorityLine.ts';
import { keyTypeOf } from './hostKey.ts';
import { searchedName, type TrustRecord, type TrustSource } from './trustRecord.ts';

/** What of a stored row decides about trust. */
export interface StoredKey {
  /** Trust name without port; of an authority its host patterns. */
  readonly name: string;
  readonly port: number;
  readonly keyType: string;
  readonly keyBase64: string;
  /** Absent for the key of a host. */
  readonly marker?: 'cert-authority';
}

/** The rows of the app-managed store as a source. A damaged row counts for nothing. */
export function storeSource(rows: readonly StoredKey[]): TrustSource {
  return { kind: 'store', name: 'store', records: rows.flatMap(recordOf) };
}

function recordOf({ name, port, keyType, keyBase64, marker }: StoredKey): readonly TrustRecord[] {
  const blob = Buffer.from(keyBase64, 'base64');
  if (keyTypeOf(blob) !== keyType) return [];
  if (marker === 'cert-authority')
    return namesProblem(name) === undefined ? [authorityRecord({ names: name, key: { keyType, blob } })] : [];
  const searched = searchedName({ name: name.toLowerCase(), isAlias: false, port });
  return [
    {
      marker: 'key',
      names: { k: 'exact', name: searched },
      keyType,
      blob,
      source: 'store',
      line: undefined,
    },
  ];
}
