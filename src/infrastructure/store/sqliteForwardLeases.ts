import type { ClockPort } from '../../agentkit/index.ts';
import type { ForwardLeasePort } from '../../application/ports/forwards.ts';
import type { ForwardId } from '../../domain/forward/forward.ts';
import type { Connection } from './connection.ts';
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
        `INSERT OR REPLACE INTO forward_leases
         (forward_id, lease_window, lease_machine, lease_pid, lease_start, renewed_at) VALUES (?, ?, ?, ?, ?, ?)`,
        id,
        self.windowId,
        self.machine,
        self.pid,
        self.startToken,
        now,
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
  const row = connection.get(
    'SELECT lease_window, lease_machine, lease_pid, lease_start, renewed_at FROM forward_leases WHERE forward_id = ?',
    id,
  );
  if (row === undefined) return undefined;
  return {
    owner: {
      windowId: String(row['lease_window']),
      machine: String(row['lease_machine']),
      pid: Number(row['lease_pid']),
      startToken: String(row['lease_start']),
    },
    renewedAt: Number(row['renewed_at']),
  };
}
