import { pathOfText, textOfPath } from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import type { TransferPlace } from '../../../domain/transfer/transferRecord.ts';
import type { HeldFiles } from '../../files/heldFiles.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { HostArchives } from '../archive/hostArchives.ts';
import { showPlace } from '../engine/place.ts';
import type { Place, RemotePlace } from '../engine/transfer.ts';

/** A channel for transfers of a host, as `RemoteFilesService.openTransfer` gives it. */
export type OpenTransfer = (host: HostId, signal: AbortSignal, shown?: string) => Promise<HeldFiles>;

/** How the hosts of places are reached. */
export interface TransferHosts {
  readonly openTransfer: OpenTransfer;
  /** Absent: no command is run on any host. */
  readonly commandsOf?: (host: HostId) => HostCommands;
  /** Absent: each file goes by itself. */
  readonly archivesOf?: (host: HostId) => HostArchives;
}

/** What the engine takes for a place of a record. Rejects with `bad-name` where the path is none. */
export function placeOf(place: TransferPlace, hosts: TransferHosts): Place {
  if (place.k === 'local') return place;
  return { k: 'remote', host: place.host, path: pathOfText(place.path), ...waysOf(place, hosts) };
}

/** Commands go to where the host leads now, so one that was shown gets none. */
function waysOf(
  { host, shown }: Extract<TransferPlace, { k: 'remote' }>,
  { openTransfer, commandsOf, archivesOf }: TransferHosts,
): Pick<RemotePlace, 'open' | 'commands' | 'archives'> {
  if (shown !== undefined) return { open: (signal) => openTransfer(host, signal, shown) };
  return {
    open: (signal) => openTransfer(host, signal),
    ...(commandsOf === undefined ? {} : { commands: commandsOf(host) }),
    ...(archivesOf === undefined ? {} : { archives: archivesOf(host) }),
  };
}

/** The place as a record holds it. */
export function recordedPlace(place: Place): TransferPlace {
  return place.k === 'local'
    ? { k: 'local', folder: place.folder, path: place.path }
    : { k: 'remote', host: place.host, path: textOfPath(place.path) };
}

/** For people, without the host. */
export function showTransferPlace(place: TransferPlace): string {
  return showPlace(placeOf(place, shownOnly));
}

const shownOnly: TransferHosts = { openTransfer: () => Promise.reject(new Error('shown only')) };
