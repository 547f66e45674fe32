import { ExecRefusedError } from '../exec/execRefused.ts';
import { goesTo, type HostPlace } from '../exec/hostPlace.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Lease } from '../ports/connection.ts';
import type { HeldFiles } from './heldFiles.ts';
import type { RemoteFilesService } from './remoteFilesService.ts';

export interface ShownHostPorts {
  readonly service: Pick<RemoteFilesService, 'openOver'>;
  /** The host as it is listed now. */
  readonly placeOf: (id: HostId) => Promise<HostPlace | undefined>;
}

/**
 * The files of a host as it was shown, over the lease that was examined for it and no other: a host that is edited in between gets nothing.
 * The lease goes with what is opened, and is released when nothing is. Rejects with `otherHost` when it leads somewhere else, and as opening.
 */
export async function openShownHost(
  { lease, host }: { readonly lease: Lease; readonly host: HostPlace },
  { service, placeOf }: ShownHostPorts,
  signal: AbortSignal,
): Promise<HeldFiles> {
  try {
    if (!(await goesTo(lease, host, placeOf))) throw new ExecRefusedError('otherHost');
  } catch (error) {
    lease.release();
    throw error;
  }
  return service.openOver(host.id, lease, signal);
}
