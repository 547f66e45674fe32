import type { ListedEntry } from '../../application/files/documents/listFolder.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { pathOfText, textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { parseRemoteUser } from '../../domain/files/remoteUser.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { FileArgument } from '../../ids.ts';

/** A host as a root of the tree; commands about hosts take it as they take a row of the Hosts tree. */
export interface HostNode {
  readonly kind: 'host';
  readonly listing: HostListing;
}

/**
 * A file or folder. `role`: where it stands; under a host itself stand its start folder, `/`, bookmarks and folders that are browsed with
 * the rights of another user.
 */
export interface FileNode extends FileArgument {
  readonly role: 'entry' | 'start' | 'root' | 'bookmark' | 'elevated';
  readonly at: DocumentAt;
  /** Undefined for a folder under a host itself. */
  readonly entry: ListedEntry | undefined;
  /** The path of the folder under the host that it is seen below, which makes the row one of a kind. */
  readonly below: string;
  readonly parent: FileNode | HostNode;
}

/** There are more entries than are shown. */
export interface MoreNode {
  readonly kind: 'moreFiles';
  readonly parent: FileNode;
  readonly left: number;
}

/** Why there is nothing to see; `host`: it has to be connected first. */
export interface NoteNode {
  readonly kind: 'filesNote';
  readonly parent: FileNode | HostNode;
  readonly text: string;
  readonly connect: HostListing | undefined;
  /** The rights were given up meanwhile: this asks for them again. */
  readonly elevate?: DocumentAt & { readonly as: string };
}

export type FilesNode = HostNode | FileNode | MoreNode | NoteNode;

/** It has the rights of its parent; `as`: those of a row under a host itself. */
export function fileNode(
  path: RemotePath,
  place: Pick<FileNode, 'role' | 'entry' | 'parent' | 'as'> & { readonly below?: string },
): FileNode {
  const { parent } = place;
  const host = parent.kind === 'host' ? parent.listing.id : parent.at.host;
  const as = parent.kind === 'host' ? place.as : parent.at.as;
  const rights = as === undefined ? {} : { as };
  const text = textOfPath(path);
  return {
    kind: 'remoteFile',
    host,
    path: text,
    ...rights,
    at: { host, path, ...rights },
    ...{ role: place.role, entry: place.entry, parent: place.parent, below: place.below ?? text },
  };
}

export function isFolder({ entry }: FileNode): boolean {
  return entry === undefined || entry.kind === 'directory' || entry.target === 'directory';
}

/** The file that a command was called for: a row of the Files view, or anything of that shape. Undefined when it is none. */
export function fileOf(argument: unknown): DocumentAt | undefined {
  if (typeof argument !== 'object' || argument === null || !('kind' in argument)) return undefined;
  if (argument.kind !== 'remoteFile' || !('host' in argument) || !('path' in argument)) return undefined;
  const host = typeof argument.host === 'string' ? parseHostId(argument.host) : undefined;
  if (host === undefined || typeof argument.path !== 'string') return undefined;
  const rights = rightsIn(argument);
  if (rights === undefined) return undefined;
  try {
    return { host, path: pathOfText(argument.path), ...rights };
  } catch (error) {
    if (isTermindError(error)) return undefined;
    throw error;
  }
}

/** Undefined for what names a user that is none. */
function rightsIn(argument: object): Pick<DocumentAt, 'as'> | undefined {
  if (!('as' in argument) || argument.as === undefined) return {};
  const as = typeof argument.as === 'string' ? parseRemoteUser(argument.as) : undefined;
  return as === undefined ? undefined : { as };
}
