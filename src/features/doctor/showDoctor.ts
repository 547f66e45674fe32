import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Event, Redactor } from '../../agentkit/index.ts';
import type { ConnectionManager, ConnectionState } from '../../application/ports/connection.ts';
import type { SshDebug } from '../../application/ports/hosts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import { openLineAction } from '../../domain/page/openLineAction.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';
import { diagnose, type Diagnosis } from '../../domain/ssh/diagnose.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
import { Command, PageView, type HostArgument } from '../../ids.ts';
import { DoctorAction } from './doctorAction.ts';
import { doctorDocument } from './doctorDocument.ts';
import type { DoctorServices } from './doctorServices.ts';
import { placeOf } from './placeOf.ts';

export interface DoctorParts {
  readonly services: DoctorServices;
  readonly pages: PagesPort;
  readonly describeFault: (fault: Fault) => string;
  readonly redactor: Pick<Redactor, 'redactJson'>;
  readonly shellStarts: ReadonlyMap<HostId, number>;
  /** What `ssh` said last about a host. */
  readonly sshDebugs: Map<HostId, SshDebug>;
  /** It was opened by a failed attempt and not by hand. */
  readonly keepsFocus: boolean;
}

/** Opens the page about the last attempt to connect to one host. It follows what becomes of the host. */
export function showDoctor(host: HostListing, parts: DoctorParts): Promise<void> {
  const { connections } = parts.services;
  return parts.pages.open({
    kind: PageView.doctor,
    key: host.id,
    tabTitle: vscode.l10n.t('Connection: {0}', host.label),
    icon: 'pulse',
    keepsFocus: parts.keepsFocus,
    load: () => Promise.resolve(loadDoctor(host, parts)),
    onDidChange: settledChanges(connections, host.id),
    act: (action) => act(action, host, parts),
  });
}

function loadDoctor(
  host: HostListing,
  { services, describeFault, shellStarts, sshDebugs }: DoctorParts,
): PageDocument {
  const { connections } = services;
  const traces = connections.trace(host.id);
  return doctorDocument({
    label: host.label,
    startedAt: startText(traces),
    diagnosis: diagnosisOf(host.id, connections),
    negotiated: connections.negotiated(host.id),
    shellStartMs: shellStarts.get(host.id),
    ssh: sshDebugs.get(host.id),
    describeFault,
  });
}

function diagnosisOf(host: HostId, connections: ConnectionManager): Diagnosis {
  return diagnose(connections.trace(host), faultOf(connections.state(host)));
}

function faultOf(state: ConnectionState): Fault | undefined {
  return state.k === 'stopped' || state.k === 'waiting' ? state.fault : undefined;
}

/** When the attempt began, for people. */
function startText(traces: readonly Pick<ConnectTrace, 'startedAt'>[]): string | undefined {
  const at = traces.at(-1)?.startedAt;
  const format = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'medium' });
  return at === undefined ? undefined : format.format(at);
}

/** Fires when an attempt has come to something or a connection has ended; not for each step or round trip. */
function settledChanges(connections: ConnectionManager, host: HostId): Event<void> {
  return (listener) => {
    let last = connections.state(host).k;
    return connections.onDidChange((change) => {
      if (change.hostId !== host || change.state.k === last) return;
      last = change.state.k;
      if (last === 'ready' || last === 'stopped' || last === 'waiting' || last === 'idle') listener();
    });
  };
}

async function act(action: string, host: HostListing, parts: DoctorParts): Promise<void> {
  const place = openLineAction.parse(action);
  if (place !== undefined) return openLine(place);
  const argument: HostArgument = { kind: 'host', listing: { id: host.id } };
  switch (action) {
    case DoctorAction.again:
      return vscode.commands.executeCommand(Command.diagnoseHost, argument);
    case DoctorAction.export:
      return exportShown(host, parts);
    case DoctorAction.compare:
      return compare(host, parts);
    case DoctorAction.fix:
      return fix(argument, diagnosisOf(host.id, parts.services.connections).fix);
  }
}

async function compare(host: HostListing, parts: DoctorParts): Promise<void> {
  const { runSshDebug } = await import('./runSshDebug.ts');
  const debug = await runSshDebug(host, parts.services);
  if (debug === undefined) return;
  parts.sshDebugs.set(host.id, debug);
  await showDoctor(host, parts);
}

async function exportShown(
  host: HostListing,
  { services, describeFault, redactor }: DoctorParts,
): Promise<void> {
  const { connections } = services;
  const { hops, fault } = diagnosisOf(host.id, connections);
  const traces = hops.length === 0 ? [] : connections.trace(host.id);
  const shown = traces.map(({ startedAt, events }) => ({ startedAt, events }));
  const { exportAttempt } = await import('./exportAttempt.ts');
  await exportAttempt(redactor.redactJson({ label: host.label, fault, traces: shown }), (attempt) =>
    doctorDocument({
      label: attempt.label,
      startedAt: startText(attempt.traces),
      diagnosis: diagnose(attempt.traces, attempt.fault),
      negotiated: undefined,
      shellStartMs: undefined,
      ssh: undefined,
      describeFault,
    }),
  );
}

async function fix(argument: HostArgument, wanted: Diagnosis['fix']): Promise<void> {
  switch (wanted?.k) {
    case 'editHost':
      return vscode.commands.executeCommand(Command.editHost, argument);
    case 'allowLegacy':
      return vscode.commands.executeCommand(Command.allowLegacy, argument);
    case 'reviewHostKey':
      return vscode.commands.executeCommand(Command.replaceHostKey, argument);
    case 'openLine': {
      const place = placeOf(wanted.at, homedir());
      return place === undefined ? undefined : openLine(place);
    }
    case 'reconnect':
      return vscode.commands.executeCommand(Command.diagnoseHost, argument);
    case 'useSystemSsh':
      return vscode.commands.executeCommand(Command.useSystemSsh, argument);
    case 'showTrace':
    case undefined:
      return;
  }
}

async function openLine({ path, line }: SourceRef): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
}
