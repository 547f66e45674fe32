import * as vscode from 'vscode';
import type { ConnectionState, NegotiatedFacts } from '../../application/ports/connection.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostListing, Tier } from '../../domain/host/host.ts';
import { isPostQuantum } from '../../domain/ssh/algorithms.ts';
import type { AgreedAlgorithms } from '../../domain/ssh/trace.ts';
import { Command } from '../../ids.ts';
import { placeText } from '../../domain/host/placeText.ts';

export interface HostRow {
  readonly kind: 'host';
  readonly listing: HostListing;
}

/** What a row shows beside the record: live state only. */
export interface LiveHost {
  readonly state: ConnectionState;
  readonly negotiated: NegotiatedFacts | undefined;
  readonly describeFault: (fault: Fault) => string;
  /** Something is wrong with the configuration it comes from. */
  readonly warning: string | undefined;
  /** The line that switches the check of its host key off. */
  readonly uncheckedBy: SourceRef | undefined;
}

export function hostItem(row: HostRow, live: LiveHost): vscode.TreeItem {
  const { listing } = row;
  const { state } = live;
  const item = new vscode.TreeItem(listing.label, vscode.TreeItemCollapsibleState.None);
  item.id = `host:${listing.id}`;
  item.contextValue = `host.${contextState(state)}`;
  item.iconPath = new vscode.ThemeIcon(stateIcon(state), tierColour(listing.tier, state));
  item.description = [describeHost(listing, live), ...legacyBadge(listing), ...uncheckedBadge(live)].join(
    ' · ',
  );
  item.tooltip = tooltip(listing, live);
  item.command = { command: Command.clickHost, title: vscode.l10n.t('Select'), arguments: [row] };
  item.accessibilityInformation = {
    label: [listing.label, stateWord(state), tierWord(listing.tier), listing.address]
      .filter((part) => part !== '')
      .join(', '),
  };
  return item;
}

export function groupItem(node: {
  readonly id: string;
  readonly label: string;
  readonly hosts: readonly HostListing[];
  readonly warning?: string;
}): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.id;
  item.contextValue = 'group';
  item.description = String(node.hosts.length);
  if (node.warning === undefined) return item;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.tooltip = node.warning;
  item.accessibilityInformation = { label: `${node.label}, ${node.warning}` };
  return item;
}

function contextState(state: ConnectionState): 'connected' | 'connecting' | 'idle' | 'failed' {
  switch (state.k) {
    case 'ready':
    case 'suspect':
      return 'connected';
    case 'resolving':
    case 'connecting':
    case 'asking':
      return 'connecting';
    case 'waiting':
    case 'stopped':
      return 'failed';
    case 'idle':
      return 'idle';
  }
}

function stateIcon(state: ConnectionState): string {
  switch (state.k) {
    case 'ready':
      return 'circle-filled';
    case 'suspect':
      return 'warning';
    case 'resolving':
    case 'connecting':
    case 'asking':
      return 'loading~spin';
    case 'waiting':
    case 'stopped':
      return 'error';
    case 'idle':
      return 'circle-outline';
  }
}

function stateWord(state: ConnectionState): string {
  switch (state.k) {
    case 'ready':
      return vscode.l10n.t('connected');
    case 'suspect':
      return vscode.l10n.t('not responding');
    case 'resolving':
    case 'connecting':
      return vscode.l10n.t('connecting');
    case 'asking':
      return vscode.l10n.t('waiting for an answer');
    case 'waiting':
      return state.at === undefined
        ? vscode.l10n.t('lost, waiting for you')
        : vscode.l10n.t('lost, connecting again');
    case 'stopped':
      return vscode.l10n.t('not connected');
    case 'idle':
      return '';
  }
}

function tierWord(tier: Tier | undefined): string {
  switch (tier) {
    case 'prod':
      return vscode.l10n.t('production');
    case 'stage':
      return vscode.l10n.t('staging');
    case 'dev':
      return vscode.l10n.t('development');
    case undefined:
      return '';
  }
}

function tierColour(tier: Tier | undefined, state: ConnectionState): vscode.ThemeColor | undefined {
  if (tier === 'prod') return new vscode.ThemeColor('charts.red');
  if (tier === 'stage') return new vscode.ThemeColor('charts.yellow');
  if (state.k === 'ready') return new vscode.ThemeColor('charts.green');
  return undefined;
}

