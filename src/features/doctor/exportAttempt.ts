import * as vscode from 'vscode';
import { pageMarkdown } from '../../domain/page/pageMarkdown.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';
import { attemptJson } from '../../domain/ssh/attemptJson.ts';
import { redactAttempt, type AttemptRecord, type Redaction } from '../../domain/ssh/redactAttempt.ts';

interface RedactionItem extends vscode.QuickPickItem {
  readonly key: keyof Redaction;
}

/**
 * Asks for a format and for what is left out, which is everything until the person takes it back, and opens the result as a new editor,
 * to be read before it goes anywhere. `pageOf` builds the page of an attempt. Source: ssh.md 1.10.
 */
export async function exportAttempt(
  attempt: AttemptRecord,
  pageOf: (attempt: AttemptRecord) => PageDocument,
): Promise<void> {
  const title = vscode.l10n.t('Export the Connection Trace');
  const format = await vscode.window.showQuickPick(
    [
      { label: 'Markdown', description: vscode.l10n.t('for people'), language: 'markdown' as const },
      { label: 'JSON', description: vscode.l10n.t('for programs'), language: 'json' as const },
    ],
    { title, placeHolder: vscode.l10n.t('Choose a format') },
  );
  if (format === undefined) return;
  const picked = await vscode.window.showQuickPick(redactionItems(), {
    title,
    placeHolder: vscode.l10n.t('What is chosen is replaced by numbers'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (picked === undefined) return;
  const content = exportedText(attempt, { format: format.language, redaction: redactionOf(picked), pageOf });
  const document = await vscode.workspace.openTextDocument({ language: format.language, content });
  await vscode.window.showTextDocument(document);
}

function redactionItems(): readonly RedactionItem[] {
  return [
    { key: 'users', label: vscode.l10n.t('User names'), picked: true },
    { key: 'hosts', label: vscode.l10n.t('Host names, addresses and commands of proxies'), picked: true },
    { key: 'comments', label: vscode.l10n.t('Comments and files of keys'), picked: true },
  ];
}

function redactionOf(picked: readonly RedactionItem[]): Redaction {
  const has = (key: keyof Redaction): boolean => picked.some((item) => item.key === key);
  return { users: has('users'), hosts: has('hosts'), comments: has('comments') };
}

/** The text of an export: redacted first, then written. */
export function exportedText(
  attempt: AttemptRecord,
  options: {
    readonly format: 'markdown' | 'json';
    readonly redaction: Redaction;
    readonly pageOf: (attempt: AttemptRecord) => PageDocument;
  },
): string {
  const shown = redactAttempt(attempt, options.redaction);
  return options.format === 'json' ? attemptJson(shown) : pageMarkdown(options.pageOf(shown));
}
