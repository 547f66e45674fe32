import type { ClockPort } from '../../agentkit/index.ts';
import type { ForwardLeasePort } from '../../application/ports/forwards.ts';
import type { ForwardId } from '../../domain/forward/forward.ts';
import type { Connection } from './connection.ts';
import { leaseColumns, leaseOfRow, leaseValues } from './leaseRows.ts';
import { isLeaseLive, isSameOwner, type Lease, type LeaseOwner } from './leases.ts';
import type { StoreDatabase } from './storeDatabase.ts';

export interface SqliteForwardLeasesOptions {
  readonly database: StoreDatabase;
  readonly clock: ClockPort;
  readonly self: LeaseOwner;
}

/** Leases on forwards, shared by all windows. Faults are those of `StoreDatabase`. */
export class SqliteForwardLeases implements ForwardLeasePort {
  readonly #options: SqliteForwardLeasesOptions;

  constructor(options: SqliteForwardLeasesOptions) {
    this.#options = options;
  }

  take(id: ForwardId): Promise<boolean> {
    const { database, clock, self } = this.#options;
    return database.write({}, (connection) => {
      const now = clock.now();
      const held = leaseOf(connection, id);
      if (held !== undefined && !isSameOwner(held.owner, self) && isLeaseLive(held, self, now)) return false;
      connection.run(
        `INSERT OR REPLACE INTO forward_leases (forward_id, ${leaseColumns}) VALUES (?, ?, ?, ?, ?, ?)`,
        id,
        ...leaseValues(self, now),
      );
      return true;
    });
  }

  release(id: ForwardId): Promise<void> {
    const { database, self } = this.#options;
    return database.write({}, (connection) => {
      const held = leaseOf(connection, id);
      if (held !== undefined && isSameOwner(held.owner, self))
        connection.run('DELETE FROM forward_leases WHERE forward_id = ?', id);
    });
  }
}

function leaseOf(connection: Connection, id: ForwardId): Lease | undefined {
  const row = connection.get(`SELECT ${leaseColumns} FROM forward_leases WHERE forward_id = ?`, id);
  return row && leaseOfRow(row);
}
