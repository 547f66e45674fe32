import type { Row } from './connection.ts';
import type { Lease, LeaseOwner } from './leases.ts';

/** The columns of a lease, in the order of `leaseValues`. */
export const leaseColumns = 'lease_window, lease_machine, lease_pid, lease_start, renewed_at';

export function leaseValues(
  { windowId, machine, pid, startToken }: LeaseOwner,
  now: number,
): readonly [string, string, number, string, number] {
  return [windowId, machine, pid, startToken, now];
}

/** The lease in a row with `leaseColumns`; undefined when nobody has one. */
export function leaseOfRow(row: Row): Lease | undefined {
  const windowId = row['lease_window'];
  if (typeof windowId !== 'string') return undefined;
  return {
    owner: {
      windowId,
      machine: String(row['lease_machine']),
      pid: Number(row['lease_pid']),
      startToken: String(row['lease_start']),
    },
    renewedAt: Number(row['renewed_at']),
  };
}
