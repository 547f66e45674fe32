import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import { pageMarkdown } from '../../domain/page/pageMarkdown.ts';
import { operationsDocument } from './operationsDocument.ts';
import type { OperationsDesk } from './operationsLogPorts.ts';
import { momentFormat } from './momentFormat.ts';

export type ExportFormat = 'json' | 'markdown';

const endings: Record<ExportFormat, string> = { json: 'json', markdown: 'md' };

/** Asks for a format and a file, and saves the whole log in it. */
export async function askForExport(desk: OperationsDesk): Promise<void> {
  const title = vscode.l10n.t('Export Operations Log');
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: 'JSON',
        description: vscode.l10n.t('can be verified without Termind'),
        format: 'json' as const,
      },
      { label: 'Markdown', description: vscode.l10n.t('for people'), format: 'markdown' as const },
    ],
    { title, placeHolder: vscode.l10n.t('Choose a format') },
  );
  if (picked === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const ending = endings[picked.format];
  const target = await vscode.window.showSaveDialog({
    title,
    defaultUri: vscode.Uri.joinPath(folder, `operations-log.${ending}`),
    filters: { [picked.label]: [ending] },
  });
  if (target === undefined) return;
  const text = await exportedText(picked.format, desk);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  const open = vscode.l10n.t('Open');
  const saved = vscode.l10n.t('The operations log was saved, with secrets redacted.');
  if ((await vscode.window.showInformationMessage(saved, open)) === open)
    await vscode.commands.executeCommand('vscode.open', target);
}

/** The text of an export; JSON is redacted row by row, so that it stays verifiable. */
export async function exportedText(
  format: ExportFormat,
  { services: { operations }, redactor }: OperationsDesk,
): Promise<string> {
  if (format === 'json') return operations.export(neverAborted);
  const moments = momentFormat();
  const timeline = await operations.timeline({ hostId: undefined, limit: Number.MAX_SAFE_INTEGER - 1 });
  const page = { timeline, host: undefined, moment: (at: number) => moments.format(at), isWhole: true };
  return redactor.redact(pageMarkdown(operationsDocument(page)));
}
