import * as vscode from 'vscode';
import { showTransferPlace } from '../../application/transfer/queue/transferPlaces.ts';
import type { TransferProgress } from '../../application/transfer/engine/transfer.ts';
import type { TransferEntry } from '../../application/transfer/queue/transferQueue.ts';
import type { Fault } from '../../domain/fault.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { TransferPlace, TransferRecord } from '../../domain/transfer/transferRecord.ts';
import { filesOfText, filesText } from './filesText.ts';
import { folderItem, hasFolderRows, type FolderNode } from './folderRows.ts';

/** A transfer as a row of the Transfers view. Its id never holds a name, a count or a state. Source: vscode.md 4. */
export interface TransferRow {
  readonly kind: 'transfer';
  readonly id: string;
  readonly entry: TransferEntry;
}

export type TransferNode = TransferRow | FolderNode;

/** How hosts and faults are called. */
export interface TransferWords {
  readonly hostLabel: (host: HostId) => string;
  readonly describeFault: (fault: Fault) => string;
}

export function transferItem(node: TransferNode, words: TransferWords): vscode.TreeItem {
  return node.kind === 'transfer' ? entryItem(node.entry, words) : folderItem(node, words);
}

/** `web-1: /srv/site`, or the path alone on this machine. */
export function placeText(place: TransferPlace, { hostLabel }: Pick<TransferWords, 'hostLabel'>): string {
  const path = showTransferPlace(place);
  return place.k === 'local' ? path : `${hostLabel(place.host)}: ${path}`;
}

/** The name of what is moved. */
export function transferName({ from }: Pick<TransferRecord, 'from'>): string {
  const path = showTransferPlace(from);
  return /[^/\\]+(?=[/\\]*$)/.exec(path)?.[0] ?? path;
}

/** The state in words, with what has been moved so far. */
export function transferState(entry: TransferEntry, words: TransferWords): string {
  const { holder, question } = entry;
  if (question !== undefined) return vscode.l10n.t('waits for your answer');
  if (holder === 'elsewhere')
    return [vscode.l10n.t('in another window'), activityText(entry, words)].join(' · ');
  return activityText(entry, words);
}

function activityText(entry: TransferEntry, words: TransferWords): string {
  const { record, verifying } = entry;
  if (verifying !== undefined) return vscode.l10n.t('comparing: {0}', comparedText(verifying));
  switch (record.state) {
    case 'queued':
      return vscode.l10n.t('waiting');
    case 'running':
      return progressText(entry);
    case 'paused':
      return vscode.l10n.t('paused at {0}', amountText(record));
    case 'completed':
      return completedText(record);
    case 'failed':
      return record.fault === undefined
        ? vscode.l10n.t('{0} failed, {1} moved', filesText(record.failedFiles), record.doneFiles)
        : words.describeFault(record.fault);
    case 'cancelled':
      return vscode.l10n.t('cancelled');
    case 'lost':
      return vscode.l10n.t('unknown whether the target was replaced');
  }
}

function comparedText({ doneBytes, totalBytes, doneFiles, totalFiles }: TransferProgress): string {
  if (totalBytes === undefined || totalFiles === undefined) return vscode.l10n.t('looking for files');
  const bytes = vscode.l10n.t('{0} of {1}', sizeText(doneBytes), sizeText(totalBytes));
  return totalFiles === 1 ? bytes : `${bytes}, ${filesOfText(doneFiles, totalFiles)}`;
}

/** What the last comparison of both ends has found; empty before there was one. */
export function verificationText({ verification }: Pick<TransferRecord, 'verification'>): string {
  if (verification === undefined) return '';
  const { files, different, leftOut } = verification;
  const found =
    different > 0
      ? vscode.l10n.t('compared: {0} differ', different)
      : vscode.l10n.t('compared: {0} the same', files);
  return leftOut === 0 ? found : `${found}, ${vscode.l10n.t('{0} under another name left out', leftOut)}`;
}

