import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { Emitter, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import type {
  ByteKind,
  ByteOptions,
  ByteStream,
  Channels,
  DirectTarget,
  ExecOptions,
  ManagedChannel,
  NegotiatedFacts,
  Purpose,
  RemoteBind,
  RemoteClient,
  RemoteListener,
  ShellOptions,
} from '../../application/ports/connection.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { Liveness, Transport } from '../../application/ports/transport.ts';
import type { Fault } from '../../domain/fault.ts';
import type { ChannelFacts } from '../../domain/host/host.ts';
import { connectionFault } from '../../domain/ssh/connectionFault.ts';
import type { ConnectTrace } from '../../domain/ssh/trace.ts';
import { ChannelBudget } from './channelBudget.ts';
import { ChannelOpener } from './channelOpener.ts';
import { ConnectionChannels, type ChannelParts } from './connectionChannels.ts';
import { globalRepliesOf, protocolOf } from './libraryParts.ts';
import { LivenessWatch } from './liveness.ts';
import { RemoteListeners } from './remoteListeners.ts';

export interface SshConnectionOptions {
  readonly client: Client;
  /** What carries the connection; destroyed with it. The library destroys only what can still be written to. */
  readonly carrier: Duplex;
  readonly hop: string;
  readonly facts: NegotiatedFacts;
  readonly acceptedKey: string | undefined;
  /** As `Transport.banner`. */
  readonly banner?: string;
  readonly clock: ClockPort;
  readonly log: LogPort;
  readonly keepAliveIntervalMs: number;
  readonly keepAliveCountMax: number;
  /** Refused channels are written down here. */
  readonly trace?: ConnectTrace;
  /** What is known of this host's channels; without it nothing is known and nothing kept. */
  readonly channelMemory?: {
    readonly recall: () => Promise<ChannelFacts | undefined>;
    readonly remember: (learned: Omit<ChannelFacts, 'at'>) => void;
  };
}

/** How long the goodbye may take before the socket is destroyed. */
const goodbyeMs = 1_000;

/** An authenticated connection. Whoever holds it closes it; every channel ends with it. */
export class SshConnection implements Transport {
  readonly facts: NegotiatedFacts;
  readonly acceptedKey: string | undefined;
  readonly banner: string;
  readonly lost: Promise<Fault>;
  readonly #options: SshConnectionOptions;
  readonly #liveness: LivenessWatch;
  readonly #channels: ChannelParts;
  readonly #own: ConnectionChannels;
  readonly #end = new Emitter<Fault>();
  #tellLost: (fault: Fault) => void = () => {};
  /** What ends with the connection. A set and not the promise, which would keep every channel for its whole life. */
  readonly #dependents = new Set<(fault: Fault) => void>();
  /** The first cause of the end. */
  #fault: Fault | undefined;

  constructor(options: SshConnectionOptions) {
    const { clock } = options;
    this.#options = options;
    this.facts = options.facts;
    this.acceptedKey = options.acceptedKey;
    this.banner = options.banner ?? '';
    this.lost = new Promise((resolve) => (this.#tellLost = resolve));
    this.#liveness = new LivenessWatch({
      clock,
      intervalMs: options.keepAliveIntervalMs,
      maxSilentProbes: options.keepAliveCountMax,
      probe: (onReply) => this.#probe(onReply),
      onDead: () => this.ended(this.#linkFault('not-responding')),
    });
    const { client, hop, trace, channelMemory } = options;
    const opener = new ChannelOpener({
      client,
      hop,
      clock,
      onLost: (tell) => this.#onLost(tell),
      fault: () => this.#fault,
    });
    const budget = new ChannelBudget({
      hop,
      clock,
      ...(channelMemory === undefined
        ? {}
        : { known: channelMemory.recall(), onLearned: channelMemory.remember }),
    });
    this.#channels = { opener, budget, listeners: new RemoteListeners(opener, clock), trace };
    this.#own = new ConnectionChannels(this.#channels, 'exec');
  }

  get onEnd(): Event<Fault> {
    return this.#end.event;
  }

  get onLiveness(): Event<Liveness> {
    return this.#liveness.onChange;
  }

  /** Every inbound chunk is a sign of life. */
  noteInbound(): void {
    this.#liveness.noteInbound();
  }

  /** The connection is over; the first fault counts. Destroys the socket, which ends every channel. */
  ended(fault: Fault): void {
    if (this.#fault !== undefined) return;
    this.#finish(fault);
    this.#options.carrier.destroy();
  }

  check(withinMs: number): void {
    if (this.#fault === undefined) this.#liveness.check(withinMs);
  }

  as(purpose: Purpose): Channels {
    return new ConnectionChannels(this.#channels, purpose);
  }

  shell(options: ShellOptions, signal: AbortSignal): Promise<ManagedChannel> {
    return this.#own.shell(options, signal);
  }

  exec(command: string | ExecOptions, signal: AbortSignal): Promise<ManagedChannel> {
    return this.#own.exec(command, signal);
  }

  bytes<K extends ByteKind>(kind: K, options: ByteOptions[K], signal: AbortSignal): Promise<ByteStream> {
    return this.#own.bytes(kind, options, signal);
  }

  direct(to: DirectTarget, signal: AbortSignal): Promise<Duplex> {
    return this.#own.direct(to, signal);
  }

  listen(
    bind: RemoteBind,
    onClient: (client: RemoteClient) => void,
    signal: AbortSignal,
  ): Promise<RemoteListener> {
    return this.#own.listen(bind, onClient, signal);
  }

  get allowed(): number {
    return this.#own.allowed;
  }

  get onAllowedChange(): Event<void> {
    return this.#own.onAllowedChange;
  }

  close(): void {
    if (this.#fault !== undefined) return;
    this.#finish(this.#linkFault('cancelled'));
    const { client, carrier, clock } = this.#options;
    client.end();
    const insist = clock.after(goodbyeMs, () => carrier.destroy());
    client.once('close', () => insist.dispose());
  }

  #finish(fault: Fault): void {
    this.#fault = fault;
    this.#liveness.dispose();
    this.#channels.budget.end(fault);
    this.#end.fire(fault);
    this.#end.dispose();
    for (const tell of this.#dependents) tell(fault);
    this.#dependents.clear();
    this.#tellLost(fault);
  }

  #onLost(tell: (fault: Fault) => void): Disposable {
    this.#dependents.add(tell);
    return { dispose: () => void this.#dependents.delete(tell) };
  }

  #linkFault(code: 'not-responding' | 'link-lost' | 'cancelled'): Fault {
    return connectionFault(code, { stage: 'link', hop: this.#options.hop, outcome: 'unknown' });
  }

  #probe(onReply: () => void): void {
    const { client, log } = this.#options;
    try {
      // Replies to global requests carry no number: the order of this list is the order of the answers.
      globalRepliesOf(client).push(() => {
        if (this.#fault === undefined) onReply();
      });
      protocolOf(client).ping();
    } catch (error) {
      log.warn(
        'ssh',
        `a keepalive probe could not be sent: ${error instanceof Error ? error.name : 'error'}`,
      );
    }
  }
}
