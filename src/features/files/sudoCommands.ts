import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { DocumentAt, FilesPlace } from '../../application/files/documents/documentFiles.ts';
import { hasCode } from '../../domain/fault.ts';
import { parseRemoteUser, root } from '../../domain/files/remoteUser.ts';
import type { FilesServices } from './filesPorts.ts';

/**
 * Opens the channel of elevated files, asking the person where it is not open; nothing for other files. False when the person did not want
 * to. Rejects as `ElevatedFiles.use`.
 */
export async function elevate(
  { elevated }: Pick<FilesServices, 'elevated'>,
  { host, as }: FilesPlace,
): Promise<boolean> {
  if (as === undefined) return true;
  try {
    await elevated.use({ host, as }, async () => {}, { mayAsk: true, signal: neverAborted });
    return true;
  } catch (error) {
    if (hasCode(error, 'cancelled')) return false;
    throw error;
  }
}

/**
 * The same file or folder with the rights of the user that the person names, once its channel is open; of the user of `at` where it has one.
 * Undefined when the person did not want to.
 */
export async function withSudo(
  services: Pick<FilesServices, 'elevated'>,
  at: DocumentAt,
): Promise<(DocumentAt & { readonly as: string }) | undefined> {
  const as = at.as ?? (await askUser());
  if (as === undefined) return undefined;
  const place = { ...at, as };
  return (await elevate(services, place)) ? place : undefined;
}

async function askUser(): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Whose rights do you want to use?'),
    prompt: vscode.l10n.t('A user of the host, as for sudo -u'),
    value: root,
    ignoreFocusOut: true,
    validateInput: (typed) =>
      parseRemoteUser(typed.trim()) === undefined ? vscode.l10n.t('This is no name of a user.') : undefined,
  });
  return text === undefined ? undefined : parseRemoteUser(text.trim());
}
