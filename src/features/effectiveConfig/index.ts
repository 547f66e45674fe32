import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { hostOf } from '../../application/vault/hostArgument.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Command } from '../../ids.ts';
import type { ConfigServices } from './configServices.ts';

/** What this feature needs of the window. */
export interface EffectiveConfigPorts extends Pick<FeaturePorts, 'registerCommand'> {
  runtime(): Promise<ConfigServices>;
}

/** The effective SSH configuration of a host as a page, and the programs that the configuration runs. */
export function registerEffectiveConfig(ports: EffectiveConfigPorts, pages: PagesPort): Disposable {
  const bag = new DisposableBag();
  bag.add(
    ports.registerCommand(Command.showEffectiveConfig, async (argument) => {
      const services = await ports.runtime();
      const host = (await hostOf(services.hosts, argument)) ?? (await pickHost(services));
      if (host === undefined) return;
      const { showConfig } = await import('./showConfig.ts');
      await showConfig(host, services, pages);
    }),
  );
  bag.add(
    ports.registerCommand(Command.reviewPrograms, async () => {
      const { reviewPrograms } = await import('./reviewPrograms.ts');
      await reviewPrograms(await ports.runtime());
    }),
  );
  return bag;
}

async function pickHost({ hosts }: ConfigServices): Promise<HostListing | undefined> {
  const title = vscode.l10n.t('Show Effective SSH Configuration');
  const picked = await vscode.commands.executeCommand(Command.pickHost, title);
  const id = typeof picked === 'string' ? parseHostId(picked) : undefined;
  return id === undefined ? undefined : hosts.get(id);
}
