import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';
import { linkedRecord } from '../../application/vault/linkedRecord.ts';
import type { HostListing } from '../../domain/host/host.ts';

/**
 * Lets a person mark the files of a host as read-only, or take the mark back. A host of the configuration becomes a record that is linked
 * to its alias. Counts at once; closing the question changes nothing. Source: ssh.md 8.2.
 */
export async function markFilesReadOnly(
  { hostStore }: { readonly hostStore: Pick<Services['hostStore'], 'get' | 'put'> },
  listing: HostListing,
): Promise<void> {
  const { filesReadOnly = false, ...rest } = (await hostStore.get(listing.id)) ?? linkedRecord(listing);
  const choices: readonly { readonly isMarked: boolean; readonly label: string; readonly detail: string }[] =
    [
      {
        isMarked: false,
        label: vscode.l10n.t('Read and write'),
        detail: vscode.l10n.t('Files are changed where the host allows it.'),
      },
      {
        isMarked: true,
        label: vscode.l10n.t('Read-only'),
        detail: vscode.l10n.t(
          'Editors, transfers, sudo and file tools change nothing; terminals and commands can.',
        ),
      },
    ];
  const picked = await vscode.window.showQuickPick(
    choices.map((one) => ({
      ...one,
      label: one.isMarked === filesReadOnly ? `$(check) ${one.label}` : one.label,
    })),
    { title: vscode.l10n.t('Files of {0}', rest.label), ignoreFocusOut: true },
  );
  if (picked === undefined || picked.isMarked === filesReadOnly) return;
  await hostStore.put(picked.isMarked ? { ...rest, filesReadOnly: true } : rest);
}
