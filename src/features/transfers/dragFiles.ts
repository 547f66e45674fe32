import * as vscode from 'vscode';
import { hostIdOf } from '../../application/vault/hostArgument.ts';
import { comparePaths, parentOf, textOfPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { Scheme } from '../../ids.ts';
import { filesMime } from './filesDragAndDrop.ts';
import {
  copyInto,
  homeOf,
  isElevated,
  kindAt,
  spotOf,
  uploadInto,
  type RemoteSpot,
} from './startTransfers.ts';
import type { TransferServices } from './transferPorts.ts';

/** Rows as addresses, one a line, for editors and the Explorer, and for the tree itself. Source: vscode.md 4. */
export async function dragRows(
  services: Pick<TransferServices, 'hosts'>,
  rows: readonly unknown[],
  data: vscode.DataTransfer,
): Promise<void> {
  const spots = await spotsOf(services, rows);
  if (spots.length === 0) return;
  const list = spots.map((spot) => uriOf(spot).toString()).join('\r\n');
  data.set('text/uri-list', new vscode.DataTransferItem(list));
  data.set(filesMime, new vscode.DataTransferItem(list));
}

/**
 * What was dropped onto a row is uploaded or copied into that folder, or beside that file. What lies there already is left alone. Source:
 * ssh.md 8.8.
 */
export async function dropOnRow(
  services: TransferServices,
  row: unknown,
  data: vscode.DataTransfer,
): Promise<void> {
  const dropped = await droppedUris(data);
  if (isElevated(row) || dropped.some(isElevated)) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Files that are shown with the rights of another user are not transferred.'),
    );
    return;
  }
  const target = dropped.length === 0 ? undefined : await targetOf(services, row);
  if (target === undefined) return;
  const local = dropped.filter(({ scheme }) => scheme === 'file');
  const remote = (await spotsOf(services, dropped)).filter((spot) => !isThere(spot, target));
  if (local.length > 0) await uploadInto(services, target, local);
  if (remote.length > 0) await copyInto(services, target, remote);
}

/** In its own folder, or a folder on itself: a slip of the hand. */
function isThere({ host, path }: RemoteSpot, target: RemoteSpot): boolean {
  const isOn = (folder: RemotePath): boolean => comparePaths(folder, target.path) === 0;
  return host.id === target.host.id && (isOn(path) || isOn(parentOf(path)));
}

async function droppedUris(data: vscode.DataTransfer): Promise<readonly vscode.Uri[]> {
  const list = (await (data.get(filesMime) ?? data.get('text/uri-list'))?.asString()) ?? '';
  const named = list
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => vscode.Uri.parse(line, true));
  if (named.length > 0) return named;
  return [...data].flatMap(([, item]) => item.asFile()?.uri ?? []);
}

async function targetOf(services: TransferServices, row: unknown): Promise<RemoteSpot | undefined> {
  const id = hostIdOf(row);
  if (id !== undefined) {
    const host = await services.hosts.get(id);
    return host && { host, path: await homeOf(services, host) };
  }
  const spot = await spotOf(services, row);
  if (spot === undefined || (await kindAt(services, spot)) === 'folder') return spot;
  return { ...spot, path: parentOf(spot.path) };
}

async function spotsOf(
  services: Pick<TransferServices, 'hosts'>,
  all: readonly unknown[],
): Promise<readonly RemoteSpot[]> {
  const spots = await Promise.all(all.map((one) => spotOf(services, one)));
  return spots.filter((spot) => spot !== undefined);
}

function uriOf({ host, path }: RemoteSpot): vscode.Uri {
  return vscode.Uri.from({ scheme: Scheme.sftp, authority: host.id, path: textOfPath(path) });
}
