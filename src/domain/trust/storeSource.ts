import { keyTypeOf } from './hostKey.ts';
import { searchedName, type TrustRecord, type TrustSource } from './trustRecord.ts';

/** What of a stored row decides about trust. */
export interface StoredKey {
  readonly name: string;
  readonly port: number;
  readonly keyType: string;
  readonly keyBase64: string;
}

/** The rows of the app-managed store as a source. A damaged row counts for nothing. */
export function storeSource(rows: readonly StoredKey[]): TrustSource {
  const records: TrustRecord[] = [];
  for (const row of rows) {
    const blob = Buffer.from(row.keyBase64, 'base64');
    if (keyTypeOf(blob) !== row.keyType) continue;
    const name = searchedName({ name: row.name.toLowerCase(), isAlias: false, port: row.port });
    records.push({
      marker: 'key',
      names: { k: 'exact', name },
      keyType: row.keyType,
      blob,
      source: 'store',
      line: undefined,
    });
  }
  return { kind: 'store', name: 'store', records };
}
