import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';

/** Puts versions, states and counts on the clipboard: no host names, no paths, no content. Source: vscode.md 10. */
export async function copyDiagnostics(services: Services | undefined): Promise<void> {
  const extension = vscode.extensions.getExtension('termind.termind');
  const manifest: unknown = extension?.packageJSON;
  const facts = {
    termind: versionOf(manifest),
    editor: `${vscode.env.appName} ${vscode.version}`,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    runsWhere: extension?.extensionKind === vscode.ExtensionKind.Workspace ? 'workspace' : 'ui',
    isRemote: vscode.env.remoteName !== undefined,
    runtime: services === undefined ? 'not loaded' : await runtimeFacts(services),
  };
  await vscode.env.clipboard.writeText(JSON.stringify(facts, undefined, 2));
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Diagnostics are on the clipboard. They hold no host names, paths or content.'),
  );
}

async function runtimeFacts(services: Services): Promise<Record<string, number | string>> {
  const hosts = await services.hosts.list();
  const states = new Map<string, number>();
  for (const host of hosts) {
    const { k } = services.connections.state(host.id);
    states.set(k, (states.get(k) ?? 0) + 1);
  }
  return {
    store: services.store.state().k,
    hosts: hosts.length,
    connections: JSON.stringify(Object.fromEntries(states)),
    approvalsWaiting: services.assistant.approvals.waiting.length,
  };
}

function versionOf(manifest: unknown): string {
  return typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
    ? manifest.version
    : 'unknown';
}
