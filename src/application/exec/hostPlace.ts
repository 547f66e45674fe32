import type { HostListing } from '../../domain/host/host.ts';
import type { Lease } from '../ports/connection.ts';

/** A host as it was when somebody looked at it: what a card showed, what a proof was about. */
export type HostPlace = Pick<HostListing, 'id' | 'address' | 'port' | 'user' | 'way'>;

/** Equal for the same place only: a host that was edited is another one. */
export function placeKey({ id, address, port, user, way }: HostPlace): string {
  return JSON.stringify([id, address, port, user, way]);
}

/**
 * Whether the connection goes where the person was told. Address and way are not compared, because a configuration may canonicalise
 * the one and only a connection knows the other; changed ones make another connection.
 */
export function goesTo(lease: Pick<Lease, 'user' | 'port'>, place: HostPlace): boolean {
  return lease.user === place.user && lease.port === place.port;
}
