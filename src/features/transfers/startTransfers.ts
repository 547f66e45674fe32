import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { TransferOrder } from '../../application/transfer/queue/transferQueue.ts';
import { hostIdOf } from '../../application/vault/hostArgument.ts';
import { isTermindError } from '../../domain/fault.ts';
import { kindOf } from '../../domain/files/fileAttributes.ts';
import { textOfBytes } from '../../domain/files/nameText.ts';
import {
  isAbsolute,
  joinPath,
  nameOf,
  parentOf,
  pathOfText,
  remoteName,
  showPath,
  textOfPath,
  type RemotePath,
} from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Command, Scheme } from '../../ids.ts';
import type { TransferServices } from './transferPorts.ts';

/** A file or folder of a host. */
export interface RemoteSpot {
  readonly host: HostListing;
  readonly path: RemotePath;
}

/** Asks for what is missing and puts uploads into the queue. */
export async function startUpload(services: TransferServices, argument: unknown): Promise<void> {
  const target = await uploadTarget(services, argument);
  if (target === undefined) return;
  const sources = await pickSources(target);
  if (sources !== undefined) await uploadInto(services, target, sources);
}

/** Puts uploads of files and folders of this machine into the queue. A production host asks first. Source: ssh.md 8.8. */
export async function uploadInto(
  services: TransferServices,
  target: RemoteSpot,
  sources: readonly vscode.Uri[],
): Promise<void> {
  if (!(await mayChange(target, sources.map(localName)))) return;
  for (const source of sources) {
    const { type } = await vscode.workspace.fs.stat(source);
    const name = nameBytes(source.path);
    await services.transfers.add({
      kind: (type & vscode.FileType.Directory) === 0 ? 'file' : 'folder',
      from: { k: 'local', folder: vscode.Uri.joinPath(source, '..').fsPath, path: [textOfBytes(name)] },
      to: { k: 'remote', host: target.host.id, path: textOfPath(joinPath(target.path, remoteName(name))) },
      policy: 'ask',
      by: 'person',
    });
  }
}

/** Copies files and folders of hosts into a folder of a host, through this machine and without a file on it. */
export async function copyInto(
  services: TransferServices,
  target: RemoteSpot,
  sources: readonly RemoteSpot[],
): Promise<void> {
  const names = sources.map(({ path }) => showPath(nameOf(path) ?? path));
  if (!(await mayChange(target, names))) return;
  for (const source of sources) {
    const name = nameOf(source.path);
    if (name === undefined) continue;
    const path = textOfPath(joinPath(target.path, name));
    await services.transfers.add({
      kind: await kindAt(services, source),
      from: { k: 'remote', host: source.host.id, path: textOfPath(source.path) },
      to: { k: 'remote', host: target.host.id, path },
      policy: 'ask',
      by: 'person',
    });
  }
}

/** Asks for what is missing and puts downloads into the queue. `all`: the rows that are selected. */
export async function startDownload(
  services: TransferServices,
  argument: unknown,
  all: unknown,
): Promise<void> {
  const rows = Array.isArray(all) && all.length > 0 ? all : [argument];
  const named = (await Promise.all(rows.map((row) => spotOf(services, row)))).filter(
    (spot) => spot !== undefined,
  );
  const asked = named.length > 0 ? undefined : await askSpot(services, argument, 'download');
  const sources = asked === undefined ? named : [asked];
  if (sources.length === 0) return;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: vscode.l10n.t('Download Here'),
      title: vscode.l10n.t('Download to…'),
    })) ?? [];
  if (folder === undefined) return;
  for (const source of sources) {
    const name = nameOf(source.path);
    const order: TransferOrder = {
      kind: await kindAt(services, source),
      from: { k: 'remote', host: source.host.id, path: textOfPath(source.path) },
      to: {
        k: 'local',
        folder: folder.fsPath,
        path: [name === undefined ? source.host.label : textOfBytes(name)],
      },
      policy: 'ask',
      by: 'person',
    };
    await services.transfers.add(order);
  }
}

/** What a row of the Files view or an address of a file names. Undefined for anything else, and for a host that is not known. */
export async function spotOf(
  services: Pick<TransferServices, 'hosts'>,
  argument: unknown,
): Promise<RemoteSpot | undefined> {
  const named = namedBy(argument);
  const id = named && parseHostId(named.host);
  const host = id === undefined ? undefined : await services.hosts.get(id);
  if (host === undefined || named === undefined) return undefined;
  try {
    return { host, path: pathOfText(named.path) };
  } catch (error) {
    if (isTermindError(error)) return undefined;
    throw error;
  }
}

function namedBy(argument: unknown): { readonly host: string; readonly path: string } | undefined {
  if (isElevated(argument)) return undefined;
  if (argument instanceof vscode.Uri)
    return argument.scheme === Scheme.sftp ? { host: argument.authority, path: argument.path } : undefined;
  if (typeof argument !== 'object' || argument === null || !('kind' in argument)) return undefined;
  if (argument.kind !== 'remoteFile' || !('host' in argument) || !('path' in argument)) return undefined;
  const { host, path } = argument;
  return typeof host === 'string' && typeof path === 'string' ? { host, path } : undefined;
}

