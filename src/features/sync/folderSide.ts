import { l10n } from 'vscode';
import { showPlace } from '../../application/transfer/engine/place.ts';
import type { Place } from '../../application/transfer/engine/transfer.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { SyncServices } from './syncPorts.ts';

/** One of the two folders, with what people call it. */
export interface FolderSide {
  readonly place: Place;
  /** Undefined for this machine. */
  readonly host: HostListing | undefined;
}

export function localSide(folder: string): FolderSide {
  return { place: { k: 'local', folder, path: [] }, host: undefined };
}

export function hostSide(
  host: HostListing,
  path: RemotePath,
  { files }: Pick<SyncServices, 'files'>,
): FolderSide {
  const open = (signal: AbortSignal): ReturnType<typeof files.openTransfer> =>
    files.openTransfer(host.id, signal);
  return { place: { k: 'remote', host: host.id, open, path }, host };
}

/** `web-1: /srv/www`, or the path alone on this machine. */
export function sideText({ place, host }: FolderSide): string {
  return host === undefined ? showPlace(place) : `${host.label}: ${showPlace(place)}`;
}

/** The machine in a word. */
export function machineText({ host }: FolderSide): string {
  return host?.label ?? l10n.t('this machine');
}
