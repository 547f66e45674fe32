import * as vscode from 'vscode';
import { isAborted, type Disposable } from '../../agentkit/index.ts';
import { isTermindError } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { Command } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';

/**
 * Offers to connect a host whose files could not be reached because a person is needed: one notification for each host at a time, however
 * many files are asked for. Source: vscode.md 7, "First access connects".
 */
export class ConnectOffers implements Disposable {
  readonly #services: Pick<FilesServices, 'hosts' | 'connections'>;
  readonly #shown = new Set<HostId>();
  readonly #onConnected: (host: HostId) => void;
  readonly #over = new AbortController();

  /** `onConnected`: the person has connected the host, so what failed may be asked for again. */
  constructor(services: Pick<FilesServices, 'hosts' | 'connections'>, onConnected: (host: HostId) => void) {
    this.#services = services;
    this.#onConnected = onConnected;
  }

  /** Whether this error is of a host that a person has to connect; then it is offered. */
  offerFor(host: HostId, error: unknown): boolean {
    if (!needsPerson(error)) return false;
    if (!this.#shown.has(host)) {
      this.#shown.add(host);
      void this.#offer(host).finally(() => this.#shown.delete(host));
    }
    return true;
  }

  dispose(): void {
    this.#over.abort();
  }

  async #offer(host: HostId): Promise<void> {
    const listing = await this.#services.hosts.get(host);
    const connect = vscode.l10n.t('Connect');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t('Connect to {0} to see its files.', listing?.label ?? host),
      connect,
    );
    if (answer !== connect || isAborted(this.#over.signal)) return;
    await vscode.commands.executeCommand(Command.connectHost, { kind: 'host', listing: { id: host } });
    if (this.#services.connections.state(host).k === 'ready' && !isAborted(this.#over.signal))
      this.#onConnected(host);
  }
}

/** A question has to be answered, or the way in was refused: nothing that comes right by itself. */
export function needsPerson(error: unknown): boolean {
  if (!isTermindError(error)) return false;
  const { code, stage } = error.fault;
  return code === 'answer-needed' || code === 'config-consent' || stage === 'auth' || stage === 'trust';
}
