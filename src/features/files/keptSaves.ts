import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { SaveConflict, SaveOutcome } from '../../application/files/save/fileSaving.ts';
import type { KeptSave } from '../../application/ports/keptSaves.ts';
import { pathOfText, showPath } from '../../domain/files/remotePath.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import { Command, DocumentScheme } from '../../ids.ts';
import { rightsText } from './elevatedSigns.ts';
import { momentText } from './fileItem.ts';
import type { FilesPorts, FilesServices } from './filesPorts.ts';
import { uriOf } from './sftpUri.ts';
import { elevate } from './sudoCommands.ts';

/** Says that there are saves that were not confirmed, and where to find them. Source: ssh.md 8.5; quality R2. */
export async function tellKeptSaves(kept: readonly KeptSave[]): Promise<void> {
  const show = vscode.l10n.t('Show');
  const answer = await vscode.window.showWarningMessage(
    kept.length === 1
      ? vscode.l10n.t(
          'A save of {0} was not confirmed by its host. Its content is on this machine.',
          showPath(pathOfText(kept[0]?.path ?? '')),
        )
      : vscode.l10n.t(
          '{0} saves were not confirmed by their hosts. Their content is on this machine.',
          kept.length,
        ),
    show,
  );
  if (answer === show) await vscode.commands.executeCommand(Command.showKeptSaves);
}

/** Lets the person pick a save that was not confirmed, and what becomes of it. */
export async function showKeptSaves(
  services: FilesServices,
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const kept = await services.saving.kept();
  if (kept.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Every save was confirmed by its host.'));
    return;
  }
  const labels = new Map((await services.hosts.list()).map(({ id, label }) => [id, label]));
  const picked = await vscode.window.showQuickPick(
    kept.map((save) => ({
      label: showPath(pathOfText(save.path)),
      description: withRights(labels.get(save.host) ?? save.host, save),
      detail: `${momentText(save.keptAt / 1_000)} · ${sizeText(save.content.size)}`,
      save,
    })),
    { title: vscode.l10n.t('Saves That Were Not Confirmed') },
  );
  if (picked !== undefined) await decide(services, picked.save, ports);
}

async function decide(
  services: FilesServices,
  save: KeptSave,
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const choices = [
    { label: vscode.l10n.t('Compare with the Host'), act: 'compare' as const },
    { label: vscode.l10n.t('Save to the Host'), act: 'save' as const },
    { label: vscode.l10n.t('Discard'), act: 'discard' as const },
  ];
  const title = showPath(pathOfText(save.path));
  switch ((await vscode.window.showQuickPick(choices, { title }))?.act) {
    case 'compare':
      if (await elevate(services, placeOf(save))) await compare(save);
      return;
    case 'save':
      return saveAgain(services, save, ports);
    case 'discard':
      return discard(services, save);
    case undefined:
      return;
  }
}

async function compare(save: KeptSave): Promise<void> {
  const at = placeOf(save);
  const kept = vscode.Uri.from({ scheme: DocumentScheme.kept, path: uriOf(at).path, query: save.id });
  const title = vscode.l10n.t('{0}: on the host ↔ kept', showPath(at.path));
  await vscode.commands.executeCommand('vscode.diff', uriOf(at), kept, title);
}

async function saveAgain(
  services: FilesServices,
  save: KeptSave,
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const at = placeOf(save);
  const request = { id: save.id, files: services.documents.saveFiles(at) };
  const outcome = await services.saving.retry(request, neverAborted);
  if (outcome.k === 'conflict') return overwrite(services, { save, conflict: outcome }, ports);
  tellOutcome(at, outcome, ports);
}

async function overwrite(
  services: FilesServices,
  { save, conflict }: { readonly save: KeptSave; readonly conflict: SaveConflict },
  ports: Pick<FilesPorts, 'describeFault'>,
): Promise<void> {
  const at = placeOf(save);
  const look = vscode.l10n.t('Compare');
  const replace = vscode.l10n.t('Overwrite');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0} holds something else by now.', showPath(at.path)),
    {
      modal: true,
      detail: vscode.l10n.t('Compare it with the host first, or overwrite it with what was kept.'),
    },
    look,
    replace,
  );
  if (answer === look) return compare(save);
  if (answer !== replace) return;
  const content = await services.saving.keptContent(save.id);
  if (conflict.theirs !== undefined) services.documents.acceptTheirs(at, conflict.theirs);
  const order = { content, mayCreate: true, mayReplace: true };
  const outcome = await services.documents.write(at, order, neverAborted);
  if (outcome.k === 'saved') await services.saving.discard(save.id);
  tellOutcome(at, outcome, ports);
}

/** Tells the person how a save ended. */
export function tellOutcome(
  at: DocumentAt,
  outcome: SaveOutcome,
  { describeFault }: Pick<FilesPorts, 'describeFault'>,
): void {
  const name = showPath(at.path);
  switch (outcome.k) {
    case 'saved':
      return void vscode.window.showInformationMessage(vscode.l10n.t('{0} is saved.', name));
    case 'conflict':
      return void vscode.window.showWarningMessage(
        vscode.l10n.t('{0} was changed on the host meanwhile. Nothing was saved.', name),
      );
    case 'failed':
    case 'unknown':
    case 'damaged':
      return void vscode.window.showErrorMessage(
        vscode.l10n.t('{0} could not be saved. {1}', name, describeFault(outcome.fault)),
      );
  }
}

async function discard({ saving }: FilesServices, save: KeptSave): Promise<void> {
  const answer = vscode.l10n.t('Discard');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Discard what was kept of {0}?', showPath(pathOfText(save.path))),
    { modal: true, detail: vscode.l10n.t('What the host holds stays as it is. This cannot be undone.') },
    vscode.l10n.t('Keep'),
    answer,
  );
  if (chosen === answer) await saving.discard(save.id);
}

function placeOf({ host, path, as }: KeptSave): DocumentAt {
  return { host, path: pathOfText(path), ...(as === undefined ? {} : { as }) };
}

function withRights(label: string, { as }: KeptSave): string {
  return as === undefined ? label : `${label} · ${rightsText(as)}`;
}
