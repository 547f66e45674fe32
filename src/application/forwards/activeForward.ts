import type { Duplex } from 'node:stream';
import { isAborted, untilAborted, type ClockPort } from '../../agentkit/index.ts';
import { faultOf, localFault, type Fault } from '../../domain/fault.ts';
import type { ForwardBind, ForwardDestination } from '../../domain/forward/forward.ts';
import { bindText } from '../../domain/forward/forwardText.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import type { ConnectionManager, Lease, RemoteBind, RemoteListener } from '../ports/connection.ts';
import type { LocalClient, LocalListener, LocalNetworkPort } from '../ports/forwards.ts';
import { ForwardClients, type Dial } from './forwardClients.ts';
import type { ForwardCounters, ForwardDown, ForwardState } from './forwardState.ts';
import type { KnownForward } from './knownForward.ts';

export type ForwardConnections = Pick<
  ConnectionManager,
  'acquire' | 'state' | 'onDidChange' | 'keepConnected'
>;

export interface ActiveForwardOptions {
  readonly forward: KnownForward;
  /** Listens on this local port in the place of the forward's own; 0 = one that is free. */
  readonly port?: number | undefined;
  readonly connections: ForwardConnections;
  readonly network: LocalNetworkPort;
  readonly clock: ClockPort;
  readonly onState: () => void;
  readonly onCounters: () => void;
}

/** How long a new client is held while the connection is coming back. Source: ssh.md 6. */
const holdMs = 3_000;

/** When to listen again on a side that did listen before: an old session of the server may still hold its port. */
const againMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
const longestAgainMs = 60_000;

/**
 * One forward that somebody wants. It connects its host, listens, and after a reconnect listens again on the same port, the old listener
 * closed and awaited first. A listener that could not be had at the start is left down; one that was lost is tried again. The owner stops
 * it. Source: ssh.md 6.
 */
export class ActiveForward {
  /** Resolves when it listens for the first time; rejects with what kept it from that. */
  readonly started: Promise<void>;
  readonly #options: ActiveForwardOptions;
  readonly #over = new AbortController();
  readonly #clients: ForwardClients;
  readonly #held = new Set<(lease: Lease | undefined) => void>();
  readonly #ended: Promise<void>;
  #state: ForwardState = { k: 'starting' };
  #lease: Lease | undefined;
  #local: LocalListener | undefined;
  #remote: RemoteListener | undefined;
  /** Where it listened last. */
  #at: ForwardBind | undefined;
  #isOver = false;
  #tellStarted: () => void = () => {};
  #tellNotStarted: (error: Error) => void = () => {};

  constructor(options: ActiveForwardOptions) {
    const { forward, clock, onCounters } = options;
    this.#options = options;
    const { destination, permittedOpens } = forward;
    this.#clients = new ForwardClients({ clock, destination, permittedOpens, onChange: onCounters });
    this.started = new Promise((resolve, reject) => {
      this.#tellStarted = resolve;
      this.#tellNotStarted = reject;
    });
    this.started.catch(() => {});
    this.#ended = this.#run(this.#over.signal);
  }

  get state(): ForwardState {
    return this.#state;
  }

  /** It does nothing more: it was stopped, or could not listen at the start. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get counters(): ForwardCounters {
    return this.#clients.counters;
  }

  /** Ends its clients. Resolves when its port is free again. */
  async stop(): Promise<void> {
    this.#over.abort(localFault('cancelled', { reason: 'the forward was stopped' }));
    await this.#ended;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { connections, forward } = this.#options;
    const interest = connections.keepConnected(forward.host.id);
    try {
      await this.#keepListening(signal);
    } catch (error) {
      this.#isOver = true;
      if (!isAborted(signal)) this.#down(faultOf(error));
      this.#tellNotStarted(errorOf(error));
    } finally {
      await this.#closeListeners();
      this.#detach();
      interest.dispose();
      if (isAborted(signal)) this.#setState({ k: 'stopped' });
    }
  }

  async #keepListening(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let lease = await this.#firstLease(signal);
    for (let failures = 0; ;) {
      lease ??= await this.#nextLease(signal);
      try {
        await this.#listen(lease, signal);
      } catch (error) {
        lease.release();
        lease = undefined;
        if (isAborted(signal) || this.#at === undefined) throw error;
        this.#down(faultOf(error));
        await clock.sleep(againMs[failures] ?? longestAgainMs, signal);
        failures += 1;
        continue;
      }
      failures = 0;
      this.#attach(lease);
      const cause = await untilAborted(this.#lostOf(lease), signal);
      this.#detach();
      lease = undefined;
      this.#down(cause);
    }
  }

  /** Undefined: it could not be connected now, which was told; the connection may come later. */
  async #firstLease(signal: AbortSignal): Promise<Lease | undefined> {
    const { connections, forward } = this.#options;
    try {
      return await connections.acquire(forward.host.id, 'forward', signal);
    } catch (error) {
      if (isAborted(signal)) throw error;
      this.#down(faultOf(error));
      this.#tellNotStarted(errorOf(error));
      return undefined;
    }
  }

