import type { ApprovalSubject, JsonObject } from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import { placeText } from '../../domain/host/placeText.ts';

/** The host of an argument; undefined when there is none. */
export async function findHost(hosts: HostDirectory, text: string): Promise<HostListing | undefined> {
  const id = parseHostId(text);
  return id === undefined ? undefined : hosts.get(id);
}

export const unknownHost = 'There is no host with this id. Use list_hosts.';

/** Who is asked about and what for; part of the digest. `details` come behind the address. */
export function hostSubject(
  host: HostListing,
  action: string,
  details: ApprovalSubject['details'],
): ApprovalSubject {
  return {
    action,
    target: host.label,
    targetId: host.id,
    identity: host.user,
    tier: host.tier ?? '',
    details: [{ label: 'Address', value: placeText(host.address, host.port) }, ...details],
  };
}

/** What makes a host another one for a permission that is given once. */
export function hostKey({ user, address, port, way }: HostListing): JsonObject {
  return { user, address, port, ...(way === undefined ? {} : { way }) };
}

/** True while the host is still what was shown. */
export function isSameHost(a: HostListing, b: HostListing): boolean {
  return (
    a.id === b.id &&
    a.label === b.label &&
    a.address === b.address &&
    a.port === b.port &&
    a.user === b.user &&
    a.way === b.way &&
    a.tier === b.tier
  );
}

export const changedHost =
  'The host was changed while the decision was open, so nothing was sent. Call list_hosts and try again.';
