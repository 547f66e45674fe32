import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Event } from '../../agentkit/index.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { openLineAction } from '../../domain/page/openLineAction.ts';
import { PageView } from '../../ids.ts';
import { exportKeys } from './exportKeys.ts';
import { authorityAction, exportAction, fleetDocument } from './fleetDocument.ts';
import { forgetAction } from './forgetAction.ts';
import type { FleetTrustServices } from './fleetTrustServices.ts';
import { forgetAuthority, trustAuthority } from './trustAuthority.ts';

/** Opens the page about the host keys of all hosts. It follows what Termind itself keeps; files are read again on "Reload". */
export function showFleetTrust(services: FleetTrustServices, pages: PagesPort): Promise<void> {
  const home = homedir();
  const days = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium' });
  return pages.open({
    kind: PageView.fleetTrust,
    key: 'all',
    tabTitle: vscode.l10n.t('Known Host Keys'),
    icon: 'key',
    load: async (signal) =>
      fleetDocument({
        reading: await services.fleetTrust.read(signal),
        day: (at) => days.format(at),
        shorten: (path) => (path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path),
      }),
    onDidChange: changesOf(services),
    act: (action) => act(action, services),
  });
}

function changesOf({ store }: FleetTrustServices): Event<void> {
  return (listener) =>
    store.onDidChangeRows((area) => {
      if (area === 'hosts' || area === 'knownHosts') listener();
    });
}

async function act(action: string, services: FleetTrustServices): Promise<void> {
  if (action === exportAction) return exportKeys(services);
  if (action === authorityAction) return trustAuthority(services);
  const authority = forgetAction.parse(action);
  if (authority !== undefined) return forgetAuthority(authority, services);
  const place = openLineAction.parse(action);
  if (place === undefined) return;
  const at = new vscode.Position(place.line - 1, 0);
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(place.path), {
    selection: new vscode.Range(at, at),
  });
}
