import { Uri } from 'vscode';
import { isTermindError } from '../../domain/fault.ts';
import { pathOfText, textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { SyncPath } from '../../domain/sync/syncEntry.ts';
import { Scheme } from '../../ids.ts';
import { hostSide, localSide, type FolderSide } from './folderSide.ts';
import type { SyncServices } from './syncPorts.ts';

/** The folder that a command was called for: a row of the Files view, or the address of a folder. Undefined when it is none. */
export async function sideOfArgument(
  argument: unknown,
  services: SyncServices,
): Promise<FolderSide | undefined> {
  if (argument instanceof Uri && argument.scheme === 'file') return localSide(argument.fsPath);
  const named = argument instanceof Uri ? { host: argument.authority, path: argument.path } : argument;
  if (argument instanceof Uri && (argument.scheme !== Scheme.sftp || argument.query !== '')) return undefined;
  if (typeof named !== 'object' || named === null || !('host' in named) || !('path' in named))
    return undefined;
  // Not for files that are seen with the rights of another user.
  if ('as' in named && named.as !== undefined) return undefined;
  if (typeof named.host !== 'string' || typeof named.path !== 'string') return undefined;
  const id = parseHostId(named.host);
  const host = id === undefined ? undefined : await services.hosts.get(id);
  const path = readPath(named.path === '' ? '/' : named.path);
  return host === undefined || path === undefined ? undefined : hostSide(host, path, services);
}

/** An absolute path that a person wrote; undefined when it is none. */
export function readPath(text: string): RemotePath | undefined {
  if (!text.startsWith('/')) return undefined;
  try {
    return pathOfText(text);
  } catch (error) {
    if (isTermindError(error)) return undefined;
    throw error;
  }
}

/** The address under which the editor shows a file of the side. */
export function uriOfFile({ place }: FolderSide, path: SyncPath): Uri {
  if (place.k === 'local') return Uri.joinPath(Uri.file(place.folder), ...place.path, ...path);
  const folder = textOfPath(place.path);
  const full = `${folder.endsWith('/') ? folder : `${folder}/`}${path.join('/')}`;
  return Uri.from({ scheme: Scheme.sftp, authority: place.host, path: full });
}
