import type { ClockPort } from '../../../agentkit/index.ts';
import type { StoredTransfer, TransferStorePort } from '../../../application/ports/transfers.ts';
import { roomFor } from '../../../application/transfer/queue/roomFor.ts';
import type { TransferId, TransferRecord } from '../../../domain/transfer/transferRecord.ts';

/** The transfer queue without a file: of this window only, and gone with it. */
export class MemoryTransfers implements TransferStorePort {
  readonly #clock: ClockPort;
  readonly #changed: () => void;
  readonly #rows = new Map<TransferId, StoredTransfer>();

  constructor(clock: ClockPort, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  async list(): Promise<readonly StoredTransfer[]> {
    return [...this.#rows.values()].reverse();
  }

  async get(id: TransferId): Promise<StoredTransfer | undefined> {
    return this.#rows.get(id);
  }

  async add(record: TransferRecord): Promise<void> {
    const records = [...this.#rows.values()].map((stored) => stored.record);
    for (const id of roomFor(records, this.#clock.now())) this.#rows.delete(id);
    this.#put(record, 'here');
  }

  async take(id: TransferId): Promise<TransferRecord | undefined> {
    const record = this.#rows.get(id)?.record;
    if (record !== undefined) this.#put(record, 'here');
    return record;
  }

  async save(record: TransferRecord, after: 'hold' | 'release'): Promise<boolean> {
    if (this.#rows.get(record.id)?.holder !== 'here') return false;
    this.#put(record, after === 'hold' ? 'here' : undefined);
    return true;
  }

  async remove(ids: readonly TransferId[]): Promise<void> {
    for (const id of ids) if (this.#rows.get(id)?.holder === undefined) this.#rows.delete(id);
    this.#changed();
  }

  #put(record: TransferRecord, holder: StoredTransfer['holder']): void {
    this.#rows.set(record.id, { record, holder });
    this.#changed();
  }
}
