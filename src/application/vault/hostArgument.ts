import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId, type HostId } from '../../domain/host/hostId.ts';
import type { HostDirectory } from '../ports/hosts.ts';

/**
 * The id a command was called with: a row of the Hosts tree, or anything of that shape. Undefined when it is none. Read by hand, because
 * commands are registered at activation, which a schema library would double.
 */
export function hostIdOf(argument: unknown): HostId | undefined {
  if (!isObject(argument) || argument['kind'] !== 'host') return undefined;
  const listing = argument['listing'];
  const id = isObject(listing) ? listing['id'] : undefined;
  return typeof id === 'string' ? parseHostId(id) : undefined;
}

/** The host a command was called for. Undefined when it names none, or one that is not known. */
export async function hostOf(
  hosts: Pick<HostDirectory, 'get'>,
  argument: unknown,
): Promise<HostListing | undefined> {
  const id = hostIdOf(argument);
  return id === undefined ? undefined : hosts.get(id);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
