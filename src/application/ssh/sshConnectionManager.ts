import { Emitter, isAborted, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import { isTermindError, localFault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { targetKey } from '../../domain/ssh/target.ts';
import type {
  ConnectionChange,
  ConnectionManager,
  ConnectionState,
  Lease,
  NegotiatedFacts,
  Purpose,
} from '../ports/connection.ts';
import type { HostDirectory, HostStorePort } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { TransportPort } from '../ports/transport.ts';
import { SharedConnection } from './sharedConnection.ts';
import { SharedWork } from './sharedWork.ts';

export interface SshConnectionManagerOptions {
  readonly directory: Pick<HostDirectory, 'target' | 'onDidChange'>;
  readonly transport: TransportPort;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Keeps the recents. */
  readonly history: Pick<HostStorePort, 'recordConnect'>;
}

interface HostEntry {
  state: ConnectionState;
  connection: SharedConnection | undefined;
  /** Resolving and connecting, shared by every caller for this host. */
  work: SharedWork<SharedConnection> | undefined;
  /** Which reading of the directory the connection came from. */
  generation: number;
}

/**
 * One shared connection per resolved target, whoever asks and for whatever purpose. A connection that ended is opened again by the next
 * `acquire`. State lives here only, comes from live events only and is never stored. Source: ssh.md 0.2, 1.1.
 */
export class SshConnectionManager implements ConnectionManager, Disposable {
  readonly #options: SshConnectionManagerOptions;
  readonly #changed: Emitter<ConnectionChange>;
  readonly #hosts = new Map<HostId, HostEntry>();
  readonly #connections = new Map<string, SharedConnection>();
  readonly #directory: Disposable;
  #generation = 0;
  #isDisposed = false;

  constructor(options: SshConnectionManagerOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('ssh', 'a listener failed', error));
    this.#directory = options.directory.onDidChange(() => (this.#generation += 1));
  }

  get onDidChange(): Event<ConnectionChange> {
    return this.#changed.event;
  }

  async acquire(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    if (this.#isDisposed) throw localFault('cancelled', { reason: 'the window closes' });
    const entry = this.#entry(host);
    for (;;) {
      const live = entry.connection;
      if (live?.isLive === true && entry.generation === this.#generation) return live.lease(purpose);
      if (entry.work?.isOpen !== true)
        entry.work = new SharedWork((work) => this.#connect({ host, entry }, work));
      const connection = await entry.work.join(signal);
      // It may have ended while this caller was being told.
      if (connection.isLive) return connection.lease(purpose);
      if (connection.state.k === 'stopped') throw faultError(connection.state.fault);
    }
  }

  state(host: HostId): ConnectionState {
    return this.#hosts.get(host)?.state ?? { k: 'idle' };
  }

  negotiated(host: HostId): NegotiatedFacts | undefined {
    return this.#hosts.get(host)?.connection?.facts;
  }

  disconnect(host: HostId): void {
    const entry = this.#hosts.get(host);
    entry?.work?.abort(localFault('cancelled'));
    entry?.connection?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#directory.dispose();
    for (const host of this.#hosts.keys()) this.disconnect(host);
    this.#changed.dispose();
  }

  #entry(host: HostId): HostEntry {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const entry: HostEntry = {
      state: { k: 'idle' },
      connection: undefined,
      work: undefined,
      generation: this.#generation,
    };
    this.#hosts.set(host, entry);
    return entry;
  }

  async #connect(
    { host, entry }: { readonly host: HostId; readonly entry: HostEntry },
    signal: AbortSignal,
  ): Promise<SharedConnection> {
    const wasLive = entry.connection?.isLive === true;
    if (!wasLive) this.#setState(host, { k: 'resolving' });
    const generation = this.#generation;
    try {
      const target = await this.#options.directory.target(host, signal);
      signal.throwIfAborted();
      const connection = this.#connectionTo(targetKey(target), target);
      entry.connection = connection;
      entry.generation = generation;
      if (connection.state.k !== 'idle') this.#setState(host, connection.state);
      if (connection.isLive) return connection;
      await connection.connect(signal);
      this.#record(host, true);
      return connection;
    } catch (error) {
      const wasGivenUp = isAborted(signal);
      const failure = isTermindError(error)
        ? error
        : localFault('internal', { reason: messageOf(error) }, error);
      if (!wasGivenUp) this.#record(host, false);
      if (this.state(host).k === 'resolving')
        this.#setState(host, wasGivenUp ? { k: 'idle' } : { k: 'stopped', fault: failure.fault });
      throw failure;
    }
  }

  #connectionTo(key: string, target: SharedConnection['target']): SharedConnection {
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const connection = new SharedConnection({
      target,
      transport: this.#options.transport,
      clock: this.#options.clock,
      onState: (state) => {
        for (const [host, entry] of this.#hosts)
          if (entry.connection === connection) this.#setState(host, state);
      },
    });
    this.#connections.set(key, connection);
    return connection;
  }

  #setState(host: HostId, state: ConnectionState): void {
    const entry = this.#entry(host);
    if (JSON.stringify(entry.state) === JSON.stringify(state)) return;
    entry.state = state;
    this.#changed.fire({ hostId: host, state });
  }

  #record(hostId: HostId, ok: boolean): void {
    const { history, clock, log } = this.#options;
    history.recordConnect({ hostId, at: clock.now(), ok }).catch((error: unknown) => {
      log.warn('ssh', `a connect could not be recorded: ${error instanceof Error ? error.name : 'error'}`);
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
