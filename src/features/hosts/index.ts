import * as vscode from 'vscode';
import { DisposableBag, systemClock, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';
import { hostIdOf, hostOf } from '../../application/vault/hostArgument.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { Command, ContextKey, View, type HostArgument } from '../../ids.ts';
import { connectHost } from './connectCommand.ts';
import { addHost, editHost, pickHost, quickConnect, removeHost, setPassword } from './hostCommands.ts';
import { createHostsTree } from './hostsTree.ts';
import { setShell } from './shellCommand.ts';
import { useSystemSsh } from './systemSshCommand.ts';
import { setTier } from './tierCommand.ts';

/** The Hosts tree and every command about one host. */
export function registerHosts(ports: FeaturePorts): Disposable {
  const bag = new DisposableBag();
  const tree = bag.add(createHostsTree(View.hosts, ports));
  const secondClick = doubleClicks();

  const command = (id: string, handler: (...args: readonly unknown[]) => Promise<unknown>): void => {
    bag.add(ports.registerCommand(id, handler));
  };
  /** A command about one host: the row it was called on, or the one the person picks. */
  const aboutHost = (
    id: string,
    title: string,
    handler: (services: Services, host: HostListing) => Promise<unknown>,
  ): void =>
    command(id, async (argument) => {
      const services = await ports.runtime();
      const host = (await hostOf(services.hosts, argument)) ?? (await pickHost(services, title));
      if (host !== undefined) await handler(services, host);
    });

  command(Command.addHost, async () => {
    const id = await addHost(await ports.runtime());
    if (id !== undefined) await vscode.commands.executeCommand(Command.openTerminal, asArgument(id));
  });
  command(Command.quickConnect, async () => {
    const id = await quickConnect(await ports.runtime());
    if (id !== undefined) await vscode.commands.executeCommand(Command.openTerminal, asArgument(id));
  });
  command(Command.clickHost, async (argument) => {
    if (secondClick(hostIdOf(argument))) await vscode.commands.executeCommand(Command.openTerminal, argument);
  });
  command(Command.openSelectedHost, async () => {
    const [selected] = tree.view.selection;
    if (selected?.kind === 'host') await vscode.commands.executeCommand(Command.openTerminal, selected);
  });
  command(
    Command.pickHost,
    async (title) =>
      (await pickHost(await ports.runtime(), typeof title === 'string' ? title : vscode.l10n.t('Hosts')))?.id,
  );
  command(Command.refreshHosts, async () => tree.refresh());
  command(Command.filterHosts, async () => {
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t('Filter Hosts'),
      prompt: vscode.l10n.t('Name, address, user or tag; empty shows all'),
    });
    if (text === undefined) return;
    tree.filter(text);
    void vscode.commands.executeCommand('setContext', ContextKey.hostsFiltered, text !== '');
  });
  aboutHost(Command.editHost, vscode.l10n.t('Edit Host'), editHost);
  aboutHost(Command.removeHost, vscode.l10n.t('Remove Host'), removeHost);
  aboutHost(Command.connectHost, vscode.l10n.t('Connect'), connectHost);
  aboutHost(Command.disconnectHost, vscode.l10n.t('Disconnect'), async (services, host) =>
    services.connections.disconnect(host.id),
  );
  aboutHost(Command.copyAddress, vscode.l10n.t('Copy Address'), async (_services, host) =>
    vscode.env.clipboard.writeText(`${host.user}@${host.address}${host.port === 22 ? '' : `:${host.port}`}`),
  );
  aboutHost(Command.replaceHostKey, vscode.l10n.t('Replace the Host Key'), async (services, host) =>
    (await import('./replaceKeyCommand.ts')).replaceHostKey(services, host),
  );
  aboutHost(Command.forgetHostKey, vscode.l10n.t('Forget Host Key'), async (services, host) =>
    (await import('./replaceKeyCommand.ts')).forgetHostKey(services, host),
  );
  aboutHost(Command.setPassword, vscode.l10n.t('Set Password'), (services, host) =>
    setPassword(services, ports, host),
  );
  aboutHost(Command.allowLegacy, vscode.l10n.t('Allow Legacy Algorithms'), async (services, host) =>
    (await import('./legacyCommand.ts')).allowLegacy(services, host),
  );
  aboutHost(Command.chooseSignIn, vscode.l10n.t('Sign-In and Agent Forwarding'), async (services, host) =>
    (await import('./signInCommand.ts')).chooseSignIn(services, host),
  );
  aboutHost(Command.useSystemSsh, vscode.l10n.t('Use System ssh'), useSystemSsh);
  aboutHost(Command.setRoute, vscode.l10n.t('Set Connection Route'), async (services, host) =>
    (await import('./routeCommand.ts')).setRoute(services, host),
  );
  aboutHost(Command.setShell, vscode.l10n.t('Set Login Shell'), setShell);
  aboutHost(Command.markFilesReadOnly, vscode.l10n.t('Mark Files Read-Only'), async (services, host) =>
    (await import('./readOnlyCommand.ts')).markFilesReadOnly(services, host),
  );
  aboutHost(Command.setTier, vscode.l10n.t('Set Environment of Host'), setTier);
  return bag;
}

/** The editor's trees tell single clicks only: a click selects, the second one on the same row within half a second counts. */
function doubleClicks(): (row: HostId | undefined) => boolean {
  let last: { readonly row: HostId | undefined; readonly at: number } | undefined;
  return (row) => {
    const now = systemClock.monotonic();
    const isSecond = last !== undefined && last.row === row && now - last.at < 500;
    last = isSecond ? undefined : { row, at: now };
    return isSecond;
  };
}

function asArgument(id: HostId): HostArgument {
  return { kind: 'host', listing: { id } };
}
