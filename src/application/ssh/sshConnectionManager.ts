import {
  Emitter,
  isAborted,
  neverAborted,
  type ClockPort,
  type Disposable,
  type Event,
} from '../../agentkit/index.ts';
import {
  isTermindError,
  localFault,
  type Fault,
  type FaultCode,
  type TermindError,
} from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { hopsOf } from '../../domain/ssh/route.ts';
import { targetKey, type Target } from '../../domain/ssh/target.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
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
import type { WakeSignalsPort } from '../ports/wakeSignals.ts';
import { AttemptLimiter } from './attemptLimiter.ts';
import { ReconnectLoop } from './reconnectLoop.ts';
import { SharedConnection } from './sharedConnection.ts';
import { SharedWork } from './sharedWork.ts';
import { WakeWatch } from './wakeWatch.ts';

export interface SshConnectionManagerOptions {
  readonly directory: Pick<HostDirectory, 'target' | 'onDidChange'>;
  readonly transport: TransportPort;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Keeps the recents. */
  readonly history: Pick<HostStorePort, 'recordConnect'>;
  /** Absent where nobody tells. */
  readonly signals?: WakeSignalsPort | undefined;
  /** Between 0 and 1, for the delays of reconnects. */
  readonly random: () => number;
}

interface HostEntry {
  readonly host: HostId;
  state: ConnectionState;
  connection: SharedConnection | undefined;
  /** Resolving and connecting, shared by every caller for this host. */
  work: SharedWork<SharedConnection> | undefined;
  /** Which reading of the directory the connection came from. */
  generation: number;
  /** How many of those who wait may be asked questions. */
  askers: number;
  /** Who wants the host connected again after a network fault. */
  readonly interests: Set<object>;
  loop: ReconnectLoop | undefined;
  /** When the state came, by the monotonic clock. */
  since: number;
}

/** Leases for these want their host back. Source: ssh.md 1.7. */
const lastingPurposes: ReadonlySet<Purpose> = new Set<Purpose>(['terminal', 'forward', 'sftp-browse']);

/** What nobody at the keyboard asks for. A sign-in that was refused is not tried again for these, or the server bans the address. */
const unattendedPurposes: ReadonlySet<Purpose> = new Set<Purpose>(['agent-exec', 'agent-sftp', 'metrics']);
const refusedSignIns: ReadonlySet<FaultCode> = new Set<FaultCode>(['auth-failed', 'auth-budget']);
/** Unless a person connects or the host changes before. Source: ssh.md 1.7, of attempts that ban. */
const refusalHoldsMs = 600_000;

/** How long a connection has to answer when the line may have changed. Source: ssh.md 1.6. */
const checkMs = 5_000;

/**
 * One shared connection per resolved target, whoever asks and for whatever purpose; jump hosts are connections like any other. One that
 * was lost by a network fault while somebody wants it is opened again by itself; every other one by the next `acquire`. State lives here
 * only, comes from live events only and is never stored. Source: ssh.md 0.2, 1.1, 1.6, 1.7.
 */
export class SshConnectionManager implements ConnectionManager, Disposable {
  readonly #options: SshConnectionManagerOptions;
  readonly #changed: Emitter<ConnectionChange>;
  readonly #hosts = new Map<HostId, HostEntry>();
  readonly #connections = new Map<string, SharedConnection>();
  readonly #subscriptions: readonly (Disposable | undefined)[];
  readonly #limiter = new AttemptLimiter();
  readonly #wake: WakeWatch;
  /** The transport, with every attempt counted. */
  readonly #transport: TransportPort;
  #generation = 0;
  #isDisposed = false;

