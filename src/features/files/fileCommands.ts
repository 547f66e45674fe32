import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { bytesOfText } from '../../domain/files/nameText.ts';
import {
  isName,
  joinPath,
  nameOf,
  parentOf,
  showPath,
  textOfPath,
  type RemoteName,
} from '../../domain/files/remotePath.ts';
import type { FilesServices } from './filesPorts.ts';
import { uriOf } from './sftpUri.ts';

/** Opens a file as the editor opens files. */
export async function openFile(at: DocumentAt): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uriOf(at));
}

/** For this window: the editor refuses to change it until the person says otherwise. */
export async function openReadOnly(at: DocumentAt): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', uriOf(at), { preview: false });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
}

/** `folder`: where it comes. */
export async function newFile({ documents }: FilesServices, folder: DocumentAt): Promise<void> {
  const at = await askNew(folder, vscode.l10n.t('New File in {0}', showPath(folder.path)));
  if (at === undefined) return;
  await documents.createFile(at, neverAborted);
  await openFile(at);
}

export async function newFolder({ documents }: FilesServices, folder: DocumentAt): Promise<void> {
  const at = await askNew(folder, vscode.l10n.t('New Folder in {0}', showPath(folder.path)));
  if (at !== undefined) await documents.createFolder(at, neverAborted);
}

/** Another name in the same folder. A name that is no text stays as it is unless the person types over it. */
export async function renameFile({ documents }: FilesServices, at: DocumentAt): Promise<void> {
  const name = nameOf(at.path);
  if (name === undefined) return;
  const to = await askNew(
    { ...at, path: parentOf(at.path) },
    vscode.l10n.t('Rename {0}', showPath(name)),
    textOfPath(name),
  );
  const typed = to && nameOf(to.path);
  if (to === undefined || typed === undefined || textOfPath(typed) === inOneLine(textOfPath(name))) return;
  await documents.rename(at, { to: to.path, mayReplace: false }, neverAborted);
}

/** With the rights of the one who is signed in: a folder of the window stays, and is read by much that nobody has asked. */
export async function openAsFolder({ hosts }: FilesServices, { host, path }: DocumentAt): Promise<void> {
  const at = { host, path };
  const label = (await hosts.get(at.host))?.label ?? at.host;
  const count = vscode.workspace.workspaceFolders?.length ?? 0;
  const name = `${label}: ${showPath(at.path)}`;
  if (!vscode.workspace.updateWorkspaceFolders(count, 0, { uri: uriOf(at), name }))
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} is a folder of this window already.', name));
}

/** The file of this machine is on the left. */
export async function compareWithLocal(at: DocumentAt): Promise<void> {
  const name = showPath(nameOf(at.path) ?? at.path);
  const [local] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Compare {0} with', name),
      openLabel: vscode.l10n.t('Compare'),
    })) ?? [];
  if (local === undefined) return;
  const title = vscode.l10n.t('{0}: on this machine ↔ on the host', name);
  await vscode.commands.executeCommand('vscode.diff', local, uriOf(at), title);
}

/** What an input box holds of a text: it drops line breaks. */
function inOneLine(text: string): string {
  return text.replace(/[\r\n]/g, '');
}

async function askNew(folder: DocumentAt, title: string, value = ''): Promise<DocumentAt | undefined> {
  const dot = value.lastIndexOf('.');
  const text = await vscode.window.showInputBox({
    title,
    value,
    ...(value === '' ? {} : { valueSelection: [0, dot > 0 ? dot : value.length] as [number, number] }),
    prompt: vscode.l10n.t('Name'),
    ignoreFocusOut: true,
    validateInput: (typed) => (nameOfTyped(typed) === undefined ? noName() : undefined),
  });
  const name = text === undefined ? undefined : nameOfTyped(text);
  return name === undefined ? undefined : { ...folder, path: joinPath(folder.path, name) };
}

function noName(): string {
  return vscode.l10n.t('A name may neither be empty, "." or ".." nor contain "/".');
}

function nameOfTyped(text: string): RemoteName | undefined {
  try {
    const bytes = bytesOfText(text);
    return isName(bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}
