import * as vscode from 'vscode';
import type { PagesPort } from '../../application/ports/pages.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { PageView } from '../../ids.ts';
import { askForExport } from './exportOperations.ts';
import { momentFormat } from './momentFormat.ts';
import { exportAction, operationsDocument, verifyAction } from './operationsDocument.ts';
import type { OperationsDesk } from './operationsLogPorts.ts';
import { verifyOperations } from './verifyOperations.ts';

/** Rows that a page reads; the export has all of them. */
const shownRows = 2_000;

/** Opens the operations of a host, or of all hosts. */
export function showOperations(
  host: HostListing | undefined,
  desk: OperationsDesk & { readonly pages: PagesPort },
): Promise<void> {
  const { services, pages } = desk;
  const moments = momentFormat();
  return pages.open({
    kind: PageView.operations,
    key: host?.id ?? 'all',
    tabTitle:
      host === undefined ? vscode.l10n.t('Operations Log') : vscode.l10n.t('Operations: {0}', host.label),
    icon: 'history',
    load: async () => {
      const timeline = await services.operations.timeline({ hostId: host?.id, limit: shownRows });
      return operationsDocument({ timeline, host: host?.label, moment: (at) => moments.format(at) });
    },
    act: async (action) => {
      if (action === verifyAction) await verifyOperations(desk);
      if (action === exportAction) await askForExport(desk);
    },
  });
}
