import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { pageMarkdown } from '../../domain/page/pageMarkdown.ts';
import { operationsDocument } from './operationsDocument.ts';
import type { OperationsServices } from './operationsLogPorts.ts';
import { momentFormat } from './momentFormat.ts';

export type ExportFormat = 'json' | 'markdown';

const endings: Record<ExportFormat, string> = { json: 'json', markdown: 'md' };

/** Asks for a format and a file, and saves the whole log in it. */
export async function askForExport(services: OperationsServices): Promise<void> {
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
  const text = await exportedText(picked.format, services);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  const open = vscode.l10n.t('Open');
  const saved = vscode.l10n.t('The operations log was saved, with secrets redacted.');
  if ((await vscode.window.showInformationMessage(saved, open)) === open)
    await vscode.commands.executeCommand('vscode.open', target);
}

export async function exportedText(
  format: ExportFormat,
  { operations }: Pick<OperationsServices, 'operations'>,
): Promise<string> {
  if (format === 'json') return operations.export(new AbortController().signal);
  const moments = momentFormat();
  const timeline = await operations.timeline({ hostId: undefined, limit: Number.MAX_SAFE_INTEGER - 1 });
  return pageMarkdown(
    operationsDocument({ timeline, host: undefined, moment: (at) => moments.format(at), isWhole: true }),
  );
}
