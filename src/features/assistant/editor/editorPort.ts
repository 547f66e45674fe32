import * as vscode from 'vscode';
import type { Redactor } from '../../../agentkit/index.ts';
import type { LogPort } from '../../../application/ports/prompts.ts';
import type { EditorPort } from '../model/assistantActions.ts';

export interface EditorPortOptions {
  readonly log: LogPort;
  readonly redactor: Pick<Redactor, 'redact'>;
  describeError(error: unknown): string;
  suggest(text: string): void;
}

/** The editor behind the intents of the assistant. What fails is told the person and logged; nothing is thrown. */
export function editorPort(options: EditorPortOptions): EditorPort {
  const run = (task: () => Thenable<unknown>): void => {
    Promise.resolve()
      .then(task)
      .catch((error: unknown) => {
        options.log.error('assistant', 'an action of the editor failed', error);
        void vscode.window.showErrorMessage(options.describeError(error));
      });
  };
  return {
    writeClipboard: (text) => run(() => vscode.env.clipboard.writeText(options.redactor.redact(text))),
    openExternal: (url) => run(() => vscode.env.openExternal(vscode.Uri.parse(url, true))),
    openResource: (uri) =>
      run(() => vscode.window.showTextDocument(vscode.Uri.parse(uri, true), { preview: true })),
    openFile: ({ path, line, column }) =>
      run(() => {
        const at = new vscode.Position(line - 1, column - 1);
        return vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
      }),
    openFolders: () =>
      (vscode.workspace.workspaceFolders ?? [])
        .filter((folder) => folder.uri.scheme === 'file')
        .map((folder) => folder.uri.path),
    runCommand: (command) => run(() => vscode.commands.executeCommand(command)),
    openSetting: (setting) =>
      run(() => vscode.commands.executeCommand('workbench.action.openSettings', setting)),
    showError: (sentence) => void vscode.window.showErrorMessage(sentence),
    suggest: (text) => options.suggest(text),
  };
}
