import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import { hostOf } from '../../application/vault/hostArgument.ts';
import { Command } from '../../ids.ts';
import type { OperationsLogPorts } from './operationsLogPorts.ts';

/** What was done to hosts, as a page; its verification and its export. Source: mission C13. */
export function registerOperationsLog(ports: OperationsLogPorts, pages: PagesPort): Disposable {
  const bag = new DisposableBag();
  const { redactor } = ports;
  bag.add(
    ports.registerCommand(Command.showOperations, async (argument) => {
      const { showOperations } = await import('./showOperations.ts');
      const services = await ports.runtime();
      await showOperations(await hostOf(services.hosts, argument), { services, redactor, pages });
    }),
  );
  bag.add(
    ports.registerCommand(Command.verifyOperations, async () => {
      const { verifyOperations } = await import('./verifyOperations.ts');
      await verifyOperations({ services: await ports.runtime(), redactor });
    }),
  );
  bag.add(
    ports.registerCommand(Command.exportOperations, async () => {
      const { askForExport } = await import('./exportOperations.ts');
      await askForExport({ services: await ports.runtime(), redactor });
    }),
  );
  return bag;
}
