import * as vscode from 'vscode';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { hasCode } from '../../domain/fault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { Command } from '../../ids.ts';
import { fileArgument } from './elevatedSigns.ts';
import { uriOf } from './sftpUri.ts';

/**
 * Files that the host does not let the one who is signed in read, and that the person has opened: the editor only says that something went
 * wrong, so a question says what, and offers to open them with the rights of another user. Source: ssh.md 8.6.
 */
export class SudoOpens {
  readonly #asked = new Set<string>();

  /** One question for each file at a time; none for what is read for somebody else than a tab. Never rejects. */
  async offer(at: DocumentAt, error: unknown): Promise<void> {
    const key = documentKey(at);
    if (at.as !== undefined || !hasCode(error, 'denied') || this.#asked.has(key) || !hasTab(at)) return;
    this.#asked.add(key);
    const open = vscode.l10n.t('Open with sudo…');
    const text = vscode.l10n.t('You may not read {0}.', showPath(at.path));
    try {
      if ((await vscode.window.showWarningMessage(text, open)) === open)
        await vscode.commands.executeCommand(Command.openWithSudo, fileArgument(at));
    } finally {
      this.#asked.delete(key);
    }
  }
}

function hasTab(at: DocumentAt): boolean {
  const address = uriOf(at).toString();
  return vscode.window.tabGroups.all.some(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === address),
  );
}
