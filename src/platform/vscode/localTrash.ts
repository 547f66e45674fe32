import * as vscode from 'vscode';
import type { LocalTrashPort } from '../../application/ports/localTrash.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';

/** The trash of the machine, as the editor reaches it. What has something in it is not taken. */
export const localTrash: LocalTrashPort = {
  async take(path) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(path), { recursive: false, useTrash: true });
    } catch (error) {
      const text = showUntrusted(error instanceof Error ? error.message : String(error));
      throw fileError('no-trash', { path: showUntrusted(path), text }, { cause: error });
    }
  },
};
