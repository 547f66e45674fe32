import * as vscode from 'vscode';
import type { AssistantLibrary } from '../../../application/assistant/assistantLibrary.ts';
import type { ConversationSummary } from '../../../agentkit/index.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/** Lets a person choose a stored conversation, newest first. */
export async function pickConversation(
  library: AssistantLibrary,
  options: { readonly title: string; readonly placeHolder: string },
): Promise<ConversationSummary | undefined> {
  const conversations = await library.list();
  if (conversations.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no conversation yet.'));
    return undefined;
  }
  const time = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
  const picked = await vscode.window.showQuickPick(
    conversations.map((summary) => ({
      label: `${summary.run?.live === true ? '$(loading~spin) ' : ''}${titleOf(summary)}`,
      description: time.format(summary.updatedAt),
      summary,
    })),
    { ...options, matchOnDescription: true },
  );
  return picked?.summary;
}

export async function renameConversation(
  library: AssistantLibrary,
  summary: ConversationSummary,
): Promise<void> {
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Conversation'),
    value: summary.title,
    validateInput: (value) =>
      value.trim() === '' ? vscode.l10n.t('A conversation needs a title.') : undefined,
  });
  if (title !== undefined && title.trim() !== '') await library.rename(summary.id, title.trim());
}

/** Deletes after a modal question that names what goes and what stays. */
export async function deleteConversation(
  library: AssistantLibrary,
  summary: ConversationSummary,
  model: AssistantModel,
): Promise<void> {
  const keep = vscode.l10n.t('Keep');
  const remove = vscode.l10n.t('Delete');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the conversation "{0}"?', titleOf(summary)),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Its messages and cards are removed for good. A running request is stopped. Saved output stays in scratch.',
      ),
    },
    keep,
    remove,
  );
  if (answer !== remove) return;
  model.forget(summary.id);
  await library.delete(summary.id);
}

export function titleOf(summary: ConversationSummary): string {
  return summary.title === '' ? vscode.l10n.t('New Conversation') : summary.title;
}
