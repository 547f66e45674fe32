import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { SaveConflict, SaveDamaged, SaveUnknown } from '../../application/files/save/fileSaving.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { DocumentScheme } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';
import { openDocumentOf } from './openDocuments.ts';
import { uriOf } from './sftpUri.ts';

/**
 * Saves that met another content than their document was made from. Nothing is overwritten before the person has said so, with what the
 * host holds at hand. Disposing closes what is shown of theirs. Source: ssh.md 8.5, "Conflict"; vscode.md 7.
 */
export class SaveConflicts implements Disposable {
  readonly #services: Pick<FilesServices, 'hosts' | 'documents'>;
  readonly #bag = new DisposableBag();
  readonly #theirs = new Map<string, SaveConflict>();
  readonly #asked = new Set<string>();

  constructor(services: Pick<FilesServices, 'hosts' | 'documents' | 'saving'>) {
    this.#services = services;
    this.#bag.add(
      vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.kept, {
        provideTextDocumentContent: async ({ query }) =>
          new TextDecoder().decode(await services.saving.keptContent(query)),
      }),
    );
    this.#bag.add(
      vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.theirs, {
        provideTextDocumentContent: ({ query }) => {
          const content = [...this.#theirs.values()].find(({ kept }) => kept === query)?.theirs?.content;
          return content === undefined ? '' : new TextDecoder().decode(content);
        },
      }),
    );
  }

  /** Asks what to do; one question for each file at a time. */
  offer(at: DocumentAt, conflict: SaveConflict): void {
    const key = documentKey(at);
    this.#theirs.set(key, conflict);
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    void this.#ask(at, key).finally(() => {
      this.#asked.delete(key);
      this.#theirs.delete(key);
    });
  }

  /** Nobody knows what the host holds, or it holds neither content. */
  tellUncertain(at: DocumentAt, outcome: SaveUnknown | SaveDamaged): void {
    const name = showPath(at.path);
    void vscode.window.showErrorMessage(
      outcome.k === 'unknown'
        ? vscode.l10n.t('The connection was lost while {0} was saved.', name)
        : vscode.l10n.t('The connection was lost while {0} was being written.', name),
      {
        modal: true,
        detail:
          outcome.k === 'unknown'
            ? vscode.l10n.t(
                'The host holds the old or the new content, whole, or a whole copy of the old one beside the file. Your changes stay in the editor and on this machine. Connect and save again.',
              )
            : vscode.l10n.t(
                'The file is incomplete on the host. Its old content is whole in {0}, and your changes stay in the editor and on this machine. Connect and save again.',
                showPath(outcome.backup),
              ),
      },
    );
  }

  dispose(): void {
    this.#bag.dispose();
  }

  async #ask(at: DocumentAt, key: string): Promise<void> {
    const label = (await this.#services.hosts.get(at.host))?.label ?? at.host;
    const compare = vscode.l10n.t('Compare');
    const overwrite = vscode.l10n.t('Overwrite');
    const discard = vscode.l10n.t('Discard My Changes');
    const saveAs = vscode.l10n.t('Save As…');
    for (let choices = [compare, overwrite, discard]; ; choices = [saveAs, overwrite, discard]) {
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t('{0} was changed on {1} after you opened it.', showPath(at.path), label),
        ...choices,
      );
      if (answer !== compare) {
        if (answer === overwrite) await this.#overwrite(at, key);
        if (answer === discard) await onDocument(at, 'workbench.action.files.revert');
        if (answer === saveAs) await onDocument(at, 'workbench.action.files.saveAs');
        return;
      }
      await this.#compare(at, key);
    }
  }

  async #compare(at: DocumentAt, key: string): Promise<void> {
    const name = uriOf(at).path.split('/').at(-1) ?? '';
    const query = this.#theirs.get(key)?.kept ?? '';
    const theirs = vscode.Uri.from({ scheme: DocumentScheme.theirs, path: uriOf(at).path, query });
    await vscode.commands.executeCommand(
      'vscode.diff',
      theirs,
      uriOf(at),
      vscode.l10n.t('{0}: on the host ↔ yours', name),
    );
  }

  async #overwrite(at: DocumentAt, key: string): Promise<void> {
    const theirs = this.#theirs.get(key)?.theirs;
    if (theirs !== undefined) this.#services.documents.acceptTheirs(at, theirs.stamp);
    await openDocumentOf(at)?.save();
  }
}

/** A command of the editor that is about its active document. */
async function onDocument(at: DocumentAt, command: string): Promise<void> {
  const document = openDocumentOf(at);
  if (document === undefined) return;
  await vscode.window.showTextDocument(document, { preview: false });
  await vscode.commands.executeCommand(command);
}
