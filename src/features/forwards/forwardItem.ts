import * as vscode from 'vscode';
import type { ForwardCounters, ForwardState } from '../../application/forwards/forwardState.ts';
import type { KnownForward } from '../../application/forwards/knownForward.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { forwardText } from '../../domain/forward/forwardText.ts';
import { autoStartText, countersText, kindText, stateText, wayText } from './forwardTexts.ts';

/** A row of the Forwards tree. Ids never hold a name, a count or a state. Source: vscode.md 4. */
export type ForwardsNode =
  | { readonly kind: 'forwardHost'; readonly listing: HostListing }
  | { readonly kind: 'forward'; readonly forward: KnownForward };

/** What a row shows beside the record: live state only. */
export interface LiveForward {
  readonly state: ForwardState;
  readonly counters: ForwardCounters;
  readonly describeFault: (fault: Fault) => string;
}

export function forwardHostItem({ id, label, alias, user, address }: HostListing): vscode.TreeItem {
  // The configuration of a host is asked when somebody opens its row.
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, alias === undefined ? Expanded : Collapsed);
  item.id = `forwardHost:${id}`;
  item.contextValue = 'forwardHost.any';
  item.iconPath = new vscode.ThemeIcon('server');
  item.description = `${user}@${address}`;
  return item;
}

export function forwardItem(forward: KnownForward, live: LiveForward): vscode.TreeItem {
  const { state, counters, describeFault } = live;
  const way = wayText(forward, state.k === 'listening' ? state.at : undefined);
  const name = forward.label ?? way;
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.None);
  const told = state.k === 'listening' ? countersText(counters) : stateText(state, describeFault);
  item.id = `forward:${forward.id}`;
  item.contextValue = `${forward.configOrigin === undefined ? 'forward' : 'configForward'}.${contextState(state)}`;
  item.iconPath = icon(state);
  item.description = [forward.label === undefined ? '' : way, told].filter((part) => part !== '').join(' · ');
  item.tooltip = tooltip(forward, live);
  item.accessibilityInformation = { label: [name, way, stateText(state, describeFault)].join(', ') };
  return item;
}

function contextState(state: ForwardState): 'stopped' | 'starting' | 'listening' | 'failed' {
  return state.k === 'down' ? 'failed' : state.k;
}

function icon(state: ForwardState): vscode.ThemeIcon {
  switch (state.k) {
    case 'stopped':
      return new vscode.ThemeIcon('circle-outline');
    case 'starting':
      return new vscode.ThemeIcon('loading~spin');
    case 'listening':
      return new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.green'));
    case 'down':
      return new vscode.ThemeIcon(state.why.k === 'otherWindow' ? 'circle-slash' : 'error');
  }
}

function tooltip(forward: KnownForward, { state, counters, describeFault }: LiveForward): string {
  const { configOrigin, autoStart } = forward;
  const { lastRefusal, refusedClients, totalClients } = counters;
  const lines = [
    forwardText(forward),
    kindText(forward.kind),
    stateText(state, describeFault),
    configOrigin === undefined
      ? vscode.l10n.t('Starts: {0}', autoStartText(autoStart))
      : vscode.l10n.t('From your SSH configuration: {0}', configOrigin),
    totalClients === 0
      ? ''
      : vscode.l10n.t('{0} clients so far, {1} turned away', totalClients, refusedClients),
    lastRefusal === undefined
      ? ''
      : vscode.l10n.t('Last client that failed: {0}', describeFault(lastRefusal)),
  ];
  return lines.filter((line) => line !== '').join('\n');
}
