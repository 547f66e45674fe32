import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import { documentKey, placeKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { isAtOrBelow, showPath } from '../../domain/files/remotePath.ts';
import { Setting } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';
import { elevate } from './sudoCommands.ts';

/** How many names a question shows. */
const mostNames = 10;

/**
 * Deletes files and folders, those of each host and user after one question: into the trash of the host where that is possible and not
 * switched off, otherwise for good. Rejects with `read-only` before it asks where nothing can be changed. Source: ssh.md 8.8.
 */
export async function deleteFiles(services: FilesServices, all: readonly DocumentAt[]): Promise<void> {
  const places = new Map<string, readonly DocumentAt[]>();
  for (const at of outermost(all)) places.set(placeKey(at), [...(places.get(placeKey(at)) ?? []), at]);
  for (const own of places.values()) await deleteTogether(services, own);
}

/** Without what goes with a folder that is among them, and each once. */
function outermost(all: readonly DocumentAt[]): readonly DocumentAt[] {
  const once = new Map(all.map((at) => [documentKey(at), at]));
  const goesWith = (at: DocumentAt, folder: DocumentAt): boolean =>
    at !== folder && placeKey(at) === placeKey(folder) && isAtOrBelow(at.path, folder.path);
  return [...once.values()].filter((at) => ![...once.values()].some((other) => goesWith(at, other)));
}

/** `own`: of one host, seen with the rights of one user. */
async function deleteTogether(services: FilesServices, own: readonly DocumentAt[]): Promise<void> {
  const [first] = own;
  if (first === undefined) return;
  const listing = await services.hosts.get(first.host);
  const label = listing?.label ?? first.host;
  const isTrashWanted = vscode.workspace.getConfiguration().get<unknown>(Setting.deleteMode) !== 'permanent';
  const state = isTrashWanted ? await services.documents.trashFor(first, neverAborted) : undefined;
  if (!(await elevate(services, first))) return;
  const { isReadOnly } = await services.documents.look(
    first,
    async ({ capabilities }) => capabilities,
    neverAborted,
  );
  if (isReadOnly) throw fileError('read-only', { path: showPath(first.path) }, { outcome: 'not-sent' });
  const question = { label, all: own, isProduction: listing?.tier === 'prod' };
  if (state === undefined) return deleteForGood(services, question);
  const answer = await ask(question, {
    toTrash: true,
    note: state.isMade
      ? vscode.l10n.t('This moves to {0} on the host.', showPath(state.path))
      : vscode.l10n.t('This moves to {0} on the host, a new folder.', showPath(state.path)),
  });
  if (answer === 'permanent') return deleteForGood(services, question);
  if (answer !== 'trash') return;
  const left = await services.documents.moveToTrash(own, neverAborted);
  if (left.length > 0) await deleteForGood(services, { ...question, all: left, isElsewhere: true });
}

interface Question {
  readonly label: string;
  readonly all: readonly DocumentAt[];
  readonly isProduction: boolean;
  /** The trash is on another file system. */
  readonly isElsewhere?: boolean;
}

async function deleteForGood(services: FilesServices, question: Question): Promise<void> {
  const note = question.isElsewhere
    ? vscode.l10n.t(
        'The trash is on another file system, so they cannot be moved there. This cannot be undone.',
      )
    : vscode.l10n.t('This cannot be undone.');
  if ((await ask(question, { toTrash: false, note })) !== 'permanent') return;
  for (const at of question.all) await services.documents.remove(at, { isRecursive: true }, neverAborted);
}

async function ask(
  { label, all, isProduction }: Question,
  { toTrash, note }: { readonly toTrash: boolean; readonly note: string },
): Promise<'trash' | 'permanent' | undefined> {
  const trash = vscode.l10n.t('Move to Trash');
  const permanent = vscode.l10n.t('Delete Permanently');
  const names = all.slice(0, mostNames).map(({ path }) => showPath(path));
  const more = all.length - names.length;
  const title =
    all.length === 1
      ? vscode.l10n.t('Delete {0} on {1}?', names[0] ?? '', label)
      : vscode.l10n.t('Delete {0} files and folders on {1}?', all.length, label);
  const detail = [
    ...(isProduction ? [vscode.l10n.t('{0} is a production host.', label)] : []),
    ...(all[0]?.as === undefined ? [] : [vscode.l10n.t('With the rights of {0}.', all[0].as)]),
    ...(all.length === 1 ? [] : names),
    ...(more > 0 ? [vscode.l10n.t('… and {0} more', more)] : []),
    note,
  ].join('\n');
  const answer = await vscode.window.showWarningMessage(
    title,
    { modal: true, detail },
    // The first one is what Enter presses.
    toTrash ? trash : vscode.l10n.t('Keep'),
    permanent,
  );
  if (answer === trash) return 'trash';
  return answer === permanent ? 'permanent' : undefined;
}