function describeHost(listing: HostListing, { state, describeFault }: LiveHost): string {
  switch (state.k) {
    case 'ready': {
      const latency = state.rttMs === undefined ? undefined : `${Math.round(state.rttMs)} ms`;
      return [listing.user, latency].filter((part) => part !== undefined).join(' · ');
    }
    case 'suspect':
      return [listing.user, vscode.l10n.t('not responding')].join(' · ');
    case 'resolving':
      return vscode.l10n.t('connecting…');
    case 'connecting':
      return state.hop > 1
        ? vscode.l10n.t('connecting, server {0} on the way…', state.hop)
        : vscode.l10n.t('connecting…');
    case 'asking':
      return vscode.l10n.t('waiting for an answer');
    case 'waiting':
    case 'stopped':
      return describeFault(state.fault);
    case 'idle':
      return listing.label === listing.address ? listing.user : `${listing.user}@${listing.address}`;
  }
}

function legacyBadge({ legacy }: HostListing): readonly string[] {
  return legacy === undefined ? [] : [vscode.l10n.t('legacy algorithms')];
}

function uncheckedBadge({ uncheckedBy }: LiveHost): readonly string[] {
  return uncheckedBy === undefined ? [] : [vscode.l10n.t('host key check off')];
}

function uncheckedText({ uncheckedBy }: LiveHost): string | undefined {
  if (uncheckedBy === undefined) return undefined;
  const { path, line } = uncheckedBy;
  return vscode.l10n.t(
    'StrictHostKeyChecking is off ({0}): an unknown key is kept without a question. A changed one is refused all the same.',
    `${path}:${String(line)}`,
  );
}

/** Says what is, once and without advice. Source: ssh.md 5.1. */
function describeExchange(kex: string): string {
  return isPostQuantum(kex)
    ? vscode.l10n.t('{0} (post-quantum)', kex)
    : vscode.l10n.t('{0} (not post-quantum)', kex);
}

function describeCipher({ cipher, mac, compression }: AgreedAlgorithms): string {
  return [cipher, mac, compression === 'none' ? '' : compression].filter((part) => part !== '').join(', ');
}

/** Plain text: an address in Markdown would become a link. */
function tooltip(listing: HostListing, live: LiveHost): string {
  const { state, negotiated, warning } = live;
  const lines: readonly (readonly [name: string, value: string | undefined])[] = [
    [vscode.l10n.t('Host'), listing.label],
    [vscode.l10n.t('Address'), `${listing.user}@${placeText(listing.address, listing.port)}`],
    [vscode.l10n.t('State'), stateWord(state)],
    [vscode.l10n.t('Tier'), tierWord(listing.tier)],
    [vscode.l10n.t('Tags'), listing.tags.join(', ')],
    [
      vscode.l10n.t('Source'),
      listing.source === 'vault' ? vscode.l10n.t('vault') : vscode.l10n.t('OpenSSH config'),
    ],
    [vscode.l10n.t('Server'), negotiated?.serverIdentification],
    [vscode.l10n.t('Host key'), negotiated && `${negotiated.hostKeyType} ${negotiated.hostKeyFingerprint}`],
    [vscode.l10n.t('Signed in by'), negotiated?.authenticatedBy],
    [vscode.l10n.t('Configuration'), warning],
    [vscode.l10n.t('Host key check'), uncheckedText(live)],
    [vscode.l10n.t('SSH agent'), negotiated?.agent],
    [vscode.l10n.t('Agent offered to the server'), negotiated?.forwardedAgent],
    [
      vscode.l10n.t('Key exchange'),
      negotiated?.algorithms.kex && describeExchange(negotiated.algorithms.kex),
    ],
    [vscode.l10n.t('Encryption'), negotiated?.algorithms.cipher && describeCipher(negotiated.algorithms)],
    [vscode.l10n.t('Legacy algorithms'), listing.legacy?.join(', ')],
    [vscode.l10n.t('Files'), listing.filesReadOnly === true ? vscode.l10n.t('read-only') : undefined],
  ];
  return lines
    .flatMap(([name, value]) => (value === undefined || value === '' ? [] : `${name}: ${value}`))
    .join('\n');
}
