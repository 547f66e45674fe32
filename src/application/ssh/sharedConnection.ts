import { Emitter, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import { localFault, isTermindError, type Fault } from '../../domain/fault.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { hopName, type Hop } from '../../domain/ssh/hop.ts';
import { hopOf } from '../../domain/ssh/route.ts';
import type { Target } from '../../domain/ssh/target.ts';
import { ConnectTrace } from '../../domain/ssh/trace.ts';
import type { ConnectionState, Lease, NegotiatedFacts, Purpose } from '../ports/connection.ts';
import type { Carrier, Transport, TransportPort } from '../ports/transport.ts';
import { connectionLease } from './connectionLease.ts';
import { SharedWork } from './sharedWork.ts';

export interface SharedConnectionOptions {
  readonly target: Target;
  /** The connection to the last jump host; undefined for every other route. */
  readonly via: SharedConnection | undefined;
  readonly transport: TransportPort;
  readonly clock: ClockPort;
}

/** On what terms somebody waits for a connection. */
export interface AttemptTerms {
  /** Whether questions may be shown; asked each time. One who waits and allows it is enough. */
  readonly mayAsk: () => boolean;
  /** Servers on the whole way, for the names of hops. */
  readonly hops: number;
}

/** How long a connection outlives its last lease. Source: ssh.md 1.1. */
const idleMs = 60_000;

/** The hold of one connection on the jump host that carries it. */
interface Held {
  readonly carrier: Carrier;
  /** Aborts at once when the jump host is gone, with its fault in `fault`. */
  readonly lost: AbortSignal;
  readonly fault: Fault | undefined;
  release(): void;
}

/**
 * The one connection to a target: at most one attempt and one transport at a time, shared by every lease and by every connection behind
 * it. Disposing closes it at once. Source: ssh.md 1.1.
 */
export class SharedConnection implements Disposable {
  readonly via: SharedConnection | undefined;
  readonly #options: SharedConnectionOptions;
  readonly #changed = new Emitter<ConnectionState>();
  readonly #terms = new Set<AttemptTerms>();
  #attempt: SharedWork<Transport> | undefined;
  #attempts = 0;
  #transport: Transport | undefined;
  /** The one whose banner was taken. */
  #greeted: Transport | undefined;
  #liveness: Disposable | undefined;
  #idle: Disposable | undefined;
  /** Told at once when the connection is gone. */
  readonly #leases = new Set<(fault: Fault) => void>();
  #state: ConnectionState = { k: 'idle' };
  #readySince = 0;
  #acceptedKey: string | undefined;
  #trace: ConnectTrace | undefined;
  #hopTraces: readonly ConnectTrace[] = [];
  #hop: Hop;
  #target: Target;

  constructor(options: SharedConnectionOptions) {
    this.#options = options;
    this.#target = options.target;
    this.via = options.via;
    this.#hop = hopOf(options.target, 1);
  }

  get target(): Target {
    return this.#target;
  }

  /** The same target as it was resolved last: where its password is kept may have changed. Counts for the next attempt. */
  renew(target: Target): void {
    this.#target = target;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get onDidChange(): Event<ConnectionState> {
    return this.#changed.event;
  }

  get facts(): NegotiatedFacts | undefined {
    return this.#transport?.facts;
  }

  /** What the last attempt did, one trace for each hop in order; empty before the first. */
  get traces(): readonly ConnectTrace[] {
    return this.#trace === undefined ? [] : [...this.#hopTraces, this.#trace];
  }

  /** True while it can be leased without a new attempt. */
  get isLive(): boolean {
    return this.#transport !== undefined;
  }

  /** True while an attempt is under way. */
  get isConnecting(): boolean {
    return this.#attempt?.isOpen === true;
  }

  /** Connects unless it is connected; concurrent callers share the attempt. Rejects with the attempt's one fault. */
  async connect(terms: AttemptTerms, signal: AbortSignal): Promise<void> {
    if (this.#transport !== undefined) return;
    this.#terms.add(terms);
    try {
      if (this.#attempt?.isOpen !== true) {
        this.#hop = hopOf(this.target, terms.hops);
        this.#attempt = new SharedWork((attempt) => this.#open(attempt));
      }
      await this.#attempt.join(signal);
    } finally {
      this.#terms.delete(terms);
    }
  }

  /** A lease on the live connection. Whoever holds it releases it, which is told. Throws `link-lost` when there is none. */
  lease(purpose: Purpose, onRelease: () => void = () => {}): Lease {
    const transport = this.#hold();
    let tellLost: (fault: Fault) => void = () => {};
    const lost = new Promise<Fault>((resolve) => (tellLost = resolve));
    this.#leases.add(tellLost);
    return connectionLease({
      target: this.target,
      channels: transport.as(purpose),
      lost,
      isHeld: () => this.#leases.has(tellLost) || this.#transport !== transport,
      takeBanner: () => {
        if (this.#greeted === transport) return '';
        this.#greeted = transport;
        return transport.banner;
      },
      release: () => {
        onRelease();
        this.#release(tellLost);
      },
    });
  }

  /** One probe at once; the connection is over when nothing arrives within `withinMs`. Source: ssh.md 1.6. */
  check(withinMs: number): void {
    this.#transport?.check(withinMs);
  }

  dispose(): void {
    const reason = faultError(this.#cancelled());
    this.#attempt?.abort(reason);
    this.#transport?.close();
  }

  /** As `lease`, for a connection that this one carries. */
  #carry(): Held {
    const transport = this.#hold();
    const lost = new AbortController();
    let cause: Fault | undefined;
    const tellLost = (fault: Fault): void => {
      cause = fault;
      lost.abort(faultError(fault));
    };
    this.#leases.add(tellLost);
    return {
      carrier: {
        hop: hopName(this.#hop),
        direct: (to, signal) => transport.direct(to, signal),
      },
      lost: lost.signal,
      get fault() {
        return cause;
      },
      release: () => this.#release(tellLost),
    };
  }

  #hold(): Transport {
    if (this.#transport === undefined) throw localFault('link-lost');
    this.#idle?.dispose();
    this.#idle = undefined;
    return this.#transport;
  }

  #release(tellLost: (fault: Fault) => void): void {
    if (this.#leases.delete(tellLost)) this.#scheduleIdle();
  }

  async #open(signal: AbortSignal): Promise<Transport> {
    const { transport, clock } = this.#options;
    const { target } = this;
    const trace = new ConnectTrace(() => clock.now());
    const hop = this.#hop;
    const attempt = ++this.#attempts;
    // One that was given up may still be ending when the next begins.
    const show = (state: ConnectionState): void => {
      if (attempt === this.#attempts) this.#setState(state);
    };
    this.#trace = trace;
    this.#hopTraces = [];
    let held: Held | undefined;
    try {
      held = await this.#throughJumpHost(signal, show);
      show({ k: 'connecting', hop: hop.index });
      const opened = await transport.open(
        {
          target,
          hop,
          via: held?.carrier,
          mayAsk: this.#mayAsk,
          lastSucceeded: this.#acceptedKey,
          trace,
          onProgress: (progress) =>
            show(
              progress.k === 'asking'
                ? { k: 'asking', hop: hop.index, what: progress.what }
                : { k: 'connecting', hop: hop.index },
            ),
        },
        held === undefined ? signal : AbortSignal.any([signal, held.lost]),
      );
      if (signal.aborted || held?.fault !== undefined) {
        opened.close();
        throw faultError(held?.fault ?? this.#cancelled());
      }
      this.#adopt(opened, held);
      return opened;
    } catch (error) {
      held?.release();
      const fault = signal.aborted ? this.#cancelled() : (held?.fault ?? this.#faultOf(error));
      show(signal.aborted ? { k: 'idle' } : { k: 'stopped', fault });
      throw faultError(fault, error);
    }
  }

  /** Connects the jump host first, which shows its own progress here. */
  async #throughJumpHost(
    signal: AbortSignal,
    show: (state: ConnectionState) => void,
  ): Promise<Held | undefined> {
    const { via } = this;
    if (via === undefined) {
      show({ k: 'connecting', hop: this.#hop.index });
      return undefined;
    }
    if (via.isLive) {
      const trace = new ConnectTrace(() => this.#options.clock.now());
      trace.add(hopName(via.#hop), { k: 'alreadyConnected' });
      this.#hopTraces = [trace];
      return via.#carry();
    }
    const watching = via.onDidChange((state) => {
      if (state.k === 'connecting' || state.k === 'asking') show(state);
    });
    try {
      const connected = via.connect({ mayAsk: this.#mayAsk, hops: this.#hop.count }, signal);
      if (via.state.k === 'connecting' || via.state.k === 'asking') show(via.state);
      await connected;
    } finally {
      watching.dispose();
      this.#hopTraces = via.traces;
    }
    return via.#carry();
  }

  readonly #mayAsk = (): boolean => [...this.#terms].some((terms) => terms.mayAsk());

  #adopt(transport: Transport, held: Held | undefined): void {
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
    const onCarrierLost = (): void => {
      if (held?.fault !== undefined) transport.ended({ ...held.fault, outcome: 'unknown' });
    };
    held?.lost.addEventListener('abort', onCarrierLost, { once: true });
    const onEnd = (fault: Fault): void => {
      held?.lost.removeEventListener('abort', onCarrierLost);
      held?.release();
      this.#ended(transport, fault);
    };
    transport.onEnd(onEnd);
    void transport.lost.then(onEnd); // it may have ended on its way here
  }

  #ended(transport: Transport, fault: Fault): void {
    if (this.#transport !== transport) return;
    this.#transport = undefined;
    this.#greeted = undefined;
    this.#liveness?.dispose();
    this.#idle?.dispose();
    this.#idle = undefined;
    const leases = [...this.#leases];
    this.#leases.clear();
    // What is carried ends first, and for this cause: its channels are about to close.
    for (const tellLost of leases) tellLost(fault);
    this.#setState(fault.code === 'cancelled' ? { k: 'idle' } : { k: 'stopped', fault });
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
    this.#changed.fire(state);
  }

  #cancelled(): Fault {
    return connectionFault('cancelled', { stage: 'link', hop: hopName(this.#hop) });
  }

  #faultOf(error: unknown): Fault {
    if (isTermindError(error)) return error.fault;
    const reason = error instanceof Error ? error.message : String(error);
    return connectionFault('internal', { stage: 'local', hop: hopName(this.#hop) }, { reason });
  }
}
