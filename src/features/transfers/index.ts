import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import { Command, View } from '../../ids.ts';
import { filesDragAndDrop } from './filesDragAndDrop.ts';
import type { TransferNode } from './transferItem.ts';
import type { TransferPorts } from './transferPorts.ts';
import type { TransfersFeature } from './transfersFeature.ts';

/** Commands about transfers. What they do is loaded with the first of them. */
const commands = [
  Command.uploadFiles,
  Command.downloadFiles,
  Command.pauseTransfer,
  Command.resumeTransfer,
  Command.retryTransfer,
  Command.cancelTransfer,
  Command.removeTransfer,
  Command.answerTransfer,
  Command.openTransferTarget,
  Command.verifyTransfer,
  Command.moreTransferFiles,
  Command.clearTransfers,
  Command.withdrawArchives,
] as const;
export type TransferCommand = (typeof commands)[number];

export interface TransfersRegistration extends Disposable {
  /** For the Files view. */
  readonly filesDragAndDrop: vscode.TreeDragAndDropController<unknown>;
}

/** The Transfers view and the commands that start transfers. All but the registration is loaded at first use. */
export function registerTransfers(ports: TransferPorts): TransfersRegistration {
  const bag = new DisposableBag();
  const redraw = bag.add(new vscode.EventEmitter<TransferNode | undefined>());
  let loading: Promise<TransfersFeature> | undefined;
  const feature = (): Promise<TransfersFeature> => (loading ??= load());
  const load = async (): Promise<TransfersFeature> => {
    const [module, services] = await Promise.all([import('./transfersFeature.ts'), ports.runtime()]);
    return bag.add(
      new module.TransfersFeature({ services, ports, view, redraw: (node) => redraw.fire(node) }),
    );
  };
  const view = bag.add(
    vscode.window.createTreeView<TransferNode>(View.transfers, {
      showCollapseAll: true,
      treeDataProvider: {
        onDidChangeTreeData: redraw.event,
        getChildren: async (node) => (await feature()).getChildren(node),
        getTreeItem: async (node) => (await feature()).getTreeItem(node),
      },
    }),
  );
  for (const command of commands)
    bag.add(ports.registerCommand(command, async (...args) => (await feature()).run(command, args)));
  return { filesDragAndDrop: filesDragAndDrop(feature), dispose: () => bag.dispose() };
}
