import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import { localFault, isTermindError, type Fault } from '../../domain/fault.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import type { Target } from '../../domain/ssh/target.ts';
import { ConnectTrace } from '../../domain/ssh/trace.ts';
import type { Channels, ConnectionState, Lease, NegotiatedFacts, Purpose } from '../ports/connection.ts';
import type { Transport, TransportPort } from '../ports/transport.ts';
import { SharedWork } from './sharedWork.ts';

export interface SharedConnectionOptions {
  readonly target: Target;
  readonly transport: TransportPort;
  readonly clock: ClockPort;
  readonly onState: (state: ConnectionState) => void;
}

/** How long a connection outlives its last lease. Source: ssh.md 1.1. */
const idleMs = 60_000;

/**
 * The one connection to a target: at most one attempt and one transport at a time, shared by every lease. Disposing closes it at once.
 */
export class SharedConnection implements Disposable {
  readonly target: Target;
  readonly #options: SharedConnectionOptions;
  #attempt: SharedWork<Transport> | undefined;
  #transport: Transport | undefined;
  #liveness: Disposable | undefined;
  #idle: Disposable | undefined;
  readonly #leases = new Set<(fault: Fault) => void>();
  #state: ConnectionState = { k: 'idle' };
  #readySince = 0;
  #acceptedKey: string | undefined;
  #trace: ConnectTrace | undefined;

  constructor(options: SharedConnectionOptions) {
    this.#options = options;
    this.target = options.target;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get facts(): NegotiatedFacts | undefined {
    return this.#transport?.facts;
  }

  /** What the last attempt did. */
  get trace(): ConnectTrace | undefined {
    return this.#trace;
  }

  /** True while it can be leased without a new attempt. */
  get isLive(): boolean {
    return this.#transport !== undefined;
  }

  /** Connects unless it is connected; concurrent callers share the attempt. Rejects with the attempt's one fault. */
  async connect(signal: AbortSignal): Promise<void> {
    if (this.#transport !== undefined) return;
    if (this.#attempt?.isOpen !== true) this.#attempt = new SharedWork((attempt) => this.#open(attempt));
    await this.#attempt.join(signal);
  }

  /** A lease on the live connection. Whoever holds it releases it. Throws `link-lost` when there is none. */
  lease(purpose: Purpose): Lease {
    const transport = this.#transport;
    if (transport === undefined) throw localFault('link-lost');
    this.#idle?.dispose();
    this.#idle = undefined;
    let tellLost: (fault: Fault) => void = () => {};
    const lost = new Promise<Fault>((resolve) => (tellLost = resolve));
    this.#leases.add(tellLost);
    const channels = transport.as(purpose);
    const usable = (): Channels => {
      if (!this.#leases.has(tellLost) && this.#transport === transport)
        throw localFault('cancelled', { reason: 'the lease was released' });
      return channels;
    };
    return {
      lost,
      user: this.target.user,
      port: this.target.port,
      shell: async (options, signal) => usable().shell(options, signal),
      exec: async (command, signal) => usable().exec(command, signal),
      bytes: async (kind, options, signal) => usable().bytes(kind, options, signal),
      direct: async (to, signal) => usable().direct(to, signal),
      listen: async (bind, onClient, signal) => usable().listen(bind, onClient, signal),
      get allowed() {
        return channels.allowed;
      },
      onAllowedChange: channels.onAllowedChange,
      release: () => {
        if (this.#leases.delete(tellLost)) this.#scheduleIdle();
      },
    };
  }

  dispose(): void {
    const reason = faultError(this.#cancelled());
    this.#attempt?.abort(reason);
    this.#transport?.close();
  }

  async #open(signal: AbortSignal): Promise<Transport> {
    const { transport, target, clock } = this.#options;
    const trace = new ConnectTrace(() => clock.now());
    this.#trace = trace;
    this.#setState({ k: 'connecting', hop: 1 });
    try {
      const opened = await transport.open(
        {
          target,
          hop: { user: target.user, label: target.label, index: 1, count: 1, via: [] },
          lastSucceeded: this.#acceptedKey,
          trace,
          onProgress: (progress) =>
            this.#setState(
              progress.k === 'asking'
                ? { k: 'asking', hop: 1, what: progress.what }
                : { k: 'connecting', hop: 1 },
            ),
        },
        signal,
      );
      if (signal.aborted) {
        opened.close();
        throw faultError(this.#cancelled());
      }
      this.#adopt(opened);
      return opened;
    } catch (error) {
      const fault = faultOf(error, this.target);
      this.#setState(signal.aborted ? { k: 'idle' } : { k: 'stopped', fault });
      throw isTermindError(error) ? error : faultError(fault, error);
    }
  }

  #adopt(transport: Transport): void {
    const { clock } = this.#options;
    this.#transport = transport;
    this.#acceptedKey = transport.acceptedKey;
    this.#readySince = clock.now();
    this.#liveness = transport.onLiveness((liveness) =>
      this.#setState(
        liveness.k === 'suspect'
          ? { k: 'suspect', since: clock.now() }
          : { k: 'ready', since: this.#readySince, rttMs: liveness.rttMs },
      ),
    );
    this.#setState({ k: 'ready', since: this.#readySince, rttMs: undefined });
    this.#scheduleIdle();
    transport.onEnd((fault) => this.#ended(transport, fault));
    void transport.lost.then((fault) => this.#ended(transport, fault)); // it may have ended on its way here
  }

  #ended(transport: Transport, fault: Fault): void {
    if (this.#transport !== transport) return;
    this.#transport = undefined;
    this.#liveness?.dispose();
    this.#idle?.dispose();
    this.#idle = undefined;
    const leases = [...this.#leases];
    this.#leases.clear();
    this.#setState(fault.code === 'cancelled' ? { k: 'idle' } : { k: 'stopped', fault });
    for (const tellLost of leases) tellLost(fault);
  }

  #scheduleIdle(): void {
    if (this.#leases.size > 0 || this.#transport === undefined) return;
    const { clock } = this.#options;
    this.#idle?.dispose();
    this.#idle = clock.after(idleMs, () => this.#transport?.close());
  }

  #setState(state: ConnectionState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#options.onState(state);
  }

  #cancelled(): Fault {
    return connectionFault('cancelled', { stage: 'link', hop: `${this.target.user}@${this.target.label}` });
  }
}

function faultOf(error: unknown, target: Target): Fault {
  if (isTermindError(error)) return error.fault;
  const reason = error instanceof Error ? error.message : String(error);
  return connectionFault('internal', { stage: 'local', hop: `${target.user}@${target.label}` }, { reason });
}
