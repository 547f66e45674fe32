import type * as vscode from 'vscode';
import { View } from '../../ids.ts';
import type { TransfersFeature } from './transfersFeature.ts';

/** Rows of the Files view among themselves. Source: editor API, TreeDragAndDropController. */
export const filesMime = `application/vnd.code.tree.${View.files}`;

/**
 * Drag and drop of the Files view: from the system and the Explorer into it, between hosts, and out of it into editors and the Explorer.
 * What it does is loaded when something is dragged. Source: ssh.md 8.8; vscode.md 4.
 */
export function filesDragAndDrop(
  feature: () => Promise<Pick<TransfersFeature, 'drag' | 'drop'>>,
): vscode.TreeDragAndDropController<unknown> {
  return {
    dragMimeTypes: ['text/uri-list'],
    dropMimeTypes: [filesMime, 'text/uri-list', 'files'],
    handleDrag: async (rows, data) => (await feature()).drag(rows, data),
    handleDrop: async (row, data) => (await feature()).drop(row, data),
  };
}
