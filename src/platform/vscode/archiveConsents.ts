import * as vscode from 'vscode';
import type { ArchiveConsentPort } from '../../application/ports/archiveConsents.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Setting } from '../../ids.ts';

const prefix = 'termind.archives:';

type Memory = Pick<vscode.Memento, 'keys' | 'update'> & { get(key: string): unknown };

/** Agreements in the editor's own memory, one entry for each host, which says what the host was. The question is a notification, which holds nothing up. */
export function archiveConsents(memory: Memory): ArchiveConsentPort {
  return {
    isGiven: ({ host, place }) => memory.get(prefix + host) === place,
    given: () =>
      memory.keys().flatMap((key) => {
        const host = key.startsWith(prefix) ? parseHostId(key.slice(prefix.length)) : undefined;
        return host === undefined ? [] : [host];
      }),
    withdraw: async (host) => memory.update(prefix + host, undefined),
    ask: async ({ host, place, label, files }) => {
      const use = vscode.l10n.t('Use tar on {0}', label);
      const never = vscode.l10n.t('Never Ask');
      const answer = await vscode.window.showInformationMessage(
        vscode.l10n.t(
          'A folder with {0} small files is moved. It goes faster as an archive that the command tar makes or unpacks on {1}.',
          files,
          label,
        ),
        use,
        vscode.l10n.t('Not Now'),
        never,
      );
      if (answer === use) await memory.update(prefix + host, place);
      if (answer === never)
        await vscode.workspace
          .getConfiguration()
          .update(Setting.archives, 'never', vscode.ConfigurationTarget.Global);
    },
  };
}
