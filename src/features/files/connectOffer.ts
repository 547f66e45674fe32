import * as vscode from 'vscode';
import { isAborted, type Disposable } from '../../agentkit/index.ts';
import { placeKey, type FilesPlace } from '../../application/files/documents/documentFiles.ts';
import type { ElevatedPlace } from '../../application/files/elevatedPlaces.ts';
import { isTermindError } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { Command } from '../../ids.ts';
import type { FilesServices } from './filesPorts.ts';
import { elevate } from './sudoCommands.ts';

export interface ConnectOffersOptions {
  readonly services: Pick<FilesServices, 'hosts' | 'connections' | 'elevated'>;
  /** The person has done what was needed, so what failed may be asked for again. */
  readonly onConnected: (place: FilesPlace) => void;
  readonly describeError: (error: unknown) => string;
}

/**
 * Offers to connect a host whose files could not be reached because a person is needed: one notification for each host at a time, however
 * many files are asked for. Source: vscode.md 7, "First access connects".
 */
export class ConnectOffers implements Disposable {
  readonly #options: ConnectOffersOptions;
  readonly #shown = new Set<string>();
  readonly #over = new AbortController();

  constructor(options: ConnectOffersOptions) {
    this.#options = options;
  }

  /** Whether this error is of a place that a person has to open; then that is offered. */
  offerFor({ host, as }: FilesPlace, error: unknown): boolean {
    if (!needsPerson(error)) return false;
    const place: FilesPlace = as === undefined ? { host } : { host, as };
    const key = placeKey(place);
    if (!this.#shown.has(key)) {
      this.#shown.add(key);
      const offered = as === undefined ? this.#offer(host) : this.#offerRights({ host, as });
      void offered.finally(() => this.#shown.delete(key));
    }
    return true;
  }

  dispose(): void {
    this.#over.abort();
  }

  async #offer(host: HostId): Promise<void> {
    const listing = await this.#options.services.hosts.get(host);
    const connect = vscode.l10n.t('Connect');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t('Connect to {0} to see its files.', listing?.label ?? host),
      connect,
    );
    if (answer !== connect || isAborted(this.#over.signal)) return;
    await vscode.commands.executeCommand(Command.connectHost, { kind: 'host', listing: { id: host } });
    if (this.#options.services.connections.state(host).k === 'ready' && !isAborted(this.#over.signal))
      this.#options.onConnected({ host });
  }

  /** An editor that the window brings back is no reason to ask for a password unasked. Source: ssh.md 8.6. */
  async #offerRights(place: ElevatedPlace): Promise<void> {
    const listing = await this.#options.services.hosts.get(place.host);
    const go = vscode.l10n.t('Continue…');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'Files of {0} are open with the rights of {1}, which need the password of sudo again.',
        listing?.label ?? place.host,
        place.as,
      ),
      go,
    );
    if (answer !== go || isAborted(this.#over.signal)) return;
    const { services, onConnected, describeError } = this.#options;
    try {
      if (await elevate(services, place)) onConnected(place);
    } catch (error) {
      void vscode.window.showErrorMessage(describeError(error));
    }
  }
}

/** A question has to be answered, or the way in was refused: nothing that comes right by itself. */
export function needsPerson(error: unknown): boolean {
  if (!isTermindError(error)) return false;
  const { code, stage } = error.fault;
  return code === 'answer-needed' || code === 'config-consent' || stage === 'auth' || stage === 'trust';
}