  constructor(options: SshConnectionManagerOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('ssh', 'a listener failed', error));
    this.#transport = {
      open: (request, signal) => {
        this.#limiter.note(addressOf(request.target), options.clock.monotonic());
        return options.transport.open(request, signal);
      },
    };
    this.#wake = new WakeWatch(options.clock, () => this.#lineMayHaveChanged());
    this.#subscriptions = [
      options.directory.onDidChange(() => (this.#generation += 1)),
      options.signals?.onSignal((signal) =>
        signal === 'network' ? this.#lineMayHaveChanged() : this.#checkAll(),
      ),
    ];
  }

  get onDidChange(): Event<ConnectionChange> {
    return this.#changed.event;
  }

  async acquire(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const entry = this.#entry(host);
    const refusal = unattendedPurposes.has(purpose) ? this.#standingRefusal(entry) : undefined;
    if (refusal !== undefined) throw faultError({ ...refusal, outcome: 'not-sent' });
    const asked = this.#generation;
    for (;;) {
      const live = entry.connection;
      if (live?.isLive === true && entry.generation === this.#generation)
        return this.#lease(entry, live, purpose);
      const connection = await this.#asking(entry, signal);
      // Work that was joined may have been resolved before the change that this caller knows of.
      if (connection !== undefined && entry.generation < asked) continue;
      // It may have ended while this caller was being told.
      if (connection?.isLive === true) return this.#lease(entry, connection, purpose);
      if (connection?.state.k === 'stopped') throw faultError(connection.state.fault);
    }
  }

  async acquireUnasked(host: HostId, purpose: Purpose, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const entry = this.#entry(host);
    const refusal = this.#standingRefusal(entry);
    if (refusal !== undefined) throw faultError({ ...refusal, outcome: 'not-sent' });
    const asked = this.#generation;
    const live = entry.generation === asked ? entry.connection : undefined;
    let connection = live?.isLive === true ? live : await this.#reach(entry, signal);
    // As in `acquire`.
    while (entry.generation < asked) connection = await this.#reach(entry, signal);
    if (!connection.isLive && connection.state.k === 'stopped') throw faultError(connection.state.fault);
    return this.#lease(entry, connection, purpose);
  }

  state(host: HostId): ConnectionState {
    return this.#hosts.get(host)?.state ?? { k: 'idle' };
  }

  negotiated(host: HostId): NegotiatedFacts | undefined {
    return this.#hosts.get(host)?.connection?.facts;
  }

  trace(host: HostId): readonly ConnectTrace[] {
    return this.#hosts.get(host)?.connection?.traces ?? [];
  }

  keepConnected(host: HostId): Disposable {
    return this.#interest(this.#entry(host));
  }

  reconnectNow(host: HostId): void {
    const entry = this.#entry(host);
    if (entry.connection?.isLive === true) return;
    // Its state tells how it goes.
    this.#asking(entry, neverAborted).catch(() => {});
  }

  disconnect(host: HostId): void {
    const entry = this.#hosts.get(host);
    if (entry === undefined) return;
    this.#endLoop(entry);
    entry.work?.abort(localFault('cancelled'));
    entry.connection?.dispose();
    if (entry.state.k === 'waiting') this.#setState(entry, { k: 'idle' });
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const subscription of this.#subscriptions) subscription?.dispose();
    for (const host of this.#hosts.keys()) this.disconnect(host);
    for (const connection of this.#connections.values()) connection.dispose();
    this.#wake.dispose();
    this.#changed.dispose();
  }

  #entry(host: HostId): HostEntry {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const entry: HostEntry = {
      host,
      state: { k: 'idle' },
      connection: undefined,
      work: undefined,
      generation: this.#generation,
      askers: 0,
      interests: new Set(),
      loop: undefined,
      since: this.#options.clock.monotonic(),
    };
    this.#hosts.set(host, entry);
    return entry;
  }

  /** The refusal of the last sign-in, while trying the same again would only be refused again. */
  #standingRefusal({ state, generation, since }: HostEntry): Fault | undefined {
    if (state.k !== 'stopped' || !refusedSignIns.has(state.fault.code)) return undefined;
    const isOld = this.#options.clock.monotonic() - since >= refusalHoldsMs;
    return isOld || generation !== this.#generation ? undefined : state.fault;
  }

  #lease(entry: HostEntry, connection: SharedConnection, purpose: Purpose): Lease {
    if (!lastingPurposes.has(purpose)) return connection.lease(purpose);
    const interest = this.#interest(entry);
    return connection.lease(purpose, () => interest.dispose());
  }

  #interest(entry: HostEntry): Disposable {
    const interest = {
      dispose: () => {
        entry.interests.delete(interest);
        if (entry.interests.size > 0 || entry.loop === undefined) return;
        const { fault } = entry.loop;
        this.#endLoop(entry);
        this.#setState(entry, { k: 'stopped', fault });
      },
    };
    entry.interests.add(interest);
    return interest;
  }

  /** Waits for the host on behalf of somebody who may be asked. Undefined: an attempt that nobody could be asked in has just failed. */
  async #asking(entry: HostEntry, signal: AbortSignal): Promise<SharedConnection | undefined> {
    entry.askers += 1;
    try {
      return await this.#reach(entry, signal);
    } catch (error) {
      if (isTermindError(error) && error.fault.code === 'answer-needed' && !isAborted(signal))
        return undefined;
      throw error;
    } finally {
      entry.askers -= 1;
    }
  }

  /** Joins the work for this host, or begins it. */
  #reach(entry: HostEntry, signal: AbortSignal): Promise<SharedConnection> {
    if (this.#isDisposed) throw localFault('cancelled', { reason: 'the window closes' });
    if (entry.work?.isOpen !== true) entry.work = new SharedWork((work) => this.#connect(entry, work));
    return entry.work.join(signal);
  }

  async #connect(entry: HostEntry, signal: AbortSignal): Promise<SharedConnection> {
    const wasLive = entry.connection?.isLive === true;
    if (!wasLive) this.#setState(entry, { k: 'resolving' });
    const generation = this.#generation;
    try {
      const target = await this.#options.directory.target(entry.host, signal);
      signal.throwIfAborted();
      const connection = this.#connectionTo(target);
      this.#use(entry, connection, generation);
      if (connection.state.k !== 'idle' && connection.state.k !== 'stopped')
        this.#setState(entry, connection.state);
      if (connection.isLive) return connection;
      await connection.connect({ mayAsk: () => entry.askers > 0, hops: hopsOf(target).length }, signal);
      this.#record(entry, true);
      return connection;
    } catch (error) {
      const wasGivenUp = isAborted(signal);
      const failure: TermindError = isTermindError(error)
        ? error
        : localFault('internal', { reason: messageOf(error) }, error);
      if (!wasGivenUp) this.#record(entry, false);
      if (entry.state.k === 'resolving')
        this.#onState(entry, wasGivenUp ? { k: 'idle' } : { k: 'stopped', fault: failure.fault });
      throw failure;
    }
  }

  /** The one connection to a target. A jump host shows its state like any host, but whoever asks for it resolves it first. */
  #connectionTo(target: Target): SharedConnection {
    const key = targetKey(target);
    const via = target.route.k === 'jump' ? this.#connectionTo(target.route.via) : undefined;
    const known = this.#connections.get(key);
    known?.renew(target);
    const connection = known ?? this.#newConnection(key, { target, via });
    const own = this.#entry(target.hostId);
    const isBusy = own.work?.isOpen === true || own.loop !== undefined || own.connection?.isLive === true;
    if (!isBusy && own.connection !== connection) {
      this.#use(own, connection, -1);
      if (connection.isLive) this.#setState(own, connection.state);
    }
    return connection;
  }

  #newConnection(key: string, { target, via }: Pick<SharedConnection, 'target' | 'via'>): SharedConnection {
    const { clock } = this.#options;
    const connection = new SharedConnection({ target, via, transport: this.#transport, clock });
    this.#connections.set(key, connection);
    connection.onDidChange((state) => {
      for (const entry of this.#hosts.values())
        if (entry.connection === connection) this.#onState(entry, state);
      this.#afterChange();
    });
    return connection;
  }

  #use(entry: HostEntry, connection: SharedConnection, generation: number): void {
    entry.connection = connection;
    entry.generation = generation;
  }

  /** What became of a host: shown, unless it is one step of getting it back. */
  #onState(entry: HostEntry, state: ConnectionState): void {
    const wasConnected = entry.state.k === 'ready' || entry.state.k === 'suspect';
    if (state.k === 'stopped') {
      if (entry.loop !== undefined) {
        if (!entry.loop.isTrying) entry.loop.failed(state.fault);
        return;
      }
      if (wasConnected && state.fault.retry === 'backoff' && entry.interests.size > 0)
        return this.#beginLoop(entry, state.fault);
    }
    // Somebody else's attempt was given up; a disconnect has ended the loop before.
    if (state.k === 'idle' && entry.loop !== undefined) return entry.loop.announce();
    if (state.k === 'ready') this.#endLoop(entry);
    this.#setState(entry, state);
    if (state.k === 'ready' && !wasConnected) this.#jumpHostIsBack(entry.connection);
  }

  #beginLoop(entry: HostEntry, fault: Fault): void {
    const { clock, random } = this.#options;
    const give = (state: ConnectionState): void => this.#setState(entry, state);
    entry.loop = new ReconnectLoop(fault, {
      clock,
      random,
      waitMs: () =>
        entry.connection === undefined
          ? 0
          : this.#limiter.waitMs(firstClosed(entry.connection), clock.monotonic()),
      attempt: async (signal) => {
        await this.#reach(entry, signal);
      },
      onWaiting: (waiting) => give({ k: 'waiting', ...waiting }),
      onStopped: (last) => {
        this.#endLoop(entry);
        give({ k: 'stopped', fault: last });
      },
    });
  }

  #endLoop(entry: HostEntry): void {
    const { loop } = entry;
    entry.loop = undefined;
    loop?.dispose();
  }

  /** Those who wait behind it need not wait any longer. */
  #jumpHostIsBack(connection: SharedConnection | undefined): void {
    for (const { loop, connection: waiting } of this.#hosts.values())
      if (
        loop !== undefined &&
        waiting !== undefined &&
        waiting !== connection &&
        isBehind(waiting, connection)
      )
        loop.now();
  }

  /** Wake and network change: probe what is open, and try what waits. */
  #lineMayHaveChanged(): void {
    this.#checkAll();
    for (const { loop } of this.#hosts.values()) loop?.now();
  }

  #checkAll(): void {
    for (const connection of this.#connections.values()) connection.check(checkMs);
  }

  /** Forgets connections that nothing refers to any more, and watches for sleep only while there is something to lose. */
  #afterChange(): void {
    const used = new Set<SharedConnection>();
    const use = (connection: SharedConnection | undefined): void => {
      if (connection === undefined) return;
      used.add(connection);
      use(connection.via);
    };
    for (const { connection } of this.#hosts.values()) use(connection);
    for (const connection of this.#connections.values())
      if (connection.isLive || connection.isConnecting) use(connection);
    for (const [key, connection] of this.#connections)
      if (!used.has(connection)) this.#connections.delete(key);
    this.#watchForSleep();
  }

  #watchForSleep(): void {
    const isAnyLive = [...this.#connections.values()].some((connection) => connection.isLive);
    const isAnyWaiting = [...this.#hosts.values()].some(({ loop }) => loop !== undefined);
    this.#wake.need(!this.#isDisposed && (isAnyLive || isAnyWaiting));
  }

  #setState(entry: HostEntry, state: ConnectionState): void {
    if (JSON.stringify(entry.state) === JSON.stringify(state)) return;
    entry.state = state;
    entry.since = this.#options.clock.monotonic();
    this.#changed.fire({ hostId: entry.host, state });
    this.#watchForSleep();
  }

  /** Recents are what somebody wanted, not what is tried by itself. */
  #record(entry: HostEntry, ok: boolean): void {
    if (entry.askers === 0) return;
    const { history, clock, log } = this.#options;
    history.recordConnect({ hostId: entry.host, at: clock.now(), ok }).catch((error: unknown) => {
      log.warn('ssh', `a connect could not be recorded: ${error instanceof Error ? error.name : 'error'}`);
    });
  }
}

/** The server that an attempt would reach first. */
function firstClosed({ via, target }: SharedConnection): string {
  return via !== undefined && !via.isLive ? firstClosed(via) : addressOf(target);
}

function addressOf({ addresses, port }: Target): string {
  return `${addresses[0] ?? ''}:${String(port)}`;
}

function isBehind(connection: SharedConnection, hop: SharedConnection | undefined): boolean {
  const { via } = connection;
  return via !== undefined && (via === hop || isBehind(via, hop));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
