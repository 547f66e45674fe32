import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Redactor } from '../../../agentkit/index.ts';
import type { PagePort } from '../screen/screen.ts';
import { pageHtml, staticHtml, type PageOptions } from './pageHtml.ts';

/** The built page lies here, below the extension. */
const folder = ['dist', 'webview'] as const;

export interface AssistantPageOptions {
  readonly extensionUri: vscode.Uri;
  readonly surface: 'view' | 'panel';
  readonly redactor: Pick<Redactor, 'redactJson'>;
}

/** A webview of the editor as the page of a screen. Sets what it may load and runs nothing by itself. */
export function assistantPage(
  webview: vscode.Webview,
  { extensionUri, surface, redactor }: AssistantPageOptions,
): PagePort {
  const root = vscode.Uri.joinPath(extensionUri, ...folder);
  webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [root] };
  const address = (...path: string[]): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(root, ...path)).toString();
  const options = (): PageOptions => ({
    nonce: randomBytes(16).toString('base64url'),
    language: vscode.env.language,
    surface,
    title: vscode.l10n.t('Termind Assistant'),
  });
  return {
    post: (message) => void webview.postMessage(redactor.redactJson(message)),
    load() {
      webview.html = pageHtml(
        {
          cspSource: webview.cspSource,
          script: address('assistant', 'main.js'),
          style: address('assistant', 'main.css'),
          codicons: address('codicon.css'),
        },
        options(),
      );
    },
    showStatic() {
      webview.html = staticHtml(options(), {
        sentence: vscode.l10n.t('The assistant stopped answering. Nothing is lost: reload it.'),
        reload: vscode.l10n.t('Reload'),
      });
    },
  };
}
