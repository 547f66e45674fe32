import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { Command } from '../../ids.ts';
import type { FleetTrustServices } from './fleetTrustServices.ts';

/** What this feature needs of the window. */
export interface FleetTrustPorts extends Pick<FeaturePorts, 'registerCommand'> {
  runtime(): Promise<FleetTrustServices>;
}

/** The host keys of all hosts as a page, and the certificate authorities that a person trusts. Source: ssh.md 3.5; decisions 25. */
export function registerFleetTrust(ports: FleetTrustPorts, pages: PagesPort): Disposable {
  const bag = new DisposableBag();
  bag.add(
    ports.registerCommand(Command.showKnownHostKeys, async () => {
      const { showFleetTrust } = await import('./showFleetTrust.ts');
      await showFleetTrust(await ports.runtime(), pages);
    }),
  );
  bag.add(
    ports.registerCommand(Command.trustAuthority, async () => {
      const { trustAuthority } = await import('./trustAuthority.ts');
      await trustAuthority(await ports.runtime());
    }),
  );
  return bag;
}
