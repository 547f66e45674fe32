import * as vscode from 'vscode';
import type { TransferServices } from './transferPorts.ts';

/** Lets the person pick hosts whose agreement to archives is taken back. */
export async function withdrawArchives({ archiveConsents, hosts }: TransferServices): Promise<void> {
  const labels = new Map((await hosts.list()).map(({ id, label }) => [id, label]));
  const given = archiveConsents.given().map((host) => ({
    label: labels.get(host) ?? vscode.l10n.t('a host that was removed'),
    host,
  }));
  if (given.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('You have agreed to archives on no host.'));
    return;
  }
  const picked = await vscode.window.showQuickPick(given, {
    title: vscode.l10n.t('Hosts where transfers use archives no more'),
    canPickMany: true,
  });
  for (const { host } of picked ?? []) await archiveConsents.withdraw(host);
}
