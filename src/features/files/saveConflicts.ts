import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { SaveConflict, SaveDamaged, SaveUnknown } from '../../application/files/save/fileSaving.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { DocumentScheme } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';
import { openDocumentOf } from './openDocuments.ts';
import type { MergeSides, SaveMerges } from './saveMerges.ts';
import { uriOf } from './sftpUri.ts';

type Choice = 'merge' | 'compare' | 'overwrite' | 'discard' | 'saveAs';

interface Answer {
  readonly choice: Choice | undefined;
  readonly shown: SaveConflict;
  readonly sides: MergeSides | undefined;
}

/**
 * Saves that met another content than their document was made from. Nothing is overwritten before the person has said so, with what the
 * host holds at hand; what it holds later than that is a conflict again. Disposing closes what is shown of theirs. Source: ssh.md 8.5,
 * "Conflict"; vscode.md 7.
 */
export class SaveConflicts implements Disposable {
  readonly #services: Pick<FilesServices, 'hosts' | 'documents'>;
  readonly #merges: Pick<SaveMerges, 'prepare' | 'open'>;
  readonly #bag = new DisposableBag();
  /** By file, what its save met last, while the person is asked about it. */
  readonly #asked = new Map<string, SaveConflict>();
  /** What is compared, by the id of the save that met it. */
  readonly #compared = new Map<string, Uint8Array>();

  constructor(
    services: Pick<FilesServices, 'hosts' | 'documents' | 'saving'>,
    merges: Pick<SaveMerges, 'prepare' | 'open'>,
  ) {
    this.#services = services;
    this.#merges = merges;
    this.#bag.add(
      vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.kept, {
        provideTextDocumentContent: async ({ query }) =>
          new TextDecoder().decode(await services.saving.keptContent(query)),
      }),
    );
    this.#bag.add(
      vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.theirs, {
        provideTextDocumentContent: ({ query }) => new TextDecoder().decode(this.#compared.get(query)),
      }),
    );
  }

  /** Asks what to do; one question for each file at a time. `mayMerge`: what is merged is saved with the rights of the document. */
  offer(at: DocumentAt, conflict: SaveConflict, { mayMerge }: { readonly mayMerge: boolean }): void {
    const key = documentKey(at);
    const isAsked = this.#asked.has(key);
    this.#asked.set(key, conflict);
    if (!isAsked) void this.#ask(at, conflict, mayMerge);
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

  async #ask(at: DocumentAt, conflict: SaveConflict, mayMerge: boolean): Promise<void> {
    const key = documentKey(at);
    const compared: string[] = [];
    let answer: Answer;
    try {
      answer = await this.#answer(at, { conflict, mayMerge, compared });
    } finally {
      this.#asked.delete(key);
      for (const kept of compared) this.#compared.delete(kept);
    }
    const { choice, shown, sides } = answer;
    if (choice === 'merge' && sides !== undefined) await this.#merges.open(at, sides);
    if (choice === 'overwrite') await this.#overwrite(at, shown);
    if (choice === 'discard') await onDocument(at, 'workbench.action.files.revert');
    if (choice === 'saveAs') await onDocument(at, 'workbench.action.files.saveAs');
  }

  /** It is about what the host held when the question was shown, or when it was compared. */
  async #answer(
    at: DocumentAt,
    question: { readonly conflict: SaveConflict; readonly mayMerge: boolean; readonly compared: string[] },
  ): Promise<Answer> {
    const { conflict, mayMerge, compared } = question;
    const label = (await this.#services.hosts.get(at.host))?.label ?? at.host;
    const sides = mayMerge ? await this.#merges.prepare(at, conflict) : undefined;
    const words = {
      merge: vscode.l10n.t('Merge…'),
      compare: vscode.l10n.t('Compare'),
      overwrite: vscode.l10n.t('Overwrite'),
      discard: vscode.l10n.t('Discard My Changes'),
      saveAs: vscode.l10n.t('Save As…'),
    } as const;
    let shown = conflict;
    let choices: readonly Choice[] = [sides === undefined ? 'compare' : 'merge', 'overwrite', 'discard'];
    for (;;) {
      const text = await vscode.window.showWarningMessage(
        vscode.l10n.t('{0} was changed on {1} after you opened it.', showPath(at.path), label),
        ...choices.map((choice) => words[choice]),
      );
      const choice = choices.find((one) => words[one] === text);
      if (choice !== 'compare') return { choice, shown, sides };
      shown = this.#asked.get(documentKey(at)) ?? shown;
      compared.push(shown.kept);
      await this.#compare(at, shown);
      choices = ['saveAs', 'overwrite', 'discard'];
    }
  }

  async #compare(at: DocumentAt, { theirs, kept }: SaveConflict): Promise<void> {
    const name = uriOf(at).path.split('/').at(-1) ?? '';
    if (theirs?.content !== undefined) this.#compared.set(kept, theirs.content);
    await vscode.commands.executeCommand(
      'vscode.diff',
      vscode.Uri.from({ scheme: DocumentScheme.theirs, path: uriOf(at).path, query: kept }),
      uriOf(at),
      vscode.l10n.t('{0}: on the host ↔ yours', name),
    );
  }

  async #overwrite(at: DocumentAt, { theirs }: SaveConflict): Promise<void> {
    if (theirs !== undefined) this.#services.documents.acceptTheirs(at, theirs);
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
