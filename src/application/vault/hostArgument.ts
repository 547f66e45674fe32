import { z } from 'zod';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId, type HostId } from '../../domain/host/hostId.ts';
import type { HostDirectory } from '../ports/hosts.ts';

const hostArgument = z.object({ kind: z.literal('host'), listing: z.object({ id: z.string() }) });

/** The id a command was called with: a row of the Hosts tree, or anything of that shape. Undefined when it is none. */
export function hostIdOf(argument: unknown): HostId | undefined {
  const parsed = hostArgument.safeParse(argument);
  return parsed.success ? parseHostId(parsed.data.listing.id) : undefined;
}

/** The host a command was called for. Undefined when it names none, or one that is not known. */
export async function hostOf(hosts: HostDirectory, argument: unknown): Promise<HostListing | undefined> {
  const id = hostIdOf(argument);
  return id === undefined ? undefined : hosts.get(id);
}
