import * as vscode from 'vscode';
import type { ConnectionState } from '../../application/ports/connection.ts';
import { placeKey } from '../../application/files/documents/documentFiles.ts';
import { symbolicMode } from '../../domain/files/permissions.ts';
import { nameOf, parentOf, showPath } from '../../domain/files/remotePath.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import { placeText } from '../../domain/host/placeText.ts';
import { Command } from '../../ids.ts';
import { fileArgument, rightsText } from './elevatedSigns.ts';
import { isFolder, type FileNode, type FilesNode, type HostNode, type NoteNode } from './filesNode.ts';
import { uriOf } from './sftpUri.ts';

const { Collapsed, None } = vscode.TreeItemCollapsibleState;

export function filesItem(node: FilesNode, stateOf: (node: HostNode) => ConnectionState): vscode.TreeItem {
  switch (node.kind) {
    case 'host':
      return hostItem(node, stateOf(node));
    case 'remoteFile':
      return node.entry === undefined ? placeItem(node) : entryItem(node);
    case 'moreFiles': {
      const item = new vscode.TreeItem(vscode.l10n.t('Show {0} More…', node.left), None);
      item.id = `more:${idOf(node.parent)}`;
      item.contextValue = 'moreFiles.folder';
      item.command = { command: Command.moreFiles, title: vscode.l10n.t('Show More'), arguments: [node] };
      return item;
    }
    case 'filesNote': {
      const item = new vscode.TreeItem(node.text, None);
      item.contextValue = 'filesNote.text';
      item.iconPath = new vscode.ThemeIcon(noteIcon(node));
      item.tooltip = node.text;
      if (node.elevate !== undefined)
        item.command = {
          command: Command.browseWithSudo,
          title: vscode.l10n.t('Browse with sudo'),
          arguments: [fileArgument(node.elevate)],
        };
      if (node.connect !== undefined)
        item.command = {
          command: Command.connectHost,
          title: vscode.l10n.t('Connect'),
          arguments: [{ kind: 'host', listing: { id: node.connect.id } }],
        };
      return item;
    }
  }
}

function noteIcon({ connect, elevate }: NoteNode): string {
  if (elevate !== undefined) return 'shield';
  return connect === undefined ? 'info' : 'plug';
}

function hostItem({ listing }: HostNode, state: ConnectionState): vscode.TreeItem {
  const isConnected = state.k === 'ready' || state.k === 'suspect';
  const item = new vscode.TreeItem(listing.label, Collapsed);
  item.id = `filesHost:${listing.id}`;
  item.contextValue = `filesHost.${isConnected ? 'connected' : 'idle'}`;
  item.iconPath = new vscode.ThemeIcon(isConnected ? 'vm-active' : 'vm', tierColour(listing.tier));
  const place = `${listing.user}@${placeText(listing.address, listing.port)}`;
  item.description = isConnected ? vscode.l10n.t('connected') : '';
  item.tooltip = place;
  item.accessibilityInformation = {
    label: [listing.label, tierWord(listing.tier), item.description].filter(Boolean).join(', '),
  };
  return item;
}

function tierColour(tier: string | undefined): vscode.ThemeColor | undefined {
  if (tier === 'prod') return new vscode.ThemeColor('charts.red');
  return tier === 'stage' ? new vscode.ThemeColor('charts.yellow') : undefined;
}

function tierWord(tier: string | undefined): string {
  return tier === 'prod' ? vscode.l10n.t('production') : '';
}

/** A folder under the host itself. */
function placeItem(node: FileNode): vscode.TreeItem {
  const icons = {
    ...{ start: 'home', root: 'root-folder', bookmark: 'bookmark', entry: 'folder', elevated: 'shield' },
  } as const;
  const [label, ...about] = placeWords(node);
  const item = new vscode.TreeItem(label, Collapsed);
  item.id = idOf(node);
  item.contextValue = `${rowKind(node)}.${node.role === 'bookmark' ? 'bookmark' : 'place'}`;
  item.iconPath = new vscode.ThemeIcon(icons[node.role]);
  item.description = about.join(' · ');
  item.tooltip = showPath(node.at.path);
  item.accessibilityInformation = { label: [item.tooltip, ...about].join(', ') };
  return item;
}

/** The label, then what is said about it. A narrow side bar cuts the end of a path, so one that was chosen begins with its name. */
function placeWords(node: FileNode): readonly [label: string, ...about: string[]] {
  const { path } = node.at;
  const name = nameOf(path);
  if (node.role === 'start') return [showPath(path), vscode.l10n.t('where you sign in')];
  if (name === undefined || node.role === 'root') return [showPath(path), ...rightsOf(node)];
  return [showPath(name), ...rightsOf(node), showPath(parentOf(path))];
}

function entryItem(node: FileNode): vscode.TreeItem {
  const { entry } = node;
  const name = showPath(entry?.name ?? node.at.path);
  const folder = isFolder(node);
  const item = new vscode.TreeItem(name, folder ? Collapsed : None);
  item.id = idOf(node);
  item.contextValue = `${rowKind(node)}.${folder ? 'folder' : 'file'}`;
  item.resourceUri = uriOf(node.at);
  item.iconPath = folder ? vscode.ThemeIcon.Folder : vscode.ThemeIcon.File;
  item.description = [describe(node), ...rightsOf(node)].filter(Boolean).join(' · ');
  item.tooltip = tooltip(node);
  item.accessibilityInformation = {
    label: [name, folder ? vscode.l10n.t('folder') : vscode.l10n.t('file'), item.description]
      .filter(Boolean)
      .join(', '),
  };
  if (!folder) item.command = { command: Command.openFile, title: vscode.l10n.t('Open'), arguments: [node] };
  return item;
}

/** What is offered for a row depends on it: what has no way for other rights is not offered for elevated files. */
function rowKind({ as }: FileNode): 'remoteFile' | 'sudoFile' {
  return as === undefined ? 'remoteFile' : 'sudoFile';
}

function rightsOf({ as }: FileNode): readonly string[] {
  return as === undefined ? [] : [rightsText(as)];
}

function describe({ entry }: FileNode): string {
  if (entry === undefined) return '';
  if (entry.kind === 'symlink')
    return entry.target === 'missing' ? vscode.l10n.t('broken link') : vscode.l10n.t('link');
  if (entry.kind === 'other') return vscode.l10n.t('special file');
  return entry.kind === 'directory' || entry.attributes.size === undefined
    ? ''
    : sizeText(entry.attributes.size);
}

/** Plain text: a name in Markdown could become a link. */
function tooltip({ at, entry }: FileNode): string {
  const { mode, times } = entry?.attributes ?? {};
  const owner = [entry?.ownerName, entry?.groupName].filter((name) => name !== undefined).join(':');
  return [
    showPath(at.path),
    mode === undefined ? '' : `${symbolicMode(mode)} ${owner}`,
    times === undefined ? '' : momentText(times.modified),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** `seconds` since 1970, in the person's own way. */
export function momentText(seconds: number): string {
  const format = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
  return format.format(seconds * 1_000);
}

function idOf({ at, below, path, role }: FileNode): string {
  return `remoteFile:${placeKey(at)}:${role === 'entry' ? `${below}:${path}` : `${role}:${path}`}`;
}
