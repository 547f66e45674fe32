import { pathOfText, textOfPath } from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import type { TransferPlace } from '../../../domain/transfer/transferRecord.ts';
import type { HeldFiles } from '../../files/heldFiles.ts';
import { showPlace } from '../engine/place.ts';
import type { Place } from '../engine/transfer.ts';

/** A channel for transfers of a host, as `RemoteFilesService.openTransfer` gives it. */
export type OpenTransfer = (host: HostId, signal: AbortSignal) => Promise<HeldFiles>;

/** What the engine takes for a place of a record. Rejects with `bad-name` where the path is none. */
export function placeOf(place: TransferPlace, openTransfer: OpenTransfer): Place {
  return place.k === 'local'
    ? place
    : {
        k: 'remote',
        host: place.host,
        path: pathOfText(place.path),
        open: (signal) => openTransfer(place.host, signal),
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
  return showPlace(placeOf(place, neverOpened));
}

const neverOpened: OpenTransfer = () => Promise.reject(new Error('shown only'));
