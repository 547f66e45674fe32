import * as vscode from 'vscode';
import type { SourceRef } from '../../domain/config/configFile.ts';
import { openLineAction } from '../../domain/page/openLineAction.ts';

/** The action of a page that opens a file at a line. */
export const openLine = {
  action: openLineAction.of,
  parse: openLineAction.parse,
  /** Shows the line in an editor, selected. */
  async open({ path, line }: SourceRef): Promise<void> {
    const at = new vscode.Position(Math.max(0, line - 1), 0);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
  },
};
