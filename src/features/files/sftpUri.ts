import * as vscode from 'vscode';
import type { DocumentAt, FilesPlace } from '../../application/files/documents/documentFiles.ts';
import { pathOfText, textOfPath } from '../../domain/files/remotePath.ts';
import { parseRemoteUser } from '../../domain/files/remoteUser.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Scheme } from '../../ids.ts';

/** In front of the user whose rights are meant; every other query is the editor's own and says nothing. */
const rights = 'as=';

/**
 * The one address of a file: the id of its host, never a name, its path byte by byte, and for elevated files the user whose rights are
 * used as the query `as=…`, which an address that is derived from it keeps. Source: vscode.md 7; ssh.md 8.2 and 8.6.
 */
export function uriOf({ host, path, as }: DocumentAt): vscode.Uri {
  const query = as === undefined ? '' : `${rights}${encodeURIComponent(as)}`;
  return vscode.Uri.from({ scheme: Scheme.sftp, authority: host, path: textOfPath(path), query });
}

/** What an address names. Throws `FileNotFound` for one that names nothing, and `bad-name` as `pathOfText`. */
export function documentOf(uri: vscode.Uri): DocumentAt {
  const host = uri.scheme === Scheme.sftp ? parseHostId(uri.authority) : undefined;
  if (host === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return { host, path: pathOfText(uri.path === '' ? '/' : uri.path), ...rightsOf(uri) };
}

/** As `documentOf`; undefined for what names nothing of ours. */
export function placeOfUri(uri: vscode.Uri): DocumentAt | undefined {
  if (uri.scheme !== Scheme.sftp) return undefined;
  try {
    return documentOf(uri);
  } catch {
    return undefined;
  }
}

function rightsOf(uri: vscode.Uri): Pick<FilesPlace, 'as'> {
  if (!uri.query.startsWith(rights)) return {};
  const encoded = uri.query.slice(rights.length);
  const as = parseRemoteUser(decoded(encoded));
  if (as === undefined || encodeURIComponent(as) !== encoded) throw vscode.FileSystemError.FileNotFound(uri);
  return { as };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
