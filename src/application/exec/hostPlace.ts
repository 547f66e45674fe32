import type { HostListing } from '../../domain/host/host.ts';
import type { Lease } from '../ports/connection.ts';

/** A host as it was when somebody looked at it: what a card showed, what a proof was about. */
export type HostPlace = Pick<HostListing, 'id' | 'address' | 'port' | 'user'>;

/** Equal for the same place only: a host that was edited is another one. */
export function placeKey({ id, address, port, user }: HostPlace): string {
  return JSON.stringify([id, address, port, user]);
}

/**
 * Whether the connection goes where the person was told. The address is not compared, because a configuration may canonicalise it; a
 * changed one makes another connection.
 */
export function goesTo(lease: Pick<Lease, 'user' | 'port'>, place: HostPlace): boolean {
  return lease.user === place.user && lease.port === place.port;
}
