import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { RemoteFiles } from '../../application/ports/remoteFiles.ts';
import { isTermindError } from '../../domain/fault.ts';
import { kindOf, type FileAttributes } from '../../domain/files/fileAttributes.ts';
import { modeOfOctal, octalMode, permissionBits, symbolicMode } from '../../domain/files/permissions.ts';
import { showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import { momentText } from './fileItem.ts';
import type { FilesServices } from './filesPorts.ts';

interface Properties {
  readonly attributes: FileAttributes;
  readonly leadsTo: RemotePath | undefined;
  readonly owner: readonly [user: string | undefined, group: string | undefined];
  readonly available: number | undefined;
}

/** What the server tells of a file or folder; what it does not tell is left out. Its permissions can be changed from there. */
export async function showProperties(services: FilesServices, at: DocumentAt): Promise<void> {
  const found = await services.documents.look(at, (files) => propertiesOf(files, at.path), neverAborted);
  const change = vscode.l10n.t('Change Permissions…');
  const copy = vscode.l10n.t('Copy');
  const detail = linesOf(found).join('\n');
  const isModeKnown = found.attributes.mode !== undefined;
  const answer = await vscode.window.showInformationMessage(
    showPath(at.path),
    { modal: true, detail },
    ...(isModeKnown ? [change] : []),
    copy,
  );
  if (answer === copy) await vscode.env.clipboard.writeText(`${showPath(at.path)}\n${detail}`);
  if (answer === change) await changePermissions(services, at);
}

/** Asks for permission bits in octal and sets them on what a link leads to. */
export async function changePermissions({ documents }: FilesServices, at: DocumentAt): Promise<void> {
  const { mode } = await documents.look(at, (files) => files.stat(at.path, neverAborted), neverAborted);
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Permissions of {0}', showPath(at.path)),
    value: mode === undefined ? '' : octalMode(mode),
    prompt: vscode.l10n.t('Octal, for example 0644 or 0755'),
    ignoreFocusOut: true,
    validateInput: (typed) => {
      const bits = modeOfOctal(typed.trim());
      if (bits === undefined) return vscode.l10n.t('Write up to four octal digits, for example 0644.');
      const kind = (mode ?? 0) & ~permissionBits;
      return { message: symbolicMode(kind | bits), severity: vscode.InputBoxValidationSeverity.Info };
    },
  });
  const bits = text === undefined ? undefined : modeOfOctal(text.trim());
  if (bits !== undefined) await documents.setMode(at, bits, neverAborted);
}

async function propertiesOf(files: RemoteFiles, path: RemotePath): Promise<Properties> {
  const attributes = await files.lstat(path, neverAborted);
  const { owner } = attributes;
  const [leadsTo, names, space] = await Promise.all([
    kindOf(attributes) === 'symlink' ? optional(files.readlink(path, neverAborted)) : undefined,
    owner === undefined || !files.capabilities.operations.has('namesById')
      ? undefined
      : optional(files.namesById({ uids: [owner.uid], gids: [owner.gid] }, neverAborted)),
    files.capabilities.operations.has('statvfs') ? optional(files.statvfs(path, neverAborted)) : undefined,
  ]);
  const nameOr = (name: string | undefined, id: number | undefined): string | undefined =>
    name === undefined ? id?.toString() : `${name} (${String(id)})`;
  return {
    attributes,
    leadsTo,
    owner: [nameOr(names?.users[0], owner?.uid), nameOr(names?.groups[0], owner?.gid)],
    available: space?.available,
  };
}

/** What a server may refuse without anything being wrong. */
async function optional<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isTermindError(error)) return undefined;
    throw error;
  }
}

function linesOf({ attributes, leadsTo, owner, available }: Properties): readonly string[] {
  const { size, mode, times } = attributes;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    [vscode.l10n.t('Kind'), kindText(attributes)],
    [vscode.l10n.t('Leads to'), leadsTo && showPath(leadsTo)],
    [vscode.l10n.t('Size'), size === undefined ? undefined : exactSize(size)],
    [
      vscode.l10n.t('Permissions'),
      mode === undefined ? undefined : `${symbolicMode(mode)} (${octalMode(mode)})`,
    ],
    [vscode.l10n.t('Owner'), owner[0] && owner.join(':')],
    [vscode.l10n.t('Modified'), times && momentText(times.modified)],
    [vscode.l10n.t('Free on its file system'), available === undefined ? undefined : sizeText(available)],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : `${name}: ${value}`));
}

function kindText(attributes: FileAttributes): string | undefined {
  switch (kindOf(attributes)) {
    case 'file':
      return vscode.l10n.t('file');
    case 'directory':
      return vscode.l10n.t('folder');
    case 'symlink':
      return vscode.l10n.t('link');
    case 'other':
      return vscode.l10n.t('special file');
    case undefined:
      return undefined;
  }
}

function exactSize(size: number): string {
  const text = sizeText(size);
  return size < 1024 ? text : vscode.l10n.t('{0} ({1} bytes)', text, size);
}
