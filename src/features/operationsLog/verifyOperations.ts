import * as vscode from 'vscode';
import type { Verification } from '../../application/operations/operationsLog.ts';
import type { OperationsDesk } from './operationsLogPorts.ts';
import { momentFormat } from './momentFormat.ts';
import { verdictText } from './verdictText.ts';

/** Follows the chain and says what it came to; a log whose end is another one can be accepted as it is. */
export async function verifyOperations(desk: OperationsDesk): Promise<void> {
  const { operations } = desk.services;
  const verification = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Verifying the operations log…'),
      cancellable: true,
    },
    async (_progress, token) => {
      const stop = new AbortController();
      const listening = token.onCancellationRequested(() => stop.abort(new vscode.CancellationError()));
      try {
        return await operations.verify(stop.signal);
      } catch (error) {
        if (token.isCancellationRequested) return undefined;
        throw error;
      } finally {
        listening.dispose();
      }
    },
  );
  if (verification !== undefined) await tell(verification, desk);
}

async function tell(verification: Verification, { services, redactor }: OperationsDesk): Promise<void> {
  const moments = momentFormat();
  const text = verdictText(verification, (at) => moments.format(at));
  const { fault } = verification;
  if (fault === undefined) {
    void vscode.window.showInformationMessage(redactor.redact(text));
    return;
  }
  const accept = vscode.l10n.t('Accept from Here On…');
  const isAboutTheEnd = fault.k === 'cut' || fault.k === 'rewritten' || fault.k === 'removed';
  const chosen = await vscode.window.showErrorMessage(
    redactor.redact(text),
    ...(isAboutTheEnd ? [accept] : []),
  );
  if (chosen === accept && (await confirmed())) await services.operations.accept();
}

async function confirmed(): Promise<boolean> {
  const accept = vscode.l10n.t('Accept');
  const detail = vscode.l10n.t(
    'Do this only if you know why rows are missing, for example because you put a damaged database aside. The log will say that it was accepted, and what was kept before.',
  );
  const title = vscode.l10n.t('Accept the operations log as it is now?');
  const keep = vscode.l10n.t('Do Not Accept');
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, keep, accept)) === accept;
}
