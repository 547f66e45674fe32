import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Lease } from '../ports/connection.ts';

/** A host as it was when somebody looked at it: what a card showed, what a proof was about. */
export type HostPlace = Pick<HostListing, 'id' | 'address' | 'port' | 'user' | 'way'>;

/** Equal for the same place only: a host that was edited is another one. */
export function placeKey({ id, address, port, user, way }: HostPlace): string {
  return JSON.stringify([id, address, port, user, way]);
}

/**
 * Whether a connection that was acquired for `place` goes there. The person was told an address and a way, while a connection has what the
 * configuration makes of them, so those two are compared with what is listed now: a host that was edited after the decision, however late,
 * is another place. A lease is never on a connection that was resolved before it was asked for and the host changed.
 */
export async function goesTo(
  lease: Pick<Lease, 'user' | 'port'>,
  place: HostPlace,
  placeOf: (id: HostId) => Promise<HostPlace | undefined>,
): Promise<boolean> {
  if (lease.user !== place.user || lease.port !== place.port) return false;
  const listed = await placeOf(place.id);
  return listed !== undefined && placeKey(listed) === placeKey(place);
}
