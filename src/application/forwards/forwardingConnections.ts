import { untilAborted, type Disposable, type Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
import type {
  ConnectionChange,
  ConnectionManager,
  ConnectionState,
  Lease,
  NegotiatedFacts,
  Purpose,
} from '../ports/connection.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { ForwardDirectory } from './forwardDirectory.ts';
import type { ForwardRegistry } from './forwardRegistry.ts';

export interface ForwardingConnectionsOptions {
  /** Disposed with this. */
  readonly connections: ConnectionManager;
  readonly directory: Pick<ForwardDirectory, 'mayHave' | 'of'>;
  readonly registry: Pick<ForwardRegistry, 'start' | 'state'>;
  readonly log: LogPort;
}

/**
 * Connections as every feature takes them: with a host that somebody connects to start those of its forwards that belong to the
 * connection. One of the configuration that must not fail fails the connection with it. Jump hosts on the way start none, as with `ssh`.
 * Source: ssh.md 6; ssh_config(5), ExitOnForwardFailure.
 */
export class ForwardingConnections implements ConnectionManager {
  readonly #options: ForwardingConnectionsOptions;
  /** Hosts whose forwards were started with the connection that is there now. */
  readonly #begun = new Map<HostId, Promise<Fault | undefined>>();
  readonly #over = new AbortController();
  readonly #heard: Disposable;

  constructor(options: ForwardingConnectionsOptions) {
    this.#options = options;
    this.#heard = options.connections.onDidChange(({ hostId, state }) => {
      if (state.k !== 'ready' && state.k !== 'suspect') this.#begun.delete(hostId);
    });
  }

  async acquire(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease> {
    return this.#withForwards(host, await this.#options.connections.acquire(host, purpose, signal), signal);
  }

  async acquireUnasked(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease> {
    const lease = await this.#options.connections.acquireUnasked(host, purpose, signal);
    return this.#withForwards(host, lease, signal);
  }

  state(host: HostId): ConnectionState {
    return this.#options.connections.state(host);
  }

  negotiated(host: HostId): NegotiatedFacts | undefined {
    return this.#options.connections.negotiated(host);
  }

  get onDidChange(): Event<ConnectionChange> {
    return this.#options.connections.onDidChange;
  }

  trace(host: HostId): readonly ConnectTrace[] {
    return this.#options.connections.trace(host);
  }

  keepConnected(host: HostId): Disposable {
    return this.#options.connections.keepConnected(host);
  }

  reconnectNow(host: HostId): void {
    this.#options.connections.reconnectNow(host);
  }

  disconnect(host: HostId): void {
    this.#options.connections.disconnect(host);
  }

  dispose(): void {
    this.#over.abort(new Error('the window closes'));
    this.#heard.dispose();
    this.#options.connections.dispose();
  }

  /** The lease, once the forwards of its connection have begun. */
  async #withForwards(host: HostId, lease: Lease, signal: AbortSignal): Promise<Lease> {
    let begun = this.#begun.get(host);
    if (begun === undefined) {
      begun = this.#begin(host);
      this.#begun.set(host, begun);
    }
    const fault = await untilAborted(begun, signal).catch((error: unknown) => {
      lease.release();
      throw error;
    });
    if (fault === undefined) return lease;
    lease.release();
    this.#options.connections.disconnect(host);
    throw faultError(fault);
  }

  /** Waits only for forwards that must not fail; resolves with the fault of one that did. */
  async #begin(host: HostId): Promise<Fault | undefined> {
    const { directory, registry, log } = this.#options;
    try {
      if (!(await directory.mayHave(host))) return undefined;
      const all = await directory.of(host, this.#over.signal);
      const needed = all
        .filter(({ autoStart }) => autoStart === 'withConnection')
        .map(async (forward) => {
          await registry.start(forward, { by: 'itself' });
          const state = registry.state(forward.id);
          const mustNot = forward.failsTheConnection && state.k === 'down' && state.why.k === 'fault';
          return mustNot ? state.why.fault : undefined;
        });
      const mayFail = all.every(({ failsTheConnection }) => !failsTheConnection);
      if (mayFail) return undefined;
      return (await Promise.all(needed)).find((fault) => fault !== undefined);
    } catch (error) {
      log.warn('forwards', `forwards could not be started: ${error instanceof Error ? error.name : 'error'}`);
      return undefined;
    }
  }
}
