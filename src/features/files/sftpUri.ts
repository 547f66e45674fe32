import * as vscode from 'vscode';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { pathOfText, textOfPath } from '../../domain/files/remotePath.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Scheme } from '../../ids.ts';

/** The one address of a file: the id of its host, never a name or a user, and its path byte by byte. Source: vscode.md 7; ssh.md 8.2. */
export function uriOf({ host, path }: DocumentAt): vscode.Uri {
  return vscode.Uri.from({ scheme: Scheme.sftp, authority: host, path: textOfPath(path) });
}

/** What an address names. Throws `FileNotFound` for one that names nothing, and `bad-name` as `pathOfText`. */
export function documentOf(uri: vscode.Uri): DocumentAt {
  const host = uri.scheme === Scheme.sftp ? parseHostId(uri.authority) : undefined;
  if (host === undefined) throw vscode.FileSystemError.FileNotFound(uri);
  return { host, path: pathOfText(uri.path === '' ? '/' : uri.path) };
}
