import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { DocumentAt } from '../../application/files/documents/documentFiles.ts';
import { hostIdOf } from '../../application/vault/hostArgument.ts';
import { pathOfText, showPath, textOfPath } from '../../domain/files/remotePath.ts';
import { parseHostId, type HostId } from '../../domain/host/hostId.ts';
import { Command, ContextKey } from '../../ids.ts';
import { Bookmarks } from './bookmarks.ts';
import { ConnectOffers } from './connectOffer.ts';
import { deleteFiles } from './deleteFiles.ts';
import {
  compareWithLocal,
  newFile,
  newFolder,
  openAsFolder,
  openFile,
  openReadOnly,
  renameFile,
} from './fileCommands.ts';
import { changePermissions, showProperties } from './fileProperties.ts';
import { showElevatedSigns } from './elevatedSigns.ts';
import { fileOf, type FileNode, type FilesNode } from './filesNode.ts';
import type { FilesMemories, FilesPorts, FilesServices } from './filesPorts.ts';
import { FilesTree, type FolderView } from './filesTree.ts';
import type { FilesCommand } from './index.ts';
import { showKeptSaves } from './keptSaves.ts';
import { restorePrevious } from './restorePrevious.ts';
import { followOpenDocuments } from './openDocuments.ts';
import { SaveConflicts } from './saveConflicts.ts';
import { SaveMerges } from './saveMerges.ts';
import { SftpFileSystem } from './sftpFileSystem.ts';
import { elevate, withSudo } from './sudoCommands.ts';
import { SudoOpens } from './sudoOpens.ts';
import { SudoSaves } from './sudoSaves.ts';
import { fileOrders, type FileOrder } from './sortEntries.ts';

export { tellKeptSaves } from './keptSaves.ts';

export interface FilesFeatureOptions {
  readonly services: FilesServices;
  readonly ports: FilesPorts;
  readonly memories: FilesMemories;
  readonly view: vscode.TreeView<FilesNode>;
  readonly tellFiles: (changes: vscode.FileChangeEvent[]) => void;
  readonly redrawTree: (node: FilesNode | undefined) => void;
}

const memoryKey = { order: 'termind.files.order', hidesDotFiles: 'termind.files.hidesDotFiles' } as const;

/** What stands behind the Files view and the file system, once one of them is used. Whoever makes it disposes it. */
export class FilesFeature implements Disposable {
  readonly fileSystem: SftpFileSystem;
  readonly merges: SaveMerges;
  readonly tree: FilesTree;
  readonly #options: FilesFeatureOptions;
  readonly #bookmarks: Bookmarks;
  readonly #bag = new DisposableBag();

