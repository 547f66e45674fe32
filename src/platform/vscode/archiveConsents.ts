import * as vscode from 'vscode';
import type { ArchiveConsentPort } from '../../application/ports/archiveConsents.ts';
import { Setting } from '../../ids.ts';

const prefix = 'termind.archives:';

/** Agreements in the editor's own memory, one entry for each host. The question is a notification, which holds nothing up. */
export function archiveConsents(memory: vscode.Memento): ArchiveConsentPort {
  return {
    isGiven: (host) => memory.get(prefix + host) === true,
    ask: async ({ host, label, files }) => {
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
      if (answer === use) await memory.update(prefix + host, true);
      if (answer === never)
        await vscode.workspace
          .getConfiguration()
          .update(Setting.archives, 'never', vscode.ConfigurationTarget.Global);
    },
  };
}
