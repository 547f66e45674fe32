import * as vscode from 'vscode';
import { neverAborted } from '../../agentkit/index.ts';
import type { KnownForward } from '../../application/forwards/knownForward.ts';
import { isTermindError } from '../../domain/fault.ts';
import { needsConsent, newForwardId, type ForwardSpec } from '../../domain/forward/forward.ts';
import { forwardText } from '../../domain/forward/forwardText.ts';
import { reachableAt, type ListeningPort } from '../../domain/forward/listeningPorts.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { askWideBinding } from './forwardForm.ts';
import type { ForwardPorts, ForwardServices } from './forwardPorts.ts';
import { checkText, stateText, wayText } from './forwardTexts.ts';

/** Starts it for a person, who decides about other machines and about another port. */
export async function startForward(
  services: ForwardServices,
  asked: { readonly forward: KnownForward; readonly port: number | undefined; readonly ports: ForwardPorts },
): Promise<void> {
  const { forward, port, ports } = asked;
  const mayOthersConnect =
    needsConsent(forward) && forward.mayOthersConnect !== true
      ? await askWideBinding(forward.host, forward)
      : undefined;
  if (needsConsent(forward) && forward.mayOthersConnect !== true && mayOthersConnect !== true) return;
  try {
    await services.forwards.start(forward, {
      by: 'person',
      ...(port === undefined ? {} : { port }),
      ...(mayOthersConnect === undefined ? {} : { mayOthersConnect }),
    });
  } catch (error) {
    if (isTermindError(error) && error.fault.code === 'cancelled') return;
    const otherPort = vscode.l10n.t('Use Another Port');
    const why = vscode.l10n.t('Why Is It Down?');
    const isTaken = isTermindError(error) && error.fault.code === 'port-in-use' && 'port' in forward.bind;
    void vscode.window
      .showErrorMessage(ports.describeError(error), ...(isTaken ? [otherPort] : []), why)
      .then(async (chosen) => {
        if (chosen === otherPort) await startForward(services, { forward, port: 0, ports });
        if (chosen === why) await tellWhy(services, forward, ports);
      });
  }
}

/** Stores it, and starts what was stored. */
export async function storeAndStart(
  services: ForwardServices,
  host: HostListing,
  asked: {
    readonly spec: ForwardSpec;
    readonly start: (services: ForwardServices, forward: KnownForward) => Promise<void>;
  },
): Promise<void> {
  const { spec, start } = asked;
  await services.forwards.put(host, spec);
  const all = await services.forwards.of(host.id, neverAborted);
  const stored = all.find(({ id }) => id === spec.id);
  if (stored !== undefined) await start(services, stored);
}

/** Looks for the reason while the person waits, and tells it in one sentence for each thing that was looked at. */
export async function tellWhy(
  services: ForwardServices,
  forward: KnownForward,
  ports: ForwardPorts,
): Promise<void> {
  const found = await cancellable(
    vscode.l10n.t('Checking {0}…', forward.label ?? wayText(forward)),
    (signal) => services.forwards.why(forward, signal),
  );
  if (found === undefined) return;
  const describe = (one: Parameters<typeof checkText>[0]): string => checkText(one, ports.describeFault);
  void vscode.window.showInformationMessage(
    `${forwardText(forward)}: ${stateText(services.forwards.state(forward.id), ports.describeFault)}`,
    { modal: true, detail: found.map(describe).join('\n') },
  );
}

/** What listens on the host, on request; the one that the person picks becomes a local forward. */
export async function pickRemotePort(
  services: ForwardServices,
  host: HostListing,
): Promise<ForwardSpec | undefined> {
  const found = await cancellable(vscode.l10n.t('Looking what listens on {0}…', host.label), (signal) =>
    services.forwards.remotePorts(host.id, signal),
  );
  if (found === undefined || found.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('{0} tells of nothing that listens.', host.label),
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    found.map((listening) => ({
      label: String(listening.port),
      description: listening.program ?? '',
      detail: listening.address,
      listening,
    })),
    {
      title: vscode.l10n.t('Forward a Port of {0}', host.label),
      matchOnDescription: true,
      matchOnDetail: true,
    },
  );
  return picked === undefined ? undefined : specFor(picked.listening);
}

/** Ports below 1024 need rights here, so 80 becomes 8080. */
function specFor(listening: ListeningPort): ForwardSpec {
  const { port, program } = listening;
  return {
    id: newForwardId(),
    kind: 'local',
    bind: { port: port < 1024 ? port + 8000 : port },
    destination: { host: reachableAt(listening), port },
    ...(program === undefined ? {} : { label: program }),
    autoStart: 'never',
  };
}

async function cancellable<T>(
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const stop = new AbortController();
      const listener = token.onCancellationRequested(() => stop.abort(new Error('cancelled by the person')));
      try {
        return await work(stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return undefined;
        throw error;
      } finally {
        listener.dispose();
      }
    },
  );
}