  constructor(options: FilesFeatureOptions) {
    this.#options = options;
    const { services, ports, memories, view } = options;
    this.#bookmarks = new Bookmarks(memories.everywhere);
    const describeError = (error: unknown): string => ports.describeError(error);
    this.merges = this.#bag.add(
      new SaveMerges({
        services,
        conclude: (at, outcome) => this.fileSystem.conclude(at, outcome),
        describeError,
      }),
    );
    this.fileSystem = this.#bag.add(
      new SftpFileSystem({
        services,
        offers: this.#bag.add(
          new ConnectOffers({
            services,
            onConnected: (place) => this.fileSystem.reached(place),
            describeError,
          }),
        ),
        sudoOpens: new SudoOpens(),
        sudoSaves: new SudoSaves(),
        conflicts: this.#bag.add(new SaveConflicts(services, this.merges)),
        describeError,
        tell: options.tellFiles,
      }),
    );
    this.tree = this.#bag.add(
      new FilesTree({
        services,
        bookmarks: this.#bookmarks,
        folderView: () => this.#folderView(),
        describeError,
      }),
    );
    this.#bag.add(this.tree.onDidChangeTreeData(options.redrawTree));
    this.#bag.add(
      view.onDidCollapseElement(({ element }) => {
        if (element.kind === 'remoteFile') this.tree.collapsed(element);
      }),
    );
    this.#bag.add(showElevatedSigns(services));
    this.#bag.add(followOpenDocuments(services.documents, memories.here));
    this.#tellDotFiles();
  }

  /** `args`: from a row, from our own code or from anybody. */
  async run(command: FilesCommand, args: readonly unknown[]): Promise<void> {
    const { services } = this.#options;
    switch (command) {
      case Command.refreshFiles:
        return this.tree.refresh();
      case Command.showDotFiles:
        return this.#setDotFiles(false);
      case Command.hideDotFiles:
        return this.#setDotFiles(true);
      case Command.sortFiles:
        return this.#sort();
      case Command.moreFiles:
        return this.#showMore(args[0]);
      case Command.browseFiles:
        return this.#browse(args[0]);
      case Command.openWithSudo:
        return this.#about(args, (at) => this.#openWithSudo(at));
      case Command.browseWithSudo:
        return this.#browseWithSudo(args[0]);
      case Command.closeSudo:
        return this.#closeSudo(this.#one(args));
      case Command.openFile:
        return this.#about(args, openFile);
      case Command.openFileReadOnly:
        return this.#about(args, openReadOnly);
      case Command.newFile:
        return this.#about(args, (at) => newFile(services, at));
      case Command.newFolder:
        return this.#about(args, (at) => newFolder(services, at));
      case Command.renameFile:
        return this.#about(args, (at) => renameFile(services, at));
      case Command.deleteFile:
        return deleteFiles(services, this.#all(args));
      case Command.copyFilePath:
        return this.#named(args, async ({ path }) => vscode.env.clipboard.writeText(textOfPath(path)));
      case Command.fileProperties:
        return this.#about(args, (at) => showProperties(services, at));
      case Command.changeFileMode:
        return this.#about(args, (at) => changePermissions(services, at));
      case Command.openRemoteFolder:
        return this.#about(args, (at) => openAsFolder(services, at));
      case Command.compareWithLocal:
        return this.#about(args, compareWithLocal);
      case Command.restorePrevious:
        return this.#about(args, (at) => restorePrevious(services, at, this.#options.ports));
      case Command.showKeptSaves:
        return showKeptSaves(services, this.#options.ports);
      case Command.addBookmark:
        return this.#about(args, (at) => this.#bookmark(at, true));
      case Command.removeBookmark:
        return this.#about(args, (at) => this.#bookmark(at, false));
    }
  }

  dispose(): void {
    this.#bag.dispose();
  }

  /** The row it was called on, or the selected one. */
  #one([row]: readonly unknown[]): DocumentAt | undefined {
    return fileOf(row) ?? this.#selected()[0]?.at;
  }

  /** What is done with a file or folder, once the person may have it. */
  #about(args: readonly unknown[], work: (at: DocumentAt) => Promise<unknown>): Promise<void> {
    return this.#named(args, async (at) => {
      if (await elevate(this.#options.services, at)) await work(at);
    });
  }

  async #named(args: readonly unknown[], work: (at: DocumentAt) => Promise<unknown>): Promise<void> {
    const at = this.#one(args);
    if (at !== undefined) await work(at);
    else
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Select a file or folder in the Files view first.'),
      );
  }

  /** All selected rows, where the one it was called on is among them. Folders under a host itself are not deleted from there. */
  #all([row, rows]: readonly unknown[]): readonly DocumentAt[] {
    const marked =
      Array.isArray(rows) && rows.length > 1 ? rows : row === undefined ? this.#selected() : [row];
    return marked.flatMap((one: unknown) => (isPlace(one) ? [] : (fileOf(one) ?? [])));
  }

  #selected(): readonly FileNode[] {
    return this.#options.view.selection.flatMap((node) => (node.kind === 'remoteFile' ? [node] : []));
  }

  #showMore(row: unknown): void {
    const more = this.#options.view.selection.find((node) => node === row);
    if (more?.kind === 'moreFiles') this.tree.showMore(more.parent);
  }

  async #browse(argument: unknown): Promise<void> {
    const host = hostIdOf(argument) ?? (await pickHost());
    if (host === undefined) return;
    const node = await this.#rowOf(host);
    if (node !== undefined)
      await this.#options.view.reveal(node, { expand: true, focus: true, select: true });
  }

  async #openWithSudo(at: DocumentAt): Promise<void> {
    const elevated = await withSudo(this.#options.services, at);
    if (elevated === undefined) return;
    this.fileSystem.reached(elevated);
    await openFile(elevated);
  }

  /** A folder, or the root folder of a host. Of one that is shown with such rights already, they are taken up again. */
  async #browseWithSudo(argument: unknown): Promise<void> {
    const folder = fileOf(argument);
    if (folder?.as !== undefined) {
      if (!(await elevate(this.#options.services, folder))) return;
      this.fileSystem.reached(folder);
      return this.tree.redraw();
    }
    const host = folder?.host ?? hostIdOf(argument) ?? (await pickHost());
    if (host === undefined) return;
    const elevated = await withSudo(this.#options.services, folder ?? { host, path: pathOfText('/') });
    if (elevated === undefined) return;
    this.fileSystem.reached(elevated);
    await this.#rowOf(host);
    const node = this.tree.showElevated(elevated);
    if (node !== undefined)
      await this.#options.view.reveal(node, { expand: true, focus: true, select: true });
  }

  /** The row that the editor knows, where it has asked for the rows already: it hears of no other that they have changed. */
  async #rowOf(host: HostId): Promise<FilesNode | undefined> {
    if (this.tree.hostNode(host) === undefined) await this.tree.getChildren();
    return this.tree.hostNode(host);
  }

  #closeSudo(at: DocumentAt | undefined): void {
    if (at?.as === undefined) return;
    const { host, as } = at;
    this.#options.services.elevated.close({ host, as });
    this.tree.hideElevated({ host, as });
  }

  async #bookmark(at: DocumentAt, isWanted: boolean): Promise<void> {
    await (isWanted ? this.#bookmarks.add(at) : this.#bookmarks.remove(at));
    this.#options.redrawTree(this.tree.hostNode(at.host));
    if (isWanted)
      void vscode.window.setStatusBarMessage(vscode.l10n.t('{0} is bookmarked.', showPath(at.path)), 5_000);
  }

  #folderView(): FolderView {
    const { everywhere } = this.#options.memories;
    const kept: unknown = everywhere.get(memoryKey.order);
    return {
      order: fileOrders.find((order) => order === kept) ?? 'name',
      hidesDotFiles: everywhere.get<unknown>(memoryKey.hidesDotFiles) === true,
    };
  }

  async #setDotFiles(areHidden: boolean): Promise<void> {
    await this.#options.memories.everywhere.update(memoryKey.hidesDotFiles, areHidden);
    this.#tellDotFiles();
    this.tree.redraw();
  }

  #tellDotFiles(): void {
    const { hidesDotFiles } = this.#folderView();
    void vscode.commands.executeCommand('setContext', ContextKey.dotFilesHidden, hidesDotFiles);
  }

  async #sort(): Promise<void> {
    const labels: Record<FileOrder, string> = {
      name: vscode.l10n.t('By name'),
      size: vscode.l10n.t('Largest first'),
      modified: vscode.l10n.t('Newest first'),
    };
    const { order: current } = this.#folderView();
    const picked = await vscode.window.showQuickPick(
      fileOrders.map((order) => ({
        label: labels[order],
        description: order === current ? vscode.l10n.t('now') : '',
        order,
      })),
      { title: vscode.l10n.t('Sort Files') },
    );
    if (picked === undefined) return;
    await this.#options.memories.everywhere.update(memoryKey.order, picked.order);
    this.tree.redraw();
  }
}

function isPlace(node: unknown): boolean {
  return typeof node === 'object' && node !== null && 'role' in node && node.role !== 'entry';
}

async function pickHost(): Promise<HostId | undefined> {
  const picked: unknown = await vscode.commands.executeCommand(
    Command.pickHost,
    vscode.l10n.t('Browse Files of a Host'),
  );
  return typeof picked === 'string' ? parseHostId(picked) : undefined;
}
