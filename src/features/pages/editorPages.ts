import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { PageOrder } from '../../application/ports/pages.ts';
import { webviewHtml } from '../../domain/page/webviewHtml.ts';
import type { PageStrings } from '../../webview/pages/protocol.ts';
import { pageBody } from './pageBody.ts';
import { PageSession } from './pageSession.ts';

interface OpenPage {
  readonly panel: vscode.WebviewPanel;
  readonly session: PageSession;
}

export interface EditorPagesOptions {
  readonly extensionUri: vscode.Uri;
  readonly ports: Pick<FeaturePorts, 'log' | 'describeError' | 'redactor'>;
}

/** The tabs of read-only pages, one for each kind and key. One owner disposes it, which closes them. */
export class EditorPages implements Disposable {
  readonly #options: EditorPagesOptions;
  readonly #pages = new Map<string, OpenPage>();

  constructor(options: EditorPagesOptions) {
    this.#options = options;
  }

  open(order: PageOrder): void {
    const id = JSON.stringify([order.kind, order.key]);
    const known = this.#pages.get(id);
    if (known !== undefined) {
      known.panel.title = order.tabTitle;
      known.panel.reveal(undefined, order.keepsFocus === true);
      known.session.replace(order);
      return;
    }
    const page = openPage(order, this.#options);
    this.#pages.set(id, page);
    page.panel.onDidChangeViewState(() => page.session.setVisible(page.panel.visible));
    page.panel.onDidDispose(() => {
      this.#pages.delete(id);
      page.session.dispose();
    });
  }

  dispose(): void {
    for (const { panel } of [...this.#pages.values()]) panel.dispose();
  }
}

function openPage(order: PageOrder, { extensionUri, ports }: EditorPagesOptions): OpenPage {
  const root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  const place = { viewColumn: vscode.ViewColumn.Active, preserveFocus: order.keepsFocus === true };
  const panel = vscode.window.createWebviewPanel(order.kind, order.tabTitle, place, {
    enableScripts: true,
    enableCommandUris: false,
    localResourceRoots: [root],
  });
  panel.iconPath = new vscode.ThemeIcon(order.icon);
  const { webview } = panel;
  const session = new PageSession(order, {
    post: (message) => void webview.postMessage(ports.redactor.redactJson(message)),
    copy: async (text) => vscode.env.clipboard.writeText(ports.redactor.redact(text)),
    strings: strings(),
    copied: vscode.l10n.t('Copied.'),
    describeError: (error) => ports.describeError(error),
    log: ports.log,
  });
  webview.onDidReceiveMessage((message: unknown) => void session.receive(message));
  const address = (...path: string[]): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(root, ...path)).toString();
  const nonce = randomBytes(16).toString('base64url');
  webview.html = webviewHtml(
    { nonce, cspSource: webview.cspSource, language: vscode.env.language, title: order.tabTitle },
    pageBody({
      nonce,
      codicons: address('codicon.css'),
      style: address('pages', 'main.css'),
      script: address('pages', 'main.js'),
    }),
  );
  return { panel, session };
}

function strings(): PageStrings {
  return {
    copy: vscode.l10n.t('Copy'),
    copyAsText: vscode.l10n.t('Copy as Text'),
    reload: vscode.l10n.t('Reload'),
    loading: vscode.l10n.t('Loading…'),
    filter: vscode.l10n.t('Filter'),
    shown: vscode.l10n.t('{0} of {1} shown', '{0}', '{1}'),
    nothingFound: vscode.l10n.t('Nothing matches.'),
    showMore: vscode.l10n.t('Show more'),
  };
}
