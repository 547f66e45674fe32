import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { momentText } from './fileItem.ts';
import type { FilesPorts, FilesServices } from './filesPorts.ts';
import { tellOutcome } from './keptSaves.ts';
import { uriOf } from './sftpUri.ts';

/** Lets the person pick what a file held before one of its last saves, compare it, and have it back. Source: ssh.md 8.5, "backed". */
export async function restorePrevious(
  services: Pick<FilesServices, 'documents' | 'saving'>,
  at: DocumentAt,
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const name = showPath(at.path);
  const backups = await services.saving.backups(
    { target: at, files: services.documents.saveFiles(at) },
    neverAborted,
  );
  if (backups.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Nothing is kept on the host of what {0} held before.', name),
    );
    return;
  }
  const title = vscode.l10n.t('What {0} Held Before', name);
  const picked = await vscode.window.showQuickPick(
    backups.map(({ path, at: saved }) => ({
      label: vscode.l10n.t('Until {0}', momentText(saved / 1_000)),
      detail: showPath(path),
      path,
    })),
    { title },
  );
  if (picked === undefined) return;
  const choices = [
    { label: vscode.l10n.t('Compare with the File'), act: 'compare' as const },
    { label: vscode.l10n.t('Restore'), act: 'restore' as const },
  ];
  const act = (await vscode.window.showQuickPick(choices, { title }))?.act;
  if (act === 'compare') await compare(at, picked.path);
  if (act === 'restore') await restore(services, { at, backup: picked.path }, ports);
}

async function compare(at: DocumentAt, backup: RemotePath): Promise<void> {
  const title = vscode.l10n.t('{0}: before ↔ now', showPath(at.path));
  await vscode.commands.executeCommand('vscode.diff', uriOf({ ...at, path: backup }), uriOf(at), title);
}

/** A document with changes keeps them: they were made from what the file holds now, which stays beside it. */
async function restore(
  { documents }: Pick<FilesServices, 'documents'>,
  { at, backup }: { readonly at: DocumentAt; readonly backup: RemotePath },
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const address = uriOf(at).toString();
  if (vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.toString() === address)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('{0} has changes that are not saved. Save or revert them first.', showPath(at.path)),
    );
    return;
  }
  const content = await documents.read({ ...at, path: backup }, neverAborted);
  await documents.read(at, neverAborted).catch(unlessMissing);
  const order = { content, mayCreate: true, mayReplace: true, keepsOld: true };
  tellOutcome(at, await documents.write(at, order, neverAborted), ports);
}

function unlessMissing(error: unknown): void {
  if (!isTermindError(error) || error.fault.code !== 'not-found') throw error;
}