/** A row or an address of files that are seen with the rights of another user: `spotOf` takes none of these. Source: ssh.md 8.6. */
export function isElevated(argument: unknown): boolean {
  if (argument instanceof vscode.Uri) return argument.scheme === Scheme.sftp && argument.query !== '';
  const isRow = typeof argument === 'object' && argument !== null && 'as' in argument;
  return isRow && argument.as !== undefined;
}

/** A folder: the row itself, or what holds it when it is a file. */
async function uploadTarget(services: TransferServices, argument: unknown): Promise<RemoteSpot | undefined> {
  const spot = (await spotOf(services, argument)) ?? (await askSpot(services, argument, 'upload'));
  if (spot === undefined) return undefined;
  return (await kindAt(services, spot)) === 'folder' ? spot : { ...spot, path: parentOf(spot.path) };
}

async function askSpot(
  services: TransferServices,
  argument: unknown,
  direction: 'upload' | 'download',
): Promise<RemoteSpot | undefined> {
  const isUp = direction === 'upload';
  const title = isUp ? vscode.l10n.t('Upload') : vscode.l10n.t('Download');
  const picked = hostIdOf(argument) ?? (await vscode.commands.executeCommand(Command.pickHost, title));
  const id = typeof picked === 'string' ? parseHostId(picked) : undefined;
  const host = id === undefined ? undefined : await services.hosts.get(id);
  if (host === undefined) return undefined;
  const home = await homeOf(services, host);
  const text = await vscode.window.showInputBox({
    title: `${title}: ${host.label}`,
    prompt: isUp
      ? vscode.l10n.t('The folder on {0}', host.label)
      : vscode.l10n.t('The file or folder on {0}', host.label),
    value: isUp ? textOfPath(home) : `${textOfPath(home)}/`,
    ignoreFocusOut: true,
    validateInput: (value) => (isWholePath(value) ? undefined : vscode.l10n.t('Write a path from / on.')),
  });
  return text === undefined ? undefined : { host, path: pathOfText(text) };
}

function isWholePath(text: string): boolean {
  try {
    return isAbsolute(pathOfText(text));
  } catch {
    return false;
  }
}

/** No dialog of the system lets one choose files and folders together on every system. */
async function pickSources({ host, path }: RemoteSpot): Promise<readonly vscode.Uri[] | undefined> {
  const files = { label: vscode.l10n.t('Files…'), isFolder: false };
  const folders = { label: vscode.l10n.t('Folders…'), isFolder: true };
  const title = vscode.l10n.t('Upload to {0}', `${host.label}: ${showPath(path)}`);
  const kind = await vscode.window.showQuickPick([files, folders], { title });
  if (kind === undefined) return undefined;
  return vscode.window.showOpenDialog({
    canSelectFiles: !kind.isFolder,
    canSelectFolders: kind.isFolder,
    canSelectMany: true,
    openLabel: vscode.l10n.t('Upload'),
    title,
  });
}

/** Where the server starts. Rejects with the faults of connections and files. */
export function homeOf({ files }: Pick<TransferServices, 'files'>, { id }: HostListing): Promise<RemotePath> {
  return files
    .browse(id)
    .use((own) => own.realpath(pathOfText('.'), neverAborted), { isRepeatable: true }, neverAborted);
}

/** Links are followed. Rejects as `homeOf`. */
export async function kindAt(
  services: TransferServices,
  { host, path }: RemoteSpot,
): Promise<'file' | 'folder'> {
  const attributes = await services.files
    .browse(host.id)
    .use((files) => files.stat(path, neverAborted), { isRepeatable: true }, neverAborted);
  return kindOf(attributes) === 'directory' ? 'folder' : 'file';
}

/** How many names a question shows. */
const mostNames = 10;

/** No answer is no. `names`: for people. */
async function mayChange({ host, path }: RemoteSpot, names: readonly string[]): Promise<boolean> {
  if (host.tier !== 'prod') return true;
  const [first = ''] = names;
  const title =
    names.length === 1
      ? vscode.l10n.t('Transfer {0} to the production host {1}?', first, host.label)
      : vscode.l10n.t('Transfer {0} files and folders to the production host {1}?', names.length, host.label);
  const more = names.length - mostNames;
  const detail = [
    ...(names.length === 1 ? [] : names.slice(0, mostNames)),
    ...(more > 0 ? [vscode.l10n.t('… and {0} more', more)] : []),
    vscode.l10n.t('To {0}', showPath(path)),
  ].join('\n');
  const transfer = vscode.l10n.t('Transfer');
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, transfer)) === transfer;
}

/** Of a file or folder of this machine, for people. */
function localName({ path }: vscode.Uri): string {
  return showPath(nameBytes(path));
}

/** Behind the last slash of a path of this machine. */
function nameBytes(path: string): Buffer {
  return Buffer.from(path.slice(path.lastIndexOf('/') + 1));
}