function entryItem(entry: TransferEntry, words: TransferWords): vscode.TreeItem {
  const { record } = entry;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const name = transferName(record);
  const compared = entry.verifying === undefined ? verificationText(record) : '';
  const state = [transferState(entry, words), compared].filter((text) => text !== '').join(' · ');
  const ends = `${placeText(record.from, words)} → ${placeText(record.to, words)}`;
  const item = new vscode.TreeItem(name, hasFolderRows(entry) ? Collapsed : None);
  item.id = `transfer:${record.id}`;
  item.contextValue = `transfer.${contextState(entry)}`;
  item.iconPath = icon(entry);
  item.description = `${arrow(record)} ${hostsText(record, words)} · ${state}`;
  item.tooltip = [ends, state, changedText(record)].filter((line) => line !== '').join('\n');
  item.accessibilityInformation = { label: [name, ends, state].join(', ') };
  return item;
}

function contextState({ record, holder, question, verifying }: TransferEntry): string {
  if (holder === 'elsewhere') return 'elsewhere';
  if (verifying !== undefined) return 'verifying';
  return question === undefined ? record.state : 'asking';
}

function icon({ record, question, verifying }: TransferEntry): vscode.ThemeIcon {
  if (question !== undefined) return new vscode.ThemeIcon('question');
  if (verifying !== undefined) return new vscode.ThemeIcon('sync~spin');
  if ((record.verification?.different ?? 0) > 0)
    return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  switch (record.state) {
    case 'queued':
      return new vscode.ThemeIcon('clock');
    case 'running':
      return new vscode.ThemeIcon('sync~spin');
    case 'paused':
      return new vscode.ThemeIcon('debug-pause');
    case 'completed':
      return new vscode.ThemeIcon('check', new vscode.ThemeColor('charts.green'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
    case 'cancelled':
      return new vscode.ThemeIcon('circle-slash');
    case 'lost':
      return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  }
}

function arrow({ from, to }: TransferRecord): string {
  if (from.k === 'local') return '↑';
  return to.k === 'local' ? '↓' : '⇄';
}

function hostsText({ from, to }: TransferRecord, { hostLabel }: TransferWords): string {
  const labels = [from, to].flatMap((place) => (place.k === 'remote' ? [hostLabel(place.host)] : []));
  return [...new Set(labels)].join(' → ');
}

const barCells = 10;

/** `▰▰▰▱▱▱▱▱▱▱ 412 MiB of 1.2 GiB · 88 MiB/s · 9 s`. Source: ui.md 5. */
function progressText({ record, bytesPerSecond, secondsLeft }: TransferEntry): string {
  const { doneBytes, totalBytes } = record;
  const part = totalBytes === undefined || totalBytes === 0 ? undefined : Math.min(1, doneBytes / totalBytes);
  const filled = Math.floor((part ?? 0) * barCells);
  const bar = part === undefined ? '' : `${'▰'.repeat(filled)}${'▱'.repeat(barCells - filled)} `;
  const rate = bytesPerSecond > 0 ? `${sizeText(Math.round(bytesPerSecond))}/s` : '';
  const left = secondsLeft === undefined ? '' : durationText(secondsLeft);
  return [`${bar}${amountText(record)}`, rate, left].filter((text) => text !== '').join(' · ');
}

function amountText({ doneBytes, totalBytes, kind, doneFiles, totalFiles }: TransferRecord): string {
  const bytes =
    totalBytes === undefined
      ? sizeText(doneBytes)
      : vscode.l10n.t('{0} of {1}', sizeText(doneBytes), sizeText(totalBytes));
  if (kind === 'file' || totalFiles === undefined) return bytes;
  return `${bytes}, ${filesOfText(doneFiles, totalFiles)}`;
}

function completedText({ kind, doneBytes, doneFiles, skippedFiles }: TransferRecord): string {
  if (kind === 'file') return skippedFiles > 0 ? vscode.l10n.t('skipped') : sizeText(doneBytes);
  return skippedFiles > 0
    ? vscode.l10n.t('{0}, {1}, {2} skipped', sizeText(doneBytes), filesText(doneFiles), skippedFiles)
    : `${sizeText(doneBytes)}, ${filesText(doneFiles)}`;
}

function changedText({ changedFiles }: TransferRecord): string {
  return changedFiles === 0
    ? ''
    : vscode.l10n.t('Changed while being moved, to be moved again: {0}', filesText(changedFiles));
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return vscode.l10n.t('{0} s', whole);
  const minutes = Math.ceil(whole / 60);
  return minutes < 60
    ? vscode.l10n.t('{0} min', minutes)
    : vscode.l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
