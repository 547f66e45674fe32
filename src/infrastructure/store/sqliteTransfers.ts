import type { ClockPort } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import {
  mostTransfers,
  type StoredTransfer,
  type TransferStorePort,
} from '../../application/ports/transfers.ts';
import { roomFor } from '../../application/transfer/queue/roomFor.ts';
import {
  transferRecordSchema,
  type TransferId,
  type TransferRecord,
} from '../../domain/transfer/transferRecord.ts';
import type { Connection, Row } from './connection.ts';
import { decodeJson } from './decode.ts';
import { leaseColumns, leaseOfRow, leaseValues } from './leaseRows.ts';
import { isLeaseLive, isSameOwner, type LeaseOwner } from './leases.ts';
import type { StoreDatabase } from './storeDatabase.ts';

export interface SqliteTransfersOptions {
  readonly database: StoreDatabase;
  readonly clock: ClockPort;
  readonly self: LeaseOwner;
  readonly log: LogPort;
}

const columns = `id, payload, ${leaseColumns}`;
const freed =
  'lease_window = NULL, lease_machine = NULL, lease_pid = NULL, lease_start = NULL, renewed_at = NULL';
const leased = 'lease_window = ?, lease_machine = ?, lease_pid = ?, lease_start = ?, renewed_at = ?';

/** The transfer queue of all windows. Faults are those of `StoreDatabase`. A row that cannot be read is left out. */
export class SqliteTransfers implements TransferStorePort {
  readonly #options: SqliteTransfersOptions;

  constructor(options: SqliteTransfersOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly StoredTransfer[]> {
    const rows = await this.#options.database.read((connection) =>
      connection.all(
        `SELECT ${columns} FROM transfers ORDER BY added_at DESC, rowid DESC LIMIT ?`,
        mostTransfers,
      ),
    );
    return rows.map((row) => this.#read(row)).filter((stored) => stored !== undefined);
  }

  async get(id: TransferId): Promise<StoredTransfer | undefined> {
    const row = await this.#options.database.read((connection) => rowOf(connection, id));
    return row && this.#read(row);
  }

  add(record: TransferRecord): Promise<void> {
    const { database, clock, self } = this.#options;
    return database.write({ area: 'transfers' }, (connection) => {
      const now = clock.now();
      const rows = connection.all(`SELECT ${columns} FROM transfers ORDER BY added_at, rowid`);
      const known = rows.map((row) => this.#read(row)).filter((stored) => stored !== undefined);
      const gone = roomFor(
        known.map((stored) => stored.record),
        now,
      );
      for (const id of gone) connection.run('DELETE FROM transfers WHERE id = ?', id);
      connection.run(
        `INSERT INTO transfers (id, added_at, payload, ${leaseColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        record.id,
        record.addedAt,
        JSON.stringify(record),
        ...leaseValues(self, now),
      );
    });
  }

  take(id: TransferId): Promise<TransferRecord | undefined> {
    const { database, clock, self } = this.#options;
    return database.write({ area: 'transfers' }, (connection) => {
      const row = rowOf(connection, id);
      const stored = row && this.#read(row);
      if (stored === undefined || stored.holder === 'elsewhere') return undefined;
      connection.run(`UPDATE transfers SET ${leased} WHERE id = ?`, ...leaseValues(self, clock.now()), id);
      return stored.record;
    });
  }

  save(record: TransferRecord, after: 'hold' | 'release'): Promise<boolean> {
    const { database, clock, self } = this.#options;
    return database.write({ area: 'transfers' }, (connection) => {
      const row = rowOf(connection, record.id);
      const lease = row && leaseOfRow(row);
      if (lease === undefined || !isSameOwner(lease.owner, self)) return false;
      const payload = JSON.stringify(record);
      if (after === 'release')
        connection.run(`UPDATE transfers SET payload = ?, ${freed} WHERE id = ?`, payload, record.id);
      else
        connection.run(
          `UPDATE transfers SET payload = ?, ${leased} WHERE id = ?`,
          payload,
          ...leaseValues(self, clock.now()),
          record.id,
        );
      return true;
    });
  }

  remove(ids: readonly TransferId[]): Promise<void> {
    return this.#options.database.write({ area: 'transfers' }, (connection) => {
      for (const id of ids) {
        const row = rowOf(connection, id);
        if (row !== undefined && this.#holder(row) === undefined)
          connection.run('DELETE FROM transfers WHERE id = ?', id);
      }
    });
  }

  #read(row: Row): StoredTransfer | undefined {
    const { log } = this.#options;
    const record = decodeJson(transferRecordSchema, row['payload'], {
      name: `transfer ${String(row['id'])}`,
      log,
    });
    return record && { record, holder: this.#holder(row) };
  }

  #holder(row: Row): StoredTransfer['holder'] {
    const { self, clock } = this.#options;
    const lease = leaseOfRow(row);
    if (lease === undefined) return undefined;
    if (isSameOwner(lease.owner, self)) return 'here';
    return isLeaseLive(lease, self, clock.now()) ? 'elsewhere' : undefined;
  }
}

function rowOf(connection: Connection, id: TransferId): Row | undefined {
  return connection.get(`SELECT ${columns} FROM transfers WHERE id = ?`, id);
}
