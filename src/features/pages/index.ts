import type * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import type { EditorPages } from './editorPages.ts';

/**
 * Read-only pages in editor tabs, drawn by `webview/pages` from a document. They are not restored after a reload of the window: a page
 * shows what was true when it was loaded. What draws them is loaded with the first one. Source: decisions 25; vscode.md 5.
 */
export function createPages(
  extensionUri: vscode.Uri,
  ports: Pick<FeaturePorts, 'log' | 'describeError' | 'redactor'>,
): PagesPort & Disposable {
  const bag = new DisposableBag();
  let loading: Promise<EditorPages> | undefined;
  const load = async (): Promise<EditorPages> => {
    const loaded = await import('./editorPages.ts');
    return bag.add(new loaded.EditorPages({ extensionUri, ports }));
  };
  return {
    open: async (order) => (await (loading ??= load())).open(order),
    dispose: () => bag.dispose(),
  };
}
