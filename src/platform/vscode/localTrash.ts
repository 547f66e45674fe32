import * as vscode from 'vscode';
import type { LocalTrashPort } from '../../application/ports/localTrash.ts';

/** The trash of the machine, as the editor reaches it. What has something in it is not taken. */
export const localTrash: LocalTrashPort = {
  take: async (path) => {
    await vscode.workspace.fs.delete(vscode.Uri.file(path), { recursive: false, useTrash: true });
  },
};
