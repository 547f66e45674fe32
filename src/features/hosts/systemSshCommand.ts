import * as vscode from 'vscode';
import { linkedRecord } from '../../application/vault/linkedRecord.ts';
import type { Services } from '../../application/services.ts';
import type { HostListing } from '../../domain/host/host.ts';

/**
 * Lets a person choose who connects to one host: Termind or the system's own `ssh`. A host of the configuration becomes a record that is
 * linked to its alias. Closing the question changes nothing. Counts from the next connection on. Source: ssh.md 1.8.
 */
export async function useSystemSsh(services: Services, listing: HostListing): Promise<void> {
  const stored = await services.hostStore.get(listing.id);
  const record = stored ?? linkedRecord(listing);
  const { useSystemSsh: isOn, ...rest } = record;
  const system = vscode.l10n.t('System ssh');
  const own = vscode.l10n.t('Termind');
  const current = vscode.l10n.t('now');
  const chosen = await vscode.window.showQuickPick(
    [
      {
        label: own,
        description: isOn === true ? '' : current,
        detail: vscode.l10n.t('Its own connection, with everything that Termind shows about it.'),
      },
      {
        label: system,
        description: isOn === true ? current : '',
        detail: vscode.l10n.t(
          "For what only ssh can do: GSSAPI, PKCS#11, security keys without an agent. Keys, host keys and route are ssh's own. On macOS terminals keep one size; not on Windows.",
        ),
      },
    ],
    { title: vscode.l10n.t('Who connects to {0}?', record.label), ignoreFocusOut: true },
  );
  if (chosen?.label === system) await services.hostStore.put({ ...rest, useSystemSsh: true });
  if (chosen?.label === own && stored !== undefined) await services.hostStore.put(rest);
}
