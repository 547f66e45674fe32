import * as vscode from 'vscode';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import type { FilesServices } from './filesPorts.ts';

/**
 * Asks before the editor deletes something of a production host, for itself or to put something else there: its own question, where it has
 * one, names no host. Rejects with `cancelled` unless the person wants it; closing the question is a denial. Of other hosts nothing is
 * asked. Source: ssh.md 8.8.
 */
export async function askOnProduction(
  { hosts }: Pick<FilesServices, 'hosts'>,
  at: DocumentAt,
  { isRecursive }: { readonly isRecursive: boolean },
): Promise<void> {
  const listing = await hosts.get(at.host);
  if (listing?.tier !== 'prod') return;
  const { label } = listing;
  const detail = [
    vscode.l10n.t('{0} is a production host.', label),
    ...(isRecursive ? [vscode.l10n.t('If it is a folder, everything in it is deleted.')] : []),
    vscode.l10n.t('This cannot be undone.'),
  ].join('\n');
  const yes = vscode.l10n.t('Delete Permanently');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete {0} on {1}?', showPath(at.path), label),
    { modal: true, detail },
    // What Enter presses.
    vscode.l10n.t('Keep'),
    yes,
  );
  if (answer !== yes) throw fileError('cancelled', {}, { outcome: 'not-sent' });
}
