import * as vscode from 'vscode';
import type { FolderFiles, ListedFile, RunningFile } from '../../application/transfer/engine/transfer.ts';
import { showTransferPlace } from '../../application/transfer/queue/transferPlaces.ts';
import type { TransferEntry } from '../../application/transfer/queue/transferQueue.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import type { TransferId, TransferRecord } from '../../domain/transfer/transferRecord.ts';
import { Command } from '../../ids.ts';
import { filesText } from './filesText.ts';

/** Rows that one press adds: a folder may have a million files, and each row is held by the editor. Source: ssh.md 8.8. */
const pageFiles = 100;
const grouped = ['waiting', 'done', 'skipped'] as const;

/** Files of a folder in one state, which are listed page by page. */
export interface GroupNode {
  readonly kind: 'transferGroup';
  readonly id: string;
  readonly transfer: TransferId;
  readonly state: (typeof grouped)[number];
  readonly count: number;
}

/** What stands below a transfer. Ids never hold a name, a count or a state. Source: vscode.md 4. */
export type FolderNode =
  | { readonly kind: 'transferRunning'; readonly id: string; readonly file: RunningFile }
  | {
      readonly kind: 'transferFailure';
      readonly id: string;
      readonly failure: TransferRecord['failures'][number];
      /** Below the folder that is moved, where it is. */
      readonly label: string;
    }
  | { readonly kind: 'transferFailuresLeft'; readonly id: string; readonly left: number }
  | GroupNode
  | {
      readonly kind: 'transferListed';
      readonly id: string;
      readonly state: GroupNode['state'];
      readonly file: ListedFile;
    }
  | {
      readonly kind: 'transferFilesLeft';
      readonly id: string;
      readonly group: GroupNode;
      readonly left: number;
    };

/** Whether there is something below it. */
export function hasFolderRows({ record, files }: TransferEntry): boolean {
  return files !== undefined || failuresOf(record).length > 0;
}

/** What a comparison has found stands for what was missing before it. */
function failuresOf({ failures, verification }: TransferRecord): TransferRecord['failures'] {
  return verification?.failures ?? failures;
}

/** Files that are under way and files that failed, each in a row; the others as counts. */
export function folderRows({ record, files }: TransferEntry): FolderNode[] {
  const { id, failedFiles, verification } = record;
  const failures = failuresOf(record);
  const left = (verification?.different ?? failedFiles) - failures.length;
  return [
    ...(files?.running ?? []).map((file): FolderNode => ({
      kind: 'transferRunning',
      id: `${id}:file:${String(file.number)}`,
      file,
    })),
    ...failures.map((failure, index): FolderNode => ({
      kind: 'transferFailure',
      id: `${id}:failure:${String(index)}`,
      failure,
      label: belowFolder(failure.path, record),
    })),
    ...(left > 0 ? [{ kind: 'transferFailuresLeft', id: `${id}:failures`, left } as const] : []),
    ...grouped.flatMap((state, index): FolderNode[] => {
      const count = files?.counts[state] ?? 0;
      const group = { kind: 'transferGroup', id: `${id}:group:${String(index)}`, transfer: id } as const;
      return count === 0 ? [] : [{ ...group, state, count }];
    }),
  ];
}

/** Failures name a file by its whole path, on either side. */
function belowFolder(path: string, { from, to }: TransferRecord): string {
  for (const end of [from, to]) {
    const folder = showTransferPlace(end).replace(/[/\\]$/, '');
    const rest = path.slice(folder.length);
    if (path.startsWith(folder) && /^[/\\]./.test(rest)) return rest.slice(1);
  }
  return path;
}

/** So many pages of a group, and a row for more. Nothing once the folder is no longer moved here. */
export function groupRows(group: GroupNode, files: FolderFiles | undefined, pages: number): FolderNode[] {
  const { id, transfer, state } = group;
  const shown = files?.list(state, pages * pageFiles) ?? [];
  const left = (files?.counts[state] ?? 0) - shown.length;
  return [
    ...shown.map((file): FolderNode => ({
      ...{ kind: 'transferListed', id: `${transfer}:file:${String(file.number)}`, state, file },
    })),
    ...(left > 0 ? [{ kind: 'transferFilesLeft', id: `${id}:more`, group, left } as const] : []),
  ];
}

export function folderItem(
  node: FolderNode,
  {
    describeFault,
  }: { readonly describeFault: (fault: TransferRecord['failures'][number]['fault']) => string },
): vscode.TreeItem {
  const item = new vscode.TreeItem('', vscode.TreeItemCollapsibleState.None);
  item.id = `${node.kind}:${node.id}`;
  item.contextValue = `${node.kind}.row`;
  switch (node.kind) {
    case 'transferRunning':
      item.label = node.file.path;
      item.description = bytesText(node.file);
      item.iconPath = new vscode.ThemeIcon('sync');
      break;
    case 'transferFailure': {
      const reason = describeFault(node.failure.fault);
      item.label = node.label;
      item.description = reason;
      item.tooltip = `${node.failure.path}\n${reason}`;
      item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
      break;
    }
    case 'transferFailuresLeft':
      item.label =
        node.left === 1 ? vscode.l10n.t('1 more file') : vscode.l10n.t('{0} more files', node.left);
      item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
      break;
    case 'transferGroup':
      item.label = groupText(node);
      item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
      item.iconPath = new vscode.ThemeIcon(icons[node.state]);
      break;
    case 'transferListed':
      item.label = node.file.path;
      item.iconPath = new vscode.ThemeIcon(icons[node.state]);
      break;
    case 'transferFilesLeft':
      item.label = vscode.l10n.t('Show {0} More…', Math.min(node.left, pageFiles));
      item.description = vscode.l10n.t('{0} left', node.left);
      item.command = {
        command: Command.moreTransferFiles,
        title: vscode.l10n.t('Show More'),
        arguments: [node.group],
      };
  }
  return item;
}

const icons: Record<GroupNode['state'], string> = {
  waiting: 'clock',
  done: 'check',
  skipped: 'debug-step-over',
};

function groupText({ state, count }: GroupNode): string {
  switch (state) {
    case 'waiting':
      return vscode.l10n.t('Waiting: {0}', filesText(count));
    case 'done':
      return vscode.l10n.t('Done: {0}', filesText(count));
    case 'skipped':
      return vscode.l10n.t('Skipped: {0}', filesText(count));
  }
}

function bytesText({ doneBytes, totalBytes }: RunningFile): string {
  return totalBytes === undefined
    ? sizeText(doneBytes)
    : vscode.l10n.t('{0} of {1}', sizeText(doneBytes), sizeText(totalBytes));
}
