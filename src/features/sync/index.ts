import type { Disposable } from '../../agentkit/index.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { Command } from '../../ids.ts';
import type { SyncPorts } from './syncPorts.ts';

/** Compares folders of this machine and of hosts, and makes them equal after the plan was shown. Source: ssh.md 8.8; issue 6, part 7. */
export function registerSync(ports: SyncPorts, pages: PagesPort): Disposable {
  return ports.registerCommand(Command.compareFolders, async (argument) => {
    const { compareFolders } = await import('./compareFolders.ts');
    await compareFolders(argument, { services: await ports.runtime(), pages, ports });
  });
}
