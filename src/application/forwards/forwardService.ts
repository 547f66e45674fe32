import type { ClockPort, Disposable, Event } from '../../agentkit/index.ts';
import type { ForwardId, ForwardSpec } from '../../domain/forward/forward.ts';
import type { ListeningPort } from '../../domain/forward/listeningPorts.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import type { LocalNetworkPort } from '../ports/forwards.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { ForwardDirectory } from './forwardDirectory.ts';
import type { ForwardRegistry, StartForward } from './forwardRegistry.ts';
import type { ForwardCounters, ForwardState } from './forwardState.ts';
import type { KnownForward } from './knownForward.ts';
import { listRemotePorts } from './listRemotePorts.ts';
import { whyDown, type CheckedForward } from './whyDown.ts';

export interface ForwardServiceOptions {
  readonly directory: ForwardDirectory;
  readonly registry: ForwardRegistry;
  /** As every feature takes them. */
  readonly connections: ConnectionManager;
  readonly network: LocalNetworkPort;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** Everything a view does with forwards. What is removed, here or in another window, is stopped. The owner disposes it. */
export class ForwardService implements Disposable {
  readonly #options: ForwardServiceOptions;
  readonly #heard: Disposable;
  readonly #over = new AbortController();

  constructor(options: ForwardServiceOptions) {
    this.#options = options;
    this.#heard = options.directory.onDidChange(() => void this.#forgetRemoved());
  }

  /** State or counters of one have changed. */
  get onDidChange(): Event<ForwardId> {
    return this.#options.registry.onDidChange;
  }

  /** Starts what starts at the first use of Termind in a window. Never rejects. */
  async atFirstUse(): Promise<void> {
    const { directory, registry, log } = this.#options;
    try {
      const wanted = await directory.atFirstUse(this.#over.signal);
      await Promise.all(wanted.map((forward) => registry.start(forward, { by: 'itself' })));
    } catch (error) {
      log.warn('forwards', `forwards could not be started: ${error instanceof Error ? error.name : 'error'}`);
    }
  }

  hosts(): Promise<readonly HostListing[]> {
    return this.#options.directory.hosts();
  }

  of(host: HostId, signal: AbortSignal): Promise<readonly KnownForward[]> {
    return this.#options.directory.of(host, signal);
  }

  state(id: ForwardId): ForwardState {
    return this.#options.registry.state(id);
  }

  counters(id: ForwardId): ForwardCounters {
    return this.#options.registry.counters(id);
  }

  start(forward: KnownForward, how: StartForward): Promise<void> {
    return this.#options.registry.start(forward, how);
  }

  stop(id: ForwardId): Promise<void> {
    return this.#options.registry.stop(id);
  }

  /** Stores a new or changed one. One that runs is stopped first, because it is another one now. */
  async put(host: HostListing, spec: ForwardSpec): Promise<void> {
    await this.#options.directory.put(host, spec);
    await this.#options.registry.forget(spec.id);
  }

  async remove(host: HostId, id: ForwardId): Promise<void> {
    await this.#options.directory.remove(host, id);
    await this.#options.registry.forget(id);
  }

  why(forward: KnownForward, signal: AbortSignal): Promise<readonly CheckedForward[]> {
    return whyDown({ forward, state: this.state(forward.id) }, this.#options, signal);
  }

  remotePorts(host: HostId, signal: AbortSignal): Promise<readonly ListeningPort[] | undefined> {
    return listRemotePorts(host, this.#options, signal);
  }

  dispose(): void {
    this.#over.abort(new Error('the window closes'));
    this.#heard.dispose();
  }

  async #forgetRemoved(): Promise<void> {
    const { directory, registry, log } = this.#options;
    try {
      for (const forward of registry.started)
        if (!(await directory.isThere(forward))) await registry.forget(forward.id);
    } catch (error) {
      log.warn(
        'forwards',
        `removed forwards could not be found: ${error instanceof Error ? error.name : 'error'}`,
      );
    }
  }
}
