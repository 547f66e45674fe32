import type { TransferId, TransferRecord } from '../../domain/transfer/transferRecord.ts';

/** How many entries there may be; finished ones make room, the oldest first. */
export const mostTransfers = 200;
/** What a caller of a tool may still ask about is kept as long. Source: tools.md 14. */
export const keptForCallersMs = 24 * 60 * 60 * 1_000;

export interface StoredTransfer {
  readonly record: TransferRecord;
  /** Which window works on it; undefined = none, also when that window is gone or has not been heard of for 45 s. */
  readonly holder: 'here' | 'elsewhere' | undefined;
}

/**
 * The transfer queue of all windows. A window works on an entry while it holds it; nobody else changes the entry meanwhile. Rejects with the
 * store's faults. Source: ssh.md 8.8.
 */
export interface TransferStorePort {
  /** The newest first. */
  list(): Promise<readonly StoredTransfer[]>;
  get(id: TransferId): Promise<StoredTransfer | undefined>;
  /** A new entry, held by this window. Rejects with `transfers-full` when there is no finished one that could make room. */
  add(record: TransferRecord): Promise<void>;
  /** Holds it from now on; undefined while another window does, and when there is none. */
  take(id: TransferId): Promise<TransferRecord | undefined>;
  /** Writes what this window holds, and holds on to it for another 45 s or gives it back. False when it does not hold it. */
  save(record: TransferRecord, after: 'hold' | 'release'): Promise<boolean>;
  /** Removes entries that no window holds; the others stay. */
  remove(ids: readonly TransferId[]): Promise<void>;
}
