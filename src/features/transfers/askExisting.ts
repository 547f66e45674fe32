import * as vscode from 'vscode';
import type { ExistingAnswer, ExistingQuestion } from '../../application/transfer/queue/existingQuestions.ts';
import { sizeText } from '../../domain/files/sizeText.ts';

/** Asks what is to become of a target that is there. Undefined when the person leaves: the transfer goes on waiting. */
export async function askExisting(question: ExistingQuestion): Promise<ExistingAnswer | undefined> {
  const picked = await vscode.window.showQuickPick(
    choices().map(({ label, policy, isForAll }) => ({ label, answer: { policy, isForAll } })),
    {
      title: vscode.l10n.t('{0} is there already', question.to),
      placeHolder: vscode.l10n.t(
        'New: {0}. There: {1}.',
        factsText(question.source),
        factsText(question.target),
      ),
      ignoreFocusOut: true,
    },
  );
  return picked?.answer;
}

function choices(): readonly (ExistingAnswer & { readonly label: string })[] {
  return [
    { label: vscode.l10n.t('Skip'), policy: 'skip', isForAll: false },
    { label: vscode.l10n.t('Replace'), policy: 'overwrite', isForAll: false },
    { label: vscode.l10n.t('Keep Both'), policy: 'rename', isForAll: false },
    { label: vscode.l10n.t('Skip All'), policy: 'skip', isForAll: true },
    { label: vscode.l10n.t('Replace All'), policy: 'overwrite', isForAll: true },
    { label: vscode.l10n.t('Keep Both of All'), policy: 'rename', isForAll: true },
    { label: vscode.l10n.t('Replace All That Differ in Size or Time'), policy: 'resume', isForAll: true },
  ];
}

function factsText({ size, modified }: ExistingQuestion['source']): string {
  const parts = [
    size === undefined ? vscode.l10n.t('size unknown') : sizeText(size),
    modified === undefined ? '' : new Date(modified * 1_000).toLocaleString(),
  ];
  return parts.filter((part) => part !== '').join(', ');
}
