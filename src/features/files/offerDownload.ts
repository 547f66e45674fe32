import * as vscode from 'vscode';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { showPath, textOfPath } from '../../domain/files/remotePath.ts';
import { Command, type FileArgument } from '../../ids.ts';

/** A file that is too large for an editor can be downloaded; for every other error nothing is offered. Source: ssh.md 8.2. */
export async function offerDownload({ host, path }: DocumentAt, error: unknown): Promise<void> {
  if (!isTermindError(error) || error.fault.code !== 'too-large') return;
  const download = vscode.l10n.t('Download…');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} is too large for an editor.', showPath(path)),
    download,
  );
  const file: FileArgument = { kind: 'remoteFile', host, path: textOfPath(path) };
  if (answer === download) await vscode.commands.executeCommand(Command.downloadFiles, file);
}
