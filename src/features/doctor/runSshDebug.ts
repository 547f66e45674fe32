import * as vscode from 'vscode';
import type { ConfigQuestion, SshDebug } from '../../application/ports/hosts.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { DoctorServices } from './doctorServices.ts';

/** Runs `ssh -vvv` for a host, with a notification that cancels it. Undefined when the person cancelled. */
export async function runSshDebug(
  host: HostListing,
  { hostStore, sshConfig }: DoctorServices,
): Promise<SshDebug | undefined> {
  const record = await hostStore.get(host.id);
  const question: ConfigQuestion = {
    alias: record?.alias ?? record?.addresses[0] ?? host.alias ?? host.address,
    ...(record?.user === undefined ? {} : { user: record.user }),
    ...(record?.port === undefined ? {} : { port: record.port }),
  };
  const location = vscode.ProgressLocation.Notification;
  const title = vscode.l10n.t('Connecting to {0} with ssh -vvv…', host.label);
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const stop = new AbortController();
    const listener = token.onCancellationRequested(() => stop.abort(new Error('cancelled by the person')));
    try {
      return await sshConfig.debug(question, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      throw error;
    } finally {
      listener.dispose();
    }
  });
}
