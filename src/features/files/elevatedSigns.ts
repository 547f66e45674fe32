import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { textOfPath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { Command, Scheme, type FileArgument } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';
import { placeOfUri } from './sftpUri.ts';

/**
 * Shows whose eyes a pane uses: a mark on tabs and rows of elevated files, and a word in the status bar while one is in front, which also
 * gives the rights up. Disposing takes both away. Source: ssh.md 8.6.
 */
export function showElevatedSigns(services: Pick<FilesServices, 'hosts'>): Disposable {
  const bag = new DisposableBag();
  bag.add(vscode.window.registerFileDecorationProvider({ provideFileDecoration: decorationOf }));
  const status = bag.add(
    vscode.window.createStatusBarItem('termind.elevated', vscode.StatusBarAlignment.Left),
  );
  status.name = vscode.l10n.t('Files with Other Rights');
  status.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  const show = async (editor: vscode.TextEditor | undefined): Promise<void> => {
    const at = editor && placeOfUri(editor.document.uri);
    if (at?.as === undefined) return status.hide();
    const host = await services.hosts.get(at.host);
    if (vscode.window.activeTextEditor !== editor) return;
    describe(status, at, host);
    status.show();
  };
  bag.add(vscode.window.onDidChangeActiveTextEditor((editor) => void show(editor)));
  void show(vscode.window.activeTextEditor);
  return bag;
}

/** `as root`. */
export function rightsText(as: string): string {
  return vscode.l10n.t('as {0}', as);
}

/** A row or an open file as commands take it. */
export function fileArgument({ host, path, as }: DocumentAt): FileArgument {
  return { kind: 'remoteFile', host, path: textOfPath(path), ...(as === undefined ? {} : { as }) };
}

function decorationOf(uri: vscode.Uri): vscode.FileDecoration | undefined {
  if (uri.scheme !== Scheme.sftp) return undefined;
  const as = placeOfUri(uri)?.as;
  if (as === undefined) return undefined;
  const tooltip = vscode.l10n.t('with the rights of {0}', as);
  return new vscode.FileDecoration('su', tooltip, new vscode.ThemeColor('list.warningForeground'));
}

function describe(status: vscode.StatusBarItem, at: DocumentAt, host: HostListing | undefined): void {
  const as = at.as ?? '';
  const label = host?.label ?? at.host;
  status.text = `$(shield) ${vscode.l10n.t('{0} on {1}', rightsText(as), label)}`;
  status.tooltip = vscode.l10n.t(
    'This file is read and saved with the rights of {0}. Select to give them up.',
    as,
  );
  status.accessibilityInformation = { label: status.tooltip };
  status.command = {
    command: Command.closeSudo,
    title: vscode.l10n.t('Give Up the Rights of Another User'),
    arguments: [fileArgument(at)],
  };
}
