import * as vscode from 'vscode';
import type { Services } from '../../application/services.ts';
import { isTermindError, isWorthShowing } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { Command } from '../../ids.ts';

/**
 * Connects and lets go at once; the connection stays open for a while for whatever comes next. A failed attempt opens the doctor.
 * Source: decisions 20.
 */
export async function connectHost(
  services: { readonly connections: Pick<Services['connections'], 'acquire'> },
  host: Pick<HostListing, 'id' | 'label'>,
): Promise<void> {
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Connecting to {0}…', host.label),
      cancellable: true,
    },
    async (_progress, token) => {
      const stop = new AbortController();
      const listener = token.onCancellationRequested(() => stop.abort(new Error('cancelled by the person')));
      try {
        const lease = await services.connections.acquire(host.id, 'terminal', stop.signal);
        lease.release();
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!isTermindError(error)) throw error;
        if (isWorthShowing(error.fault))
          void vscode.commands.executeCommand(
            Command.showConnectionTrace,
            { kind: 'host', listing: { id: host.id } },
            'byItself',
          );
      } finally {
        listener.dispose();
      }
    },
  );
}
