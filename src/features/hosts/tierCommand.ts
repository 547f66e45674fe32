import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';
import { linkedRecord } from '../../application/vault/linkedRecord.ts';
import type { HostListing, Tier } from '../../domain/host/host.ts';

/**
 * Lets a person say what a host is for. Leaving production takes a second, modal yes, because it lets the assistant change the host. A
 * host of the SSH configuration becomes a record that is linked to its alias; no file is written. Source: ssh.md 10.3.
 */
export async function setTier(
  services: Pick<Services, 'hostStore'> & { readonly hosts: Pick<Services['hosts'], 'get'> },
  listing: HostListing,
): Promise<void> {
  const choices: readonly {
    readonly tier: Tier | undefined;
    readonly label: string;
    readonly detail: string;
  }[] = [
    {
      tier: 'prod',
      label: vscode.l10n.t('Production'),
      detail: vscode.l10n.t('The assistant only reads until you raise the host for one request.'),
    },
    {
      tier: 'stage',
      label: vscode.l10n.t('Staging'),
      detail: vscode.l10n.t('Marked in lists and cards. The assistant asks as usual.'),
    },
    {
      tier: 'dev',
      label: vscode.l10n.t('Development'),
      detail: vscode.l10n.t('Marked in lists and cards. The assistant asks as usual.'),
    },
    {
      tier: undefined,
      label: vscode.l10n.t('None'),
      detail: vscode.l10n.t('Nothing is said about the host. The assistant asks as usual.'),
    },
  ];
  const picked = await vscode.window.showQuickPick(
    choices.map((choice) => ({
      ...choice,
      label: choice.tier === listing.tier ? `$(check) ${choice.label}` : choice.label,
    })),
    {
      title: vscode.l10n.t('Environment of {0}', listing.label),
      placeHolder: vscode.l10n.t('What is this host for?'),
    },
  );
  if (picked === undefined || picked.tier === listing.tier) return;
  if (listing.tier === 'prod' && !(await confirmLeaving(listing))) return;
  const record = (await services.hostStore.get(listing.id)) ?? linkedRecord(listing);
  await services.hostStore.put({ ...record, tier: picked.tier });
  const now = await services.hosts.get(record.id);
  if (now?.tier !== 'prod' || picked.tier === 'prod') return;
  void vscode.window.showInformationMessage(
    vscode.l10n.t('{0} stays a production host: another one has the same address and port.', now.label),
  );
}

async function confirmLeaving({ label }: HostListing): Promise<boolean> {
  const keep = vscode.l10n.t('Keep Production');
  const change = vscode.l10n.t('Change');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Treat {0} as a production host no longer?', label),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The assistant may then change it like any other host: by your permission mode, and without raising it first.',
      ),
    },
    keep,
    change,
  );
  return answer === change;
}
