import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { ExistingQuestion } from '../../application/transfer/queue/existingQuestions.ts';
import type { TransferEntry } from '../../application/transfer/queue/transferQueue.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { asTransferId, type TransferId, type TransferRecord } from '../../domain/transfer/transferRecord.ts';
import { Command, Scheme, View } from '../../ids.ts';
import { askExisting } from './askExisting.ts';
import { dragRows, dropOnRow } from './dragFiles.ts';
import { folderRows, groupRows, type GroupNode } from './folderRows.ts';
import type { TransferCommand } from './index.ts';
import { startDownload, startUpload } from './startTransfers.ts';
import {
  placeText,
  transferItem,
  transferName,
  transferState,
  verificationText,
  type TransferNode,
  type TransferRow,
} from './transferItem.ts';
import { withdrawArchives } from './withdrawArchives.ts';
import type { TransferPorts, TransferServices } from './transferPorts.ts';

/** A person who waited longer has turned to something else. */
const longMs = 20_000;

export interface TransfersFeatureOptions {
  readonly services: TransferServices;
  readonly ports: TransferPorts;
  readonly view: Pick<
    vscode.TreeView<TransferNode>,
    'message' | 'badge' | 'visible' | 'selection' | 'onDidChangeVisibility'
  >;
  readonly redraw: (node: TransferNode | undefined) => void;
}

/** What stands behind the Transfers view and its commands, once one of them is used. Whoever makes it disposes it. */
export class TransfersFeature implements Disposable {
  readonly #options: TransfersFeatureOptions;
  readonly #bag = new DisposableBag();
  readonly #rows = new Map<TransferId, TransferRow>();
  /** How many pages are shown of the groups of which more than one is. */
  readonly #pages = new Map<string, number>();
  readonly #labels = new Map<HostId, string>();
  readonly #asked = new WeakSet<ExistingQuestion>();

  constructor(options: TransfersFeatureOptions) {
    this.#options = options;
    const { services, view } = options;
    this.#bag.add(services.transfers.onDidChange((id) => this.#changed(id)));
    this.#bag.add(services.transfers.onDidFinish((record) => void this.#tellEnd(record)));
    this.#bag.add(services.transfers.onDidVerify((record) => void this.#tellVerified(record)));
    this.#bag.add(view.onDidChangeVisibility(({ visible }) => visible && options.redraw(undefined)));
    this.#bag.add(services.hosts.onDidChange(() => options.redraw(undefined)));
  }

