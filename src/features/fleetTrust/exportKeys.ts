import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { FleetTrustServices } from './fleetTrustServices.ts';

/** Asks for a file and saves every known host key in it. */
export async function exportKeys(services: FleetTrustServices): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Known Host Keys'),
    defaultUri: vscode.Uri.joinPath(folder, 'exported_known_hosts'),
  });
  if (target === undefined) return;
  void vscode.window.showInformationMessage(await saveKeys(target, services));
}

/**
 * Writes the keys to a file and says what was done. A file that keys are read from is not written: no file of the user is ever
 * rewritten. Source: ssh.md 3.2.
 */
export async function saveKeys(target: vscode.Uri, { fleetTrust }: FleetTrustServices): Promise<string> {
  const { text, keys, leftOut, sources } = await fleetTrust.exportText(neverAborted);
  if (sources.some((path) => vscode.Uri.file(path).toString() === target.toString()))
    return vscode.l10n.t(
      'Nothing was saved: {0} is in use for host keys. Choose another file.',
      target.fsPath,
    );
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  const saved = vscode.l10n.t('{0} host key(s) were saved.', keys);
  if (leftOut === 0) return saved;
  return `${saved} ${vscode.l10n.t('{0} cannot be written in this format and were left out.', leftOut)}`;
}
