import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import { Command, Scheme, View } from '../../ids.ts';
import type { FilesFeature } from './filesFeature.ts';
import type { FilesMemories, FilesPorts, FilesServices } from './filesPorts.ts';
import type { FilesNode } from './filesNode.ts';

/** Commands of the Files view. What they do is loaded with the first of them. */
const commands = [
  Command.refreshFiles,
  Command.showDotFiles,
  Command.hideDotFiles,
  Command.sortFiles,
  Command.moreFiles,
  Command.browseFiles,
  Command.openFile,
  Command.openFileReadOnly,
  Command.openWithSudo,
  Command.browseWithSudo,
  Command.closeSudo,
  Command.newFile,
  Command.newFolder,
  Command.renameFile,
  Command.deleteFile,
  Command.copyFilePath,
  Command.fileProperties,
  Command.changeFileMode,
  Command.openRemoteFolder,
  Command.compareWithLocal,
  Command.restorePrevious,
  Command.addBookmark,
  Command.removeBookmark,
  Command.showKeptSaves,
] as const;
export type FilesCommand = (typeof commands)[number];

/** Files of hosts as editors (`termind-sftp:`) and as a tree. All but the registration is loaded at first use. */
export function registerFiles(memories: FilesMemories, ports: FilesPorts): Disposable {
  const bag = new DisposableBag();
  const told = bag.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  const redraw = bag.add(new vscode.EventEmitter<FilesNode | undefined>());
  let loading: Promise<FilesFeature> | undefined;
  const feature = (): Promise<FilesFeature> => (loading ??= load());
  const load = async (): Promise<FilesFeature> => {
    const [{ FilesFeature }, services] = await Promise.all([import('./filesFeature.ts'), ports.runtime()]);
    return bag.add(
      new FilesFeature({
        ...{ services, ports, memories, view },
        tellFiles: (changes) => told.fire(changes),
        redrawTree: (node) => redraw.fire(node),
      }),
    );
  };
  const view = bag.add(
    vscode.window.createTreeView<FilesNode>(View.files, {
      showCollapseAll: true,
      canSelectMany: true,
      dragAndDropController: ports.dragAndDrop,
      treeDataProvider: {
        onDidChangeTreeData: redraw.event,
        getChildren: async (node) => (await feature()).tree.getChildren(node),
        getTreeItem: async (node) => (await feature()).tree.getTreeItem(node),
        getParent: async (node) => (await feature()).tree.getParent(node),
      },
    }),
  );
  bag.add(
    vscode.workspace.registerFileSystemProvider(Scheme.sftp, fileSystem(told.event, feature), {
      isCaseSensitive: true,
    }),
  );
  bag.add(
    vscode.workspace.registerFileSystemProvider(Scheme.merge, merges(feature), { isCaseSensitive: true }),
  );
  for (const command of commands)
    bag.add(ports.registerCommand(command, async (...args) => (await feature()).run(command, args)));
  return bag;
}

function fileSystem(
  onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]>,
  feature: () => Promise<FilesFeature>,
): vscode.FileSystemProvider {
  return {
    onDidChangeFile,
    // What is shown in editors is looked at, whoever asks for it.
    watch: () => new vscode.Disposable(() => {}),
    stat: async (uri) => (await feature()).fileSystem.stat(uri),
    readDirectory: async (uri) => (await feature()).fileSystem.readDirectory(uri),
    readFile: async (uri) => (await feature()).fileSystem.readFile(uri),
    writeFile: async (uri, content, options) => (await feature()).fileSystem.writeFile(uri, content, options),
    createDirectory: async (uri) => (await feature()).fileSystem.createDirectory(uri),
    delete: async (uri, options) => (await feature()).fileSystem.delete(uri, options),
    rename: async (from, to) => (await feature()).fileSystem.rename(from, to),
  };
}

/** The results of merges: one file each, which is saved on a host. */
function merges(feature: () => Promise<FilesFeature>): vscode.FileSystemProvider {
  const nothing = async (uri: vscode.Uri): Promise<never> => {
    throw vscode.FileSystemError.NoPermissions(uri);
  };
  return {
    onDidChangeFile: () => new vscode.Disposable(() => {}),
    watch: () => new vscode.Disposable(() => {}),
    stat: async (uri) => (await feature()).merges.stat(uri),
    readFile: async (uri) => (await feature()).merges.readFile(uri),
    writeFile: async (uri, content) => (await feature()).merges.writeFile(uri, content),
    readDirectory: nothing,
    createDirectory: async () => (await feature()).merges.createDirectory(),
    delete: nothing,
    rename: nothing,
  };
}

/** Once in a window: offers what was saved and never confirmed, of windows that are gone. Nothing is loaded when there is none. */
export async function offerKeptSaves(
  saving: Pick<FilesServices['saving'], 'kept'>,
  log: FilesPorts['log'],
): Promise<void> {
  try {
    const kept = await saving.kept();
    if (kept.length === 0) return;
    const { tellKeptSaves } = await import('./filesFeature.ts');
    await tellKeptSaves(kept);
  } catch (error) {
    log.error('files', 'saves that were kept could not be offered', error);
  }
}