  async getChildren(parent?: TransferNode): Promise<TransferNode[]> {
    const { services, ports, view } = this.#options;
    if (parent?.kind === 'transfer') return folderRows(this.#now(parent));
    if (parent?.kind === 'transferGroup') {
      const files = services.transfers.liveEntry(parent.transfer)?.files;
      return groupRows(parent, files, this.#pages.get(parent.id) ?? 1);
    }
    if (parent !== undefined) return [];
    try {
      const [entries, hosts] = await Promise.all([services.transfers.entries(), services.hosts.list()]);
      for (const { id, label } of hosts) this.#labels.set(id, label);
      this.#rows.clear();
      const listed = new Set(entries.map(({ record }) => record.id));
      for (const id of this.#pages.keys())
        if (!listed.has(asTransferId(id.slice(0, id.indexOf(':'))))) this.#pages.delete(id);
      view.message = '';
      this.#showBadge(entries);
      return entries.map((entry) => this.#row(entry));
    } catch (error) {
      view.message = ports.describeError(error);
      return [];
    }
  }

  getTreeItem(node: TransferNode): vscode.TreeItem {
    const shown = node.kind === 'transfer' ? { ...node, entry: this.#now(node) } : node;
    return transferItem(shown, this.#words());
  }

  async run(command: TransferCommand, [argument, all]: readonly unknown[]): Promise<void> {
    const { services, view } = this.#options;
    const { transfers } = services;
    switch (command) {
      case Command.uploadFiles:
        return startUpload(services, argument);
      case Command.downloadFiles:
        return startDownload(services, argument, all);
      case Command.clearTransfers:
        return transfers.clearFinished();
      case Command.withdrawArchives:
        return withdrawArchives(services);
      case Command.moreTransferFiles:
        return this.#showMore(argument);
      default:
    }
    const entry = await this.#entryOf(argument, view.selection[0]);
    if (entry === undefined) return;
    const { id } = entry.record;
    switch (command) {
      case Command.pauseTransfer:
        return transfers.pause(id);
      case Command.resumeTransfer:
      case Command.retryTransfer:
        return transfers.resume(id);
      case Command.cancelTransfer:
        return transfers.cancel(id);
      case Command.removeTransfer:
        return transfers.remove(id);
      case Command.answerTransfer:
        return this.#ask(entry);
      case Command.openTransferTarget:
        return openTarget(entry.record);
      case Command.verifyTransfer:
        return transfers.verify(id);
    }
  }

  /** Of rows of the Files view. */
  drag(rows: readonly unknown[], data: vscode.DataTransfer): Promise<void> {
    return dragRows(this.#options.services, rows, data);
  }

  /** Onto a row of the Files view. A failure is shown: the editor would not say it. */
  async drop(row: unknown, data: vscode.DataTransfer): Promise<void> {
    try {
      await dropOnRow(this.#options.services, row, data);
    } catch (error) {
      void vscode.window.showErrorMessage(this.#options.ports.describeError(error));
    }
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #now({ id, entry }: TransferRow): TransferEntry {
    return this.#options.services.transfers.liveEntry(asTransferId(id)) ?? entry;
  }

  #showMore(argument: unknown): void {
    const group = groupOf(argument);
    if (group === undefined) return;
    this.#pages.set(group.id, (this.#pages.get(group.id) ?? 1) + 1);
    this.#options.redraw(this.#rows.get(group.transfer));
  }

  #row(entry: TransferEntry): TransferNode {
    const row = { kind: 'transfer', id: entry.record.id, entry } as const;
    this.#rows.set(entry.record.id, row);
    return row;
  }

  #words(): Parameters<typeof transferItem>[1] {
    return {
      hostLabel: (host) => this.#labels.get(host) ?? vscode.l10n.t('a host that was removed'),
      describeFault: (fault) => this.#options.ports.describeFault(fault),
    };
  }

  #changed(id: TransferId | undefined): void {
    const { services, view, redraw } = this.#options;
    const entry = id === undefined ? undefined : services.transfers.liveEntry(id);
    if (entry?.question !== undefined && !this.#asked.has(entry.question)) void this.#ask(entry);
    if (!view.visible) {
      if (id === undefined) void this.#countBehind();
      return;
    }
    redraw(id === undefined ? undefined : this.#rows.get(id));
  }

  async #ask({ record, question }: TransferEntry): Promise<void> {
    if (question === undefined) return;
    this.#asked.add(question);
    const answer = await askExisting(question);
    if (answer !== undefined) this.#options.services.transfers.answer(record.id, question, answer);
  }

  /** The row a command was called on, or the one that is selected, or the one the person picks. */
  async #entryOf(argument: unknown, selected: TransferNode | undefined): Promise<TransferEntry | undefined> {
    const { transfers } = this.#options.services;
    const id = idOf(argument) ?? idOf(selected);
    if (id !== undefined) return transfers.entry(id);
    const words = this.#words();
    const picked = await vscode.window.showQuickPick(
      (await transfers.entries()).map((entry) => ({
        label: transferName(entry.record),
        description: transferState(entry, words),
        detail: placeText(entry.record.to, words),
        entry,
      })),
      { title: vscode.l10n.t('Transfers') },
    );
    return picked?.entry;
  }

  /** The badge of a view that is hidden, whose rows nobody asks for. */
  async #countBehind(): Promise<void> {
    const { services, ports } = this.#options;
    try {
      this.#showBadge(await services.transfers.entries());
    } catch (error) {
      ports.log.warn('transfers', `they could not be counted: ${ports.describeError(error)}`);
    }
  }

  #showBadge(entries: readonly TransferEntry[]): void {
    const active = entries.filter(({ record }) => ['queued', 'running'].includes(record.state)).length;
    this.#options.view.badge =
      active === 0 ? undefined : { value: active, tooltip: vscode.l10n.t('{0} transfers', active) };
  }

  async #tellVerified(record: TransferRecord): Promise<void> {
    const { verification } = record;
    if (verification === undefined) return;
    const text = `${transferName(record)}: ${verificationText(record)}`;
    if (verification.different === 0) return void vscode.window.showInformationMessage(text);
    const show = vscode.l10n.t('Show Transfers');
    const answer = await vscode.window.showWarningMessage(text, show);
    if (answer === show) await vscode.commands.executeCommand(`${View.transfers}.focus`);
  }

  /** Of what a person started: that it failed, and that a long one is done. Source: vscode.md 4; ssh.md 8.8. */
  async #tellEnd(record: TransferRecord): Promise<void> {
    if (record.by !== 'person' || record.state === 'cancelled') return;
    const { services } = this.#options;
    const name = transferName(record);
    if (record.state === 'completed') {
      if ((record.finishedAt ?? 0) - (record.startedAt ?? 0) < longMs) return;
      const open = vscode.l10n.t('Open');
      const to = placeText(record.to, this.#words());
      const answer = await vscode.window.showInformationMessage(
        vscode.l10n.t('{0} is at {1}.', name, to),
        open,
      );
      if (answer === open) await openTarget(record);
      return;
    }
    const entry = {
      record,
      holder: undefined,
      bytesPerSecond: 0,
      secondsLeft: undefined,
      question: undefined,
      files: undefined,
      verifying: undefined,
    };
    const retry = vscode.l10n.t('Try Again');
    const show = vscode.l10n.t('Show Transfers');
    const answer = await vscode.window.showErrorMessage(
      `${name}: ${transferState(entry, this.#words())}`,
      retry,
      show,
    );
    if (answer === retry) await services.transfers.resume(record.id);
    if (answer === show) await vscode.commands.executeCommand(`${View.transfers}.focus`);
  }
}

function idOf(node: unknown): TransferId | undefined {
  if (typeof node !== 'object' || node === null || !('kind' in node) || !('id' in node)) return undefined;
  return node.kind === 'transfer' && typeof node.id === 'string' ? asTransferId(node.id) : undefined;
}

function groupOf(node: unknown): Pick<GroupNode, 'id' | 'transfer'> | undefined {
  if (typeof node !== 'object' || node === null || !('kind' in node) || node.kind !== 'transferGroup')
    return undefined;
  if (!('id' in node) || !('transfer' in node)) return undefined;
  const { id, transfer } = node;
  return typeof id === 'string' && typeof transfer === 'string'
    ? { id, transfer: asTransferId(transfer) }
    : undefined;
}

async function openTarget({ to, kind }: TransferRecord): Promise<void> {
  const uri =
    to.k === 'remote'
      ? vscode.Uri.from({ scheme: Scheme.sftp, authority: to.host, path: to.path })
      : vscode.Uri.joinPath(vscode.Uri.file(to.folder), ...to.path);
  if (kind === 'file') await vscode.commands.executeCommand('vscode.open', uri);
  else if (to.k === 'local') await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand(`${View.files}.focus`);
}
