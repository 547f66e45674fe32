import { z } from 'zod';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { HostDirectory } from '../ports/hosts.ts';

const hostArgument = z.object({ kind: z.literal('host'), listing: z.object({ id: z.string() }) });

/** The host a command was called for: a row of the Hosts tree, or anything of that shape. Undefined when it is none, or unknown. */
export async function hostOf(hosts: HostDirectory, argument: unknown): Promise<HostListing | undefined> {
  const parsed = hostArgument.safeParse(argument);
  const id = parsed.success ? parseHostId(parsed.data.listing.id) : undefined;
  return id === undefined ? undefined : hosts.get(id);
}
