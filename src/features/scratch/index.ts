import * as vscode from 'vscode';
import { DisposableBag, neverAborted, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import { Command, Scheme } from '../../ids.ts';
import { ScratchFileSystem, uriOf } from './scratchFileSystem.ts';

/** Scratch files as editors, and the two commands about them. */
export function registerScratch(context: vscode.ExtensionContext, ports: FeaturePorts): Disposable {
  const bag = new DisposableBag();
  const files = bag.add(
    new ScratchFileSystem({
      scratch: async () => (await ports.runtime()).scratch,
      describeError: (error) => ports.describeError(error),
      root: vscode.Uri.joinPath(context.globalStorageUri, 'scratch'),
    }),
  );
  bag.add(vscode.workspace.registerFileSystemProvider(Scheme.scratch, files, { isCaseSensitive: true }));
  bag.add(
    ports.registerCommand(Command.openScratchFile, async (path) => {
      const chosen = typeof path === 'string' ? path : await pickFile(ports);
      if (chosen === undefined) return;
      await vscode.commands.executeCommand('vscode.open', uriOf(chosen), { preview: false });
    }),
  );
  bag.add(ports.registerCommand(Command.clearScratch, () => clear(ports)));
  return bag;
}

async function pickFile(ports: FeaturePorts): Promise<string | undefined> {
  const { scratch } = await ports.runtime();
  const { entries, totals } = await scratch.list('', { recursive: true }, neverAborted);
  const files = entries
    .filter((entry) => entry.kind === 'file')
    .sort((a, b) => b.modifiedAt - a.modifiedAt)
    .map((entry) => ({ label: entry.path, description: sizeText(entry.bytes) }));
  if (files.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Scratch is empty. The assistant saves the full output of long commands there.'),
    );
    return undefined;
  }
  const title = vscode.l10n.t(
    'Scratch: {0} of {1} files, {2} of {3}',
    totals.files,
    totals.fileQuota,
    sizeText(totals.bytes),
    sizeText(totals.byteQuota),
  );
  return (await vscode.window.showQuickPick(files, { title }))?.label;
}

async function clear(ports: FeaturePorts): Promise<void> {
  const { scratch } = await ports.runtime();
  const { files, bytes } = await scratch.usage(neverAborted);
  const keep = vscode.l10n.t('Keep');
  const remove = vscode.l10n.t('Delete All');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete all {0} scratch files ({1})?', files, sizeText(bytes)),
    {
      modal: true,
      detail: vscode.l10n.t('Conversations stay, but the full outputs they point to are gone.'),
    },
    keep,
    remove,
  );
  if (answer === remove) await scratch.clear(neverAborted);
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}
