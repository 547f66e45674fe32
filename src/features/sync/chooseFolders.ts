import * as vscode from 'vscode';
import { pathOfText, textOfPath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { SyncRules } from '../../domain/sync/syncPlan.ts';
import { isException } from '../../domain/sync/excludePatterns.ts';
import { Command } from '../../ids.ts';
import { hostSide, localSide, sideText, type FolderSide } from './folderSide.ts';
import { readPath } from './sideAddress.ts';
import type { SyncServices } from './syncPorts.ts';
import { withCancel } from './withCancel.ts';

/** Asks for what is missing of two folders; this machine stands on the left. Undefined when the person leaves. */
export async function chooseSides(
  first: FolderSide | undefined,
  services: SyncServices,
): Promise<{ readonly left: FolderSide; readonly right: FolderSide } | undefined> {
  const one = first ?? (await chooseHostFolder(vscode.l10n.t('Compare Folders: Host'), services));
  if (one === undefined) return undefined;
  const other = await chooseOther(one, services);
  if (other === undefined) return undefined;
  return other.host === undefined ? { left: other, right: one } : { left: one, right: other };
}

async function chooseOther(one: FolderSide, services: SyncServices): Promise<FolderSide | undefined> {
  const title = vscode.l10n.t('Compare {0} with', sideText(one));
  const ofHost = { label: vscode.l10n.t('$(vm) A Folder of a Host…'), isLocal: false };
  if (one.host === undefined) return chooseHostFolder(title, services);
  const picked = await vscode.window.showQuickPick(
    [{ label: vscode.l10n.t('$(device-desktop) A Folder of This Machine…'), isLocal: true }, ofHost],
    { title, ignoreFocusOut: true },
  );
  if (picked === undefined) return undefined;
  return picked.isLocal ? chooseLocalFolder(title) : chooseHostFolder(title, services);
}

async function chooseLocalFolder(title: string): Promise<FolderSide | undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title,
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: vscode.l10n.t('Compare'),
      ...(folder === undefined ? {} : { defaultUri: folder }),
    })) ?? [];
  return chosen?.scheme === 'file' ? localSide(chosen.fsPath) : undefined;
}

async function chooseHostFolder(title: string, services: SyncServices): Promise<FolderSide | undefined> {
  const picked = await vscode.commands.executeCommand(Command.pickHost, title);
  const id = typeof picked === 'string' ? parseHostId(picked) : undefined;
  const host = id === undefined ? undefined : await services.hosts.get(id);
  if (host === undefined) return undefined;
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('Folder on {0}, from / down', host.label),
    value: await startFolder(host, services),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      readPath(typed) === undefined
        ? vscode.l10n.t('Write an absolute path, for example /srv/www.')
        : undefined,
  });
  const path = text === undefined ? undefined : readPath(text);
  return path === undefined ? undefined : hostSide(host, path, services);
}

/** Where whoever signs in begins. Connects. */
function startFolder({ id, label }: HostListing, { files }: SyncServices): Promise<string> {
  return withCancel(vscode.l10n.t('Connecting to {0}…', label), (_say, signal) =>
    files
      .browse(id)
      .use(
        async (open) => textOfPath(await open.realpath(pathOfText('.'), signal)),
        { isRepeatable: true },
        signal,
      ),
  );
}

/** Asks which way changes go. Undefined when the person leaves. */
export async function chooseDirection(
  sides: { readonly left: FolderSide; readonly right: FolderSide },
  now?: SyncRules['direction'],
): Promise<SyncRules['direction'] | undefined> {
  const [left, right] = [sideText(sides.left), sideText(sides.right)];
  const choices = [
    {
      label: vscode.l10n.t('$(arrow-right) Change the Right Folder'),
      detail: vscode.l10n.t('{0} gets what is new or different in {1}.', right, left),
      direction: 'toRight' as const,
    },
    {
      label: vscode.l10n.t('$(arrow-left) Change the Left Folder'),
      detail: vscode.l10n.t('{0} gets what is new or different in {1}.', left, right),
      direction: 'toLeft' as const,
    },
    {
      label: vscode.l10n.t('$(arrow-both) Fill Both'),
      detail: vscode.l10n.t('Each gets what it lacks. What differs stays as it is and is listed.'),
      direction: 'both' as const,
    },
  ];
  const picked = await vscode.window.showQuickPick(
    choices.map((choice) => ({
      ...choice,
      ...(choice.direction === now ? { description: vscode.l10n.t('now') } : {}),
    })),
    { title: vscode.l10n.t('Compare Folders: Direction'), ignoreFocusOut: true },
  );
  return picked?.direction;
}

/** Asks how folders are compared. Undefined when the person leaves. */
export async function chooseRules(rules: SyncRules): Promise<SyncRules | undefined> {
  const content = {
    label: vscode.l10n.t('Compare content'),
    detail: vscode.l10n.t('Reads every file that both have in the same size. Times count for nothing.'),
    picked: rules.compare === 'content',
  };
  const deletes = {
    label: vscode.l10n.t('Delete what only the changed folder has'),
    detail: vscode.l10n.t('Goes to the trash where there is one.'),
    picked: rules.deletes,
  };
  const steps = {
    label: vscode.l10n.t('Times in steps of two seconds'),
    detail: vscode.l10n.t('For file systems such as FAT.'),
    picked: rules.timeStep === 2,
  };
  const picked = await vscode.window.showQuickPick(
    rules.direction === 'both' ? [content, steps] : [content, deletes, steps],
    { title: vscode.l10n.t('Compare Folders: Options'), canPickMany: true, ignoreFocusOut: true },
  );
  if (picked === undefined) return undefined;
  return {
    direction: rules.direction,
    compare: picked.includes(content) ? 'content' : 'sizeAndTime',
    deletes: picked.includes(deletes),
    timeStep: picked.includes(steps) ? 2 : 1,
  };
}

/** Asks for patterns. Undefined when the person leaves. */
export async function chooseExcludes(now: readonly string[]): Promise<readonly string[] | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Compare Folders: Exclude'),
    prompt: vscode.l10n.t(
      'Patterns as in .gitignore, with commas in between, for example node_modules/, *.log',
    ),
    value: now.join(', '),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      patternsOf(typed).some(isException)
        ? vscode.l10n.t('Exceptions (!) are not possible here.')
        : undefined,
  });
  return text === undefined ? undefined : patternsOf(text);
}

function patternsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
}
