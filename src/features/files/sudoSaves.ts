import * as vscode from 'vscode';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { Fault } from '../../domain/fault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { root } from '../../domain/files/remoteUser.ts';
import { openDocumentOf } from './openDocuments.ts';

/** Saves that the host has refused to the one who is signed in, and that the person may have done again as root. Source: ssh.md 8.6. */
export class SudoSaves {
  /** What is to be saved so, and whether a save has begun that is. */
  readonly #wanted = new Map<string, { hasBegun: boolean }>();
  readonly #asked = new Set<string>();

  /** Whose rights the save of this file has that is about to begin; undefined for those it has anyway. */
  rightsOf(at: DocumentAt): string | undefined {
    const wanted = this.#wanted.get(documentKey(at));
    if (wanted === undefined) return undefined;
    wanted.hasBegun = true;
    return root;
  }

  /** Offers it where that may help; one question for each file at a time. */
  offer(at: DocumentAt, { code }: Fault): void {
    const key = documentKey(at);
    const isOther = at.as !== undefined || this.#wanted.has(key);
    if (code !== 'denied' || isOther || this.#asked.has(key) || openDocumentOf(at) === undefined) return;
    this.#asked.add(key);
    void this.#ask(at, key).finally(() => this.#asked.delete(key));
  }

  async #ask(at: DocumentAt, key: string): Promise<void> {
    const save = vscode.l10n.t('Save with sudo…');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('You may not write {0}. Your changes are still in the editor.', showPath(at.path)),
      save,
    );
    if (answer !== save) return;
    const wanted = { hasBegun: false };
    this.#wanted.set(key, wanted);
    try {
      await openDocumentOf(at)?.save();
      // The editor takes a save that is not over yet, the refused one, for this one.
      if (!wanted.hasBegun) await openDocumentOf(at)?.save();
    } finally {
      this.#wanted.delete(key);
    }
  }
}
