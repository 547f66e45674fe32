import type { ClockPort, Disposable, RunId } from '../../agentkit/index.ts';
import { withinConnectionWait } from '../exec/connectionWait.ts';
import { placeKey, type HostPlace } from '../exec/hostPlace.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { BrowsedFiles } from './browsedFiles.ts';
import type { HeldFiles } from './heldFiles.ts';
import { openShownHost, type ShownHostPorts } from './openShownHost.ts';

/** Files of hosts for the calls of a run. */
export interface ToolFilesPort {
  /**
   * Runs `work` with the files of the host as it was shown. Only reading (`isRepeatable`) goes on over a new channel when the old one is
   * lost. Rejects as opening or as `work` does, with `otherHost` when the host leads somewhere else than was shown, and with `connectionWait`
   * when connecting took too long.
   */
  use<T>(
    order: { readonly run: RunId; readonly host: HostPlace; readonly isRepeatable: boolean },
    work: (files: RemoteFiles) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

export interface RunFilesOptions extends ShownHostPorts {
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly clock: ClockPort;
}

/**
 * One channel for each host and run, opened at its first use. It is closed when the run ends, and earlier when it is idle. Disposing closes
 * all. Source: ssh.md 1.1.
 */
export class RunFiles implements ToolFilesPort, Disposable {
  readonly #options: RunFilesOptions;
  readonly #runs = new Map<RunId, Map<string, BrowsedFiles>>();

  constructor(options: RunFilesOptions) {
    this.#options = options;
  }

  use<T>(
    { run, host, isRepeatable }: Parameters<ToolFilesPort['use']>[0],
    work: (files: RemoteFiles) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const hosts = this.#runs.get(run) ?? new Map<string, BrowsedFiles>();
    this.#runs.set(run, hosts);
    const place = placeKey(host);
    const files =
      hosts.get(place) ??
      new BrowsedFiles({ open: (own) => this.#open(host, own), clock: this.#options.clock });
    hosts.set(place, files);
    return files.use(work, { isRepeatable }, signal);
  }

  /** The run is over. */
  end(run: RunId): void {
    for (const files of this.#runs.get(run)?.values() ?? []) files.dispose();
    this.#runs.delete(run);
  }

  dispose(): void {
    for (const run of [...this.#runs.keys()]) this.end(run);
  }

  #open(host: HostPlace, signal: AbortSignal): Promise<HeldFiles> {
    const { connections, clock } = this.#options;
    const connect = async (limited: AbortSignal): Promise<HeldFiles> => {
      const lease = await connections.acquire(host.id, 'agent-sftp', limited);
      return openShownHost({ lease, host }, this.#options, limited);
    };
    return withinConnectionWait(clock, connect, signal);
  }
}
