import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { SshDebug } from '../../application/ports/hosts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { hostOf } from '../../application/vault/hostArgument.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { parseHostId, type HostId } from '../../domain/host/hostId.ts';
import { Command } from '../../ids.ts';
import type { DoctorServices } from './doctorServices.ts';

/** What this feature needs of the window. */
export interface DoctorPorts extends Pick<FeaturePorts, 'registerCommand' | 'describeFault' | 'redactor'> {
  runtime(): Promise<DoctorServices>;
}

/** The connection doctor: why an attempt to connect failed, or what a connection came to. Source: ssh.md 1.10; decisions 20, 25. */
export function registerDoctor(ports: DoctorPorts, pages: PagesPort): Disposable {
  const bag = new DisposableBag();
  /** Milliseconds that the login shell of a host took to start, as measured last. */
  const shellStarts = new Map<HostId, number>();
  const sshDebugs = new Map<HostId, SshDebug>();
  const aboutHost = (
    id: string,
    title: () => string,
    handler: (services: DoctorServices, host: HostListing, how: unknown) => Promise<void>,
  ): void => {
    bag.add(
      ports.registerCommand(id, async (argument, how) => {
        const services = await ports.runtime();
        const host = (await hostOf(services.hosts, argument)) ?? (await pickHost(services, title()));
        if (host !== undefined) await handler(services, host, how);
      }),
    );
  };
  const show = async (services: DoctorServices, host: HostListing, how?: unknown): Promise<void> => {
    const { showDoctor } = await import('./showDoctor.ts');
    const { describeFault, redactor } = ports;
    await showDoctor(host, {
      services,
      pages,
      describeFault,
      redactor,
      shellStarts,
      sshDebugs,
      keepsFocus: how === 'byItself',
    });
  };
  aboutHost(Command.showConnectionTrace, () => vscode.l10n.t('Show Last Connection Trace'), show);
  aboutHost(
    Command.diagnoseHost,
    () => vscode.l10n.t('Diagnose Connection'),
    async (services, host) => {
      const { diagnoseHost } = await import('./diagnoseHost.ts');
      sshDebugs.delete(host.id);
      if (await diagnoseHost(host, services, shellStarts)) await show(services, host);
    },
  );
  return bag;
}

async function pickHost({ hosts }: DoctorServices, title: string): Promise<HostListing | undefined> {
  const picked = await vscode.commands.executeCommand(Command.pickHost, title);
  const id = typeof picked === 'string' ? parseHostId(picked) : undefined;
  return id === undefined ? undefined : hosts.get(id);
}