  /** Waits until the host is connected again, by whomever. Gives up the port when nobody tries any more. */
  async #nextLease(signal: AbortSignal): Promise<Lease> {
    const { connections, forward } = this.#options;
    const { id } = forward.host;
    for (;;) {
      const change = this.#nextChange(signal);
      const state = connections.state(id);
      if (state.k === 'ready' || state.k === 'suspect') {
        try {
          return await connections.acquire(id, 'forward', signal);
        } catch (error) {
          this.#down(faultOf(error));
        }
      } else if (state.k === 'stopped' || state.k === 'idle') {
        this.#release(undefined);
        this.#setState({
          k: 'down',
          why: state.k === 'stopped' ? { k: 'fault', fault: state.fault } : { k: 'disconnected' },
        });
        await this.#closeListeners();
      }
      await change;
    }
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    const { connections, forward } = this.#options;
    return new Promise((resolve, reject) => {
      const stopped = (): void => {
        heard.dispose();
        reject(errorOf(signal.reason));
      };
      const heard = connections.onDidChange(({ hostId }) => {
        if (hostId !== forward.host.id) return;
        heard.dispose();
        signal.removeEventListener('abort', stopped);
        resolve();
      });
      signal.addEventListener('abort', stopped, { once: true });
      if (signal.aborted) stopped();
    });
  }

  async #listen(lease: Lease, signal: AbortSignal): Promise<void> {
    if (this.#options.forward.kind === 'remote') await this.#listenOnServer(lease, signal);
    else if (this.#local === undefined) await this.#listenHere(signal);
  }

  async #listenHere(signal: AbortSignal): Promise<void> {
    const { forward, network, port } = this.#options;
    const wanted =
      this.#at ?? (port === undefined || 'path' in forward.bind ? forward.bind : { ...forward.bind, port });
    const { sockets } = forward;
    this.#local = await network.listen(
      { bind: wanted, sockets, onClient: (client) => this.#serveHere(client) },
      signal,
    );
    this.#at = this.#local.at;
  }

  async #listenOnServer(lease: Lease, signal: AbortSignal): Promise<void> {
    const { forward, network } = this.#options;
    const { bind } = forward;
    const last = this.#at;
    const asked = remoteBind(bind);
    const dial: Dial = (to, stop) => network.dial(to, stop);
    const listen = (at: RemoteBind): Promise<RemoteListener> =>
      lease.listen(at, (client) => void this.#clients.serve(client, async () => dial), signal);
    const isChosen = 'port' in asked && asked.port === 0;
    this.#remote =
      isChosen && last !== undefined
        ? await listen(remoteBind(last)).catch((error: unknown) => {
            if (isAborted(signal)) throw error;
            return listen(asked);
          })
        : await listen(asked);
    const { port } = this.#remote;
    this.#at = 'path' in bind || port === undefined ? bind : { ...bind, port };
  }

  #serveHere(client: LocalClient): void {
    void this.#clients.serve(client, async () => {
      const lease = this.#lease ?? (this.#isComingBack() ? await this.#hold() : undefined);
      if (lease === undefined) return undefined;
      const { originator } = client;
      const dial: Dial = (to: ForwardDestination, signal: AbortSignal): Promise<Duplex> =>
        lease.direct('path' in to || originator === undefined ? to : { ...to, originator }, signal);
      return dial;
    });
  }

  /** A reconnect is under way, or about to be. */
  #isComingBack(): boolean {
    const { connections, forward, clock } = this.#options;
    const state = connections.state(forward.host.id);
    if (state.k === 'waiting') return state.at !== undefined && state.at - clock.now() <= holdMs;
    return (
      state.k === 'resolving' || state.k === 'connecting' || state.k === 'ready' || state.k === 'suspect'
    );
  }

  #hold(): Promise<Lease | undefined> {
    return new Promise((resolve) => {
      const settle = (lease: Lease | undefined): void => {
        timer.dispose();
        this.#held.delete(settle);
        resolve(lease);
      };
      const timer = this.#options.clock.after(holdMs, () => settle(undefined));
      this.#held.add(settle);
    });
  }

  #release(lease: Lease | undefined): void {
    for (const settle of [...this.#held]) settle(lease);
  }

  /** By what it no longer serves: the connection or its own listener. */
  #lostOf(lease: Lease): Promise<Fault> {
    const failed = this.#local?.failed.then(async (error) => {
      await this.#closeListeners();
      const at = bindText(this.#options.forward.bind);
      return localFault('listen-failed', { at, reason: error.message }, error).fault;
    });
    return failed === undefined ? lease.lost : Promise.race([lease.lost, failed]);
  }

  #attach(lease: Lease): void {
    this.#lease = lease;
    if (this.#at !== undefined) this.#setState({ k: 'listening', at: this.#at });
    this.#tellStarted();
    this.#release(lease);
  }

  #detach(): void {
    this.#lease?.release();
    this.#lease = undefined;
    this.#remote = undefined;
    if (isAborted(this.#over.signal)) this.#release(undefined);
  }

  async #closeListeners(): Promise<void> {
    const local = this.#local;
    const remote = this.#remote;
    this.#local = undefined;
    this.#remote = undefined;
    this.#clients.dispose();
    await Promise.all([local?.close(), remote?.close()]);
  }

  #down(fault: Fault): void {
    const why: ForwardDown = fault.code === 'cancelled' ? { k: 'disconnected' } : { k: 'fault', fault };
    this.#setState({ k: 'down', why });
  }

  #setState(state: ForwardState): void {
    this.#state = state;
    this.#options.onState();
  }
}

/** What names no address is for the server itself. Source: RFC 4254 section 7.1; OpenSSH `channel_rfwd_bind_host`. */
export function remoteBind(bind: ForwardBind): RemoteBind {
  return 'path' in bind ? bind : { address: bind.host ?? 'localhost', port: bind.port };
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : faultError(localFault('internal', { reason: String(error) }).fault);
}
