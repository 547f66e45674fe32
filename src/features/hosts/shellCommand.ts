import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';
import { linkedRecord } from '../../application/vault/linkedRecord.ts';
import type { HostListing, ShellFamily } from '../../domain/host/host.ts';

/**
 * Lets a person say what the login shell of a host is, which decides quoting and what is offered there; then the host is not asked. A
 * host of the SSH configuration becomes a record that is linked to its alias. Source: ssh.md 1.9.
 */
export async function setShell(
  { hostStore }: { readonly hostStore: Pick<Services['hostStore'], 'get' | 'put'> },
  listing: HostListing,
): Promise<void> {
  const { shellFamily: now, ...rest } = (await hostStore.get(listing.id)) ?? linkedRecord(listing);
  const limited = vscode.l10n.t('Terminal only: no commands of the assistant, no files, no metrics.');
  const families: readonly {
    readonly family: ShellFamily | undefined;
    readonly label: string;
    readonly detail: string;
  }[] = [
    {
      family: undefined,
      label: vscode.l10n.t('Ask the host'),
      detail: vscode.l10n.t('One harmless command, at the first use; the answer is kept.'),
    },
    { family: 'posix', label: vscode.l10n.t('POSIX shell'), detail: 'sh, bash, zsh, dash, ksh, busybox' },
    { family: 'powershell', label: 'PowerShell', detail: vscode.l10n.t('Windows or elsewhere') },
    { family: 'cmd', label: 'cmd.exe', detail: vscode.l10n.t('Windows') },
    { family: 'network-cli', label: vscode.l10n.t('Network equipment'), detail: limited },
    { family: 'menu', label: vscode.l10n.t('A menu'), detail: limited },
    {
      family: 'unknown',
      label: vscode.l10n.t('Something else'),
      detail: vscode.l10n.t('Nothing is assumed, and nothing is asked.'),
    },
  ];
  const picked = await vscode.window.showQuickPick(
    families.map((one) => ({ ...one, label: one.family === now ? `$(check) ${one.label}` : one.label })),
    { title: vscode.l10n.t('Login shell of {0}', rest.label), ignoreFocusOut: true },
  );
  if (picked === undefined || picked.family === now) return;
  await hostStore.put(picked.family === undefined ? rest : { ...rest, shellFamily: picked.family });
}
