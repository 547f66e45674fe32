import * as vscode from 'vscode';
import { DisposableBag, systemClock, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';
import { TerminalSession } from '../../application/terminal/terminalSession.ts';
import { hostOf } from '../../application/vault/hostArgument.ts';
import type { HostListing, Tier } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { mustPreview } from '../../domain/terminal/paste.ts';
import { Command, Setting, TerminalProfile } from '../../ids.ts';
import { askPaste } from './askPaste.ts';
import { showWhyItFailed } from './showWhyItFailed.ts';
import { showPasteProgress } from './pasteProgress.ts';
import { SshTerminal } from './sshTerminal.ts';

/** SSH terminals: the command, the profile in the terminal drop-down, and reconnecting in place. */
export function registerTerminals(ports: FeaturePorts): Disposable {
  const bag = new DisposableBag();
  const panes = new Set<SshTerminal>();
  const newPane = (services: Services, host: HostListing): SshTerminal => {
    const pane = new SshTerminal({
      session: new TerminalSession({
        hostId: host.id,
        connections: services.connections,
        clock: systemClock,
      }),
      describeFault: (fault) => ports.describeFault(fault),
      onFailed: (fault) => showWhyItFailed(host.id, fault),
      onDispose: () => void panes.delete(pane),
      pastes: {
        mustAsk: async (paste) =>
          mustPreview(paste, { ...(await latest(services, host)), isWanted: wantsPreview() }),
        ask: async (paste) => askPaste(paste, await latest(services, host)),
        showProgress: (paste, cancel) => showPasteProgress(paste, host.label, cancel),
      },
    });
    panes.add(pane);
    return pane;
  };

  bag.add(
    ports.registerCommand(Command.openTerminal, async (argument) => {
      const services = await ports.runtime();
      const host = (await hostOf(services.hosts, argument)) ?? (await picked(services));
      if (host === undefined) return;
      vscode.window.createTerminal(terminalOptions(host, newPane(services, host))).show();
    }),
  );
  bag.add(
    ports.registerCommand(Command.reconnectTerminal, async () => {
      const options = vscode.window.activeTerminal?.creationOptions;
      if (options !== undefined && 'pty' in options && options.pty instanceof SshTerminal)
        options.pty.connect();
    }),
  );
  bag.add(
    vscode.window.registerTerminalProfileProvider(TerminalProfile.ssh, {
      async provideTerminalProfile() {
        const services = await ports.runtime();
        const host = await picked(services);
        return host === undefined
          ? undefined
          : new vscode.TerminalProfile(terminalOptions(host, newPane(services, host)));
      },
    }),
  );
  bag.add({
    dispose: () => {
      for (const pane of [...panes]) pane.dispose();
    },
  });
  return bag;
}

/** A host may have become one of production since. One that is gone is what it was. */
async function latest(services: Services, host: HostListing): Promise<HostListing> {
  return (await services.hosts.get(host.id)) ?? host;
}

function wantsPreview(): boolean {
  return vscode.workspace.getConfiguration().get<unknown>(Setting.confirmPaste) !== false;
}

async function picked(services: Services): Promise<HostListing | undefined> {
  const id = await vscode.commands.executeCommand(Command.pickHost, vscode.l10n.t('Open SSH Terminal'));
  const hostId = typeof id === 'string' ? parseHostId(id) : undefined;
  return hostId === undefined ? undefined : services.hosts.get(hostId);
}

function terminalOptions(host: HostListing, pty: SshTerminal): vscode.ExtensionTerminalOptions {
  const color = tierColour(host.tier);
  return {
    name: host.label,
    pty,
    iconPath: new vscode.ThemeIcon('remote'),
    ...(color === undefined ? {} : { color }),
  };
}

function tierColour(tier: Tier | undefined): vscode.ThemeColor | undefined {
  if (tier === 'prod') return new vscode.ThemeColor('terminal.ansiRed');
  if (tier === 'stage') return new vscode.ThemeColor('terminal.ansiYellow');
  return undefined;
}
