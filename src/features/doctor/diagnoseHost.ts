import * as vscode from 'vscode';
import { systemClock } from '../../agentkit/index.ts';
import { mayMeasure, measureShellStart } from '../../application/doctor/measureShellStart.ts';
import { isTermindError } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { DoctorServices } from './doctorServices.ts';

/**
 * Connects, or takes the connection that is open, and measures the start of the login shell where that is known to be harmless. True when
 * there is something to show: also after a failed attempt, and not when the person cancelled it.
 */
export async function diagnoseHost(
  host: HostListing,
  services: DoctorServices,
  shellStarts: Map<HostId, number>,
): Promise<boolean> {
  const location = vscode.ProgressLocation.Notification;
  const title = vscode.l10n.t('Diagnosing the connection to {0}…', host.label);
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const stop = new AbortController();
    const listener = token.onCancellationRequested(() => stop.abort(new Error('cancelled by the person')));
    shellStarts.delete(host.id);
    try {
      const measured = await attempt(host.id, services, stop.signal);
      if (measured !== undefined) shellStarts.set(host.id, measured);
      return true;
    } catch (error) {
      if (stop.signal.aborted) return false;
      if (isTermindError(error)) return true;
      throw error;
    } finally {
      listener.dispose();
    }
  });
}

async function attempt(
  host: HostId,
  { connections, hostStore }: DoctorServices,
  signal: AbortSignal,
): Promise<number | undefined> {
  const lease = await connections.acquire(host, 'exec', signal);
  try {
    if (!(await mayMeasure(hostStore, host))) return undefined;
    return await measureShellStart(lease, systemClock, signal);
  } finally {
    lease.release();
  }
}
