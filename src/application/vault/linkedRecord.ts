import { localFault } from '../../domain/fault.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';

/**
 * A record for a host that lives in the configuration alone, linked to its alias: what it does not say stays as the configuration has it.
 * Throws `unknown-host` for a listing without an alias. Source: decisions 46.
 */
export function linkedRecord({ id, label, alias }: HostListing): HostRecord {
  if (alias === undefined) throw localFault('unknown-host');
  return {
    id,
    label,
    addresses: [],
    port: undefined,
    user: undefined,
    identity: { kind: 'default' },
    tier: undefined,
    group: undefined,
    tags: [],
    alias,
    revision: 0,
  };
}
