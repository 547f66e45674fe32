import * as vscode from 'vscode';
import { DisposableBag, neverAborted, type Disposable } from '../../agentkit/index.ts';
import type { KnownForward } from '../../application/forwards/knownForward.ts';
import { hostIdOf } from '../../application/vault/hostArgument.ts';
import { bindText } from '../../domain/forward/forwardText.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import { Command, View } from '../../ids.ts';
import { pickRemotePort, startForward, storeAndStart, tellWhy } from './forwardActions.ts';
import { askForward } from './forwardForm.ts';
import type { ForwardPorts, ForwardServices } from './forwardPorts.ts';
import { createForwardsTree } from './forwardsTree.ts';
import { stateText, wayText } from './forwardTexts.ts';

/** The Forwards tree and every command about forwards. */
export function registerForwards(ports: ForwardPorts): Disposable {
  const bag = new DisposableBag();
  const tree = bag.add(createForwardsTree(View.forwards, ports));
  const command = (id: string, handler: (...args: readonly unknown[]) => Promise<unknown>): void => {
    bag.add(ports.registerCommand(id, handler));
  };
  /** A command about one forward: the row it was called on, or the one the person picks. */
  const aboutForward = (
    id: string,
    title: string,
    handler: (services: ForwardServices, forward: KnownForward) => Promise<unknown>,
  ): void =>
    command(id, async (argument) => {
      const services = await ports.runtime();
      const forward = (await forwardOf(services, argument)) ?? (await pickForward(services, title, ports));
      if (forward !== undefined) await handler(services, forward);
    });
  /** A command about one host: a row of either tree, or the one the person picks. */
  const aboutHost = (
    id: string,
    title: string,
    handler: (services: ForwardServices, host: HostListing) => Promise<unknown>,
  ): void =>
    command(id, async (argument) => {
      const services = await ports.runtime();
      const known = hostOfRow(argument) ?? (await vscode.commands.executeCommand(Command.pickHost, title));
      const hostId = typeof known === 'string' ? parseHostId(known) : undefined;
      const host = hostId === undefined ? undefined : await services.hosts.get(hostId);
      if (host !== undefined) await handler(services, host);
    });
  const start = (services: ForwardServices, forward: KnownForward, port?: number): Promise<void> =>
    startForward(services, { forward, port, ports });

  command(Command.refreshForwards, async () => tree.refresh());
  aboutHost(Command.addForward, vscode.l10n.t('Add Forward'), async (services, host) => {
    const spec = await askForward(host);
    if (spec !== undefined) await storeAndStart(services, host, { spec, start });
  });
  aboutHost(Command.forwardRemotePort, vscode.l10n.t('Forward a Port of a Host'), async (services, host) => {
    const spec = await pickRemotePort(services, host);
    if (spec !== undefined) await storeAndStart(services, host, { spec, start });
  });
  aboutForward(Command.startForward, vscode.l10n.t('Start Forward'), start);
  aboutForward(Command.stopForward, vscode.l10n.t('Stop Forward'), (services, forward) =>
    services.forwards.stop(forward.id),
  );
  aboutForward(Command.editForward, vscode.l10n.t('Edit Forward'), async (services, forward) => {
    if (isConfigured(forward)) return;
    const isRunning = services.forwards.state(forward.id).k !== 'stopped';
    const spec = await askForward(forward.host, forward);
    if (spec === undefined) return;
    if (isRunning) await storeAndStart(services, forward.host, { spec, start });
    else await services.forwards.put(forward.host, spec);
  });
  aboutForward(Command.removeForward, vscode.l10n.t('Remove Forward'), async (services, forward) => {
    if (isConfigured(forward)) return;
    const keep = vscode.l10n.t('Keep');
    const remove = vscode.l10n.t('Remove');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Remove the forward {0} of {1}?', forward.label ?? wayText(forward), forward.host.label),
      { modal: true, detail: vscode.l10n.t('Whoever uses it is cut off.') },
      keep,
      remove,
    );
    if (answer === remove) await services.forwards.remove(forward.host.id, forward.id);
  });
  aboutForward(
    Command.copyForwardAddress,
    vscode.l10n.t('Copy Address of Forward'),
    async (services, forward) => vscode.env.clipboard.writeText(addressOf(services, forward)),
  );
  aboutForward(Command.openForward, vscode.l10n.t('Open Forward in Browser'), async (services, forward) => {
    const address = addressOf(services, forward);
    const port = /:(\d+)$/.exec(address)?.[1];
    if (port === undefined || forward.kind !== 'local') {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Only a local port can be opened in a browser.'),
      );
      return;
    }
    const scheme = isTls(forward) ? 'https' : 'http';
    await vscode.env.openExternal(vscode.Uri.parse(`${scheme}://${address}/`));
  });
  aboutForward(Command.whyForwardDown, vscode.l10n.t('Why Is a Forward Down?'), (services, forward) =>
    tellWhy(services, forward, ports),
  );
  return bag;
}

/** What a program on the listening side connects to. */
function addressOf(services: ForwardServices, forward: KnownForward): string {
  const state = services.forwards.state(forward.id);
  const at = state.k === 'listening' ? state.at : forward.bind;
  if ('path' in at) return at.path;
  return bindText({ host: at.host === undefined || at.host === '' ? 'localhost' : at.host, port: at.port });
}

function isTls({ destination }: KnownForward): boolean {
  return destination !== undefined && 'port' in destination && [443, 8443, 9443].includes(destination.port);
}

function isConfigured({ configOrigin }: KnownForward): boolean {
  if (configOrigin === undefined) return false;
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      'This forward lives in your SSH configuration ({0}). Change it there; the list follows at once.',
      configOrigin,
    ),
  );
  return true;
}

/** The forward that a row names. Undefined when it is none, or one that is gone. */
async function forwardOf(services: ForwardServices, argument: unknown): Promise<KnownForward | undefined> {
  const forward = fieldOf(argument, 'forward');
  const id = fieldOf(forward, 'id');
  const host = fieldOf(fieldOf(forward, 'host'), 'id');
  const hostId = typeof host === 'string' ? parseHostId(host) : undefined;
  if (hostId === undefined || typeof id !== 'string') return undefined;
  const all = await services.forwards.of(hostId, neverAborted);
  return all.find((one) => one.id === id);
}

/** A row of the Hosts or of the Forwards tree. */
function hostOfRow(argument: unknown): string | undefined {
  const id = hostIdOf(argument) ?? fieldOf(fieldOf(argument, 'listing'), 'id');
  return typeof id === 'string' ? id : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

async function pickForward(
  services: ForwardServices,
  title: string,
  ports: ForwardPorts,
): Promise<KnownForward | undefined> {
  const hosts = await services.forwards.hosts();
  const all = await Promise.all(hosts.map(({ id }) => services.forwards.of(id, neverAborted)));
  const picked = await vscode.window.showQuickPick(
    all.flat().map((forward) => ({
      label: forward.label ?? wayText(forward),
      description: forward.host.label,
      detail: stateText(services.forwards.state(forward.id), ports.describeFault),
      forward,
    })),
    { title, placeHolder: vscode.l10n.t('Choose a forward'), matchOnDescription: true },
  );
  return picked?.forward;
}
