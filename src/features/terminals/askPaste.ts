import * as vscode from 'vscode';
import type { HostListing } from '../../domain/host/host.ts';
import { previewPaste, type Paste } from '../../domain/terminal/paste.ts';

/** Shows a paste and asks whether it is sent. True only for the button that says so. Source: ssh.md 7.5. */
export async function askPaste(
  paste: Paste,
  { label, tier }: Pick<HostListing, 'label' | 'tier'>,
): Promise<boolean> {
  const { lines, lineCount, length } = previewPaste(paste);
  const question =
    tier === 'prod'
      ? vscode.l10n.t('Paste into {0}, a production host?', label)
      : vscode.l10n.t('Paste into {0}?', label);
  const size = vscode.l10n.t('{0} lines, {1} characters', lineCount, length);
  const marked = paste.isBracketed
    ? vscode.l10n.t('The program in the terminal is told that this is a paste.')
    : vscode.l10n.t('The program in the terminal takes every line break for the Enter key.');
  const hidden = lineCount - lines.length;
  const rest = hidden > 0 ? [vscode.l10n.t('… and {0} more lines', hidden)] : [];
  const cancel: vscode.MessageItem = { title: vscode.l10n.t('Cancel'), isCloseAffordance: true };
  const send: vscode.MessageItem = { title: vscode.l10n.t('Paste') };
  const detail = [size, marked, '', ...lines, ...rest].join('\n');
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, cancel, send);
  return answer === send;
}
